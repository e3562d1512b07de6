import { describe, expect, it } from "vitest";
import type { PolicyFacts } from "tenon/gateway";
import { growth, LINEAR } from "../../../../../tenon/test/support/cpu-cost.ts";
import { GatewaySettings } from "./settings.ts";
import { nameIn, prefixOf } from "tenon/internal";
import { rulesOf } from "./typed.ts";
import { fitsPattern, policyOf, type Rule, type Rules } from "./rules.ts";

const ada = JSON.stringify(["https://login.example", "ada", "ide"]);
/** The settings of a file without rules. */
const noRules = new GatewaySettings();
const facts: PolicyFacts = {
  claims: {},
  principal: ada,
  scopes: ["read", "write"],
  server: "files",
  kind: "tool",
  name: "read_file",
  annotations: {},
};

describe("A pattern", () => {
  it.each([
    ["read", "read", true],
    ["read", "reader", false],
    ["read*", "read", true],
    ["*file", "read_file", true],
    ["r*_f*e", "read_file", true],
    ["*", "", true],
    ["ab*ba", "aba", false],
    ["a*b*c", "acb", false],
    ["r.ad*", "read", false],
    ["a**b", "ab", true],
  ])("%s fits %s: %s", (pattern, text, fits) => expect(fitsPattern(pattern, text)).toBe(fits));

  it("is compared in linear time", () => {
    expect(growth((size) => fitsPattern("*a*a*a*b", "a".repeat(size)))).toBeLessThan(LINEAR);
  });
});

describe("A rule", () => {
  it.each<[boolean, Rule]>([
    [true, { server: "f*", kind: ["prompt", "tool"], name: ["x", "read_*"] }],
    [false, { server: "files", kind: "prompt" }],
    [true, { users: "ada", clients: "i*" }],
    [false, { users: "bob" }],
    [true, { scopes: ["read", "write"] }],
    [false, { scopes: ["read", "admin"] }],
    [true, { annotations: { destructiveHint: true, readOnlyHint: false } }],
    [false, { annotations: { readOnlyHint: true } }],
  ])("%s: %j", (fits, rule) => expect(policyOf({ allow: [rule] })!(facts)).toBe(fits));

  it("by annotation knows what tools declare, and what a tool is that only reads", () => {
    const destructive = policyOf({ deny: [{ annotations: { destructiveHint: true } }] })!;
    expect(destructive(facts)).toBe(false);
    expect(destructive({ ...facts, annotations: { destructiveHint: false } })).toBe(true);
    expect(destructive({ ...facts, annotations: { readOnlyHint: true } })).toBe(true);
    expect(destructive({ ...facts, kind: "prompt" })).toBe(true);
  });

  it("about users fits no caller without a principal that names one", () => {
    for (const principal of [undefined, "ada", "7", '["https://login.example",null,null]'])
      expect(policyOf({ allow: [{ users: "*" }] })!({ ...facts, principal })).toBe(false);
  });
});

describe("A rule about a URI", () => {
  const resource = (name: string): PolicyFacts => ({ ...facts, kind: "resource", name });

  it.each([
    ["file:///private/*", "file:///private/keys", false],
    ["file:///private/*", "FILE:///privat%65/keys", false],
    ["file:///café", "file:///caf%c3%a9", false],
    ["file:///caf%C3%A9", "file:///café", false],
    ["file:///keys", "file:///keys?a=1", false],
    ["file:///keys?a=1", "file:///keys", true],
    ["file:///keys", "file:///keys/more", true],
    ["users://bob@example.com", "users://bob%40example.com", false],
    ["users://bob%40example.com", "users://bob@example.com", false],
    ["file:///private/*", "file:///private%2Fkeys", false],
    ["file:///private/*", "file:///open/../private/keys", false],
    ["file:///private/*", "file:///open/%2e%2E%2fprivate/keys", false],
    ["file:///private/*", "file:///open/..%5Cprivate/keys", false],
    ["file:///private/*", "file:////private//keys", false],
    ["file:///private/*", "file:///./private/keys?a=1", false],
    ["docs://private/*", "docs://open/../private/keys", false],
    ["https://a.example/keys", "https://a.example/../keys", false],
    ["file:///caf%C3%A9/*", "file:///open/../café/a", false],
    ["file:///private/*", "file:///open/%FF", true],
    ["file:///private/*", "file:///private.txt/../open", true],
  ])("deny %s lets %s through: %s, in a file and on the command line", (pattern, uri, passes) => {
    expect(policyOf({ deny: [pattern] })!(resource(uri))).toBe(passes);
    expect(policyOf({ deny: [{ kind: "resource", name: pattern }] })!(resource(uri))).toBe(passes);
    expect(rulesOf(noRules, { deny: [`files__${pattern}`] })!(resource(uri))).toBe(passes);
  });

  it.each([
    ["file:///open/*", "file:///op%65n/a", true],
    ["file:///open", "file:///open?a=1", false],
    ["file:///open", "file:///Open", false],
    ["file:///open/*", "file:///open/../keys", false],
    ["file:///open/*", "file:///open/%2E%2E/keys", false],
    ["file:///open/*", "file:///open/..%2Fkeys", false],
    ["file:///open/*", "file:///open/a/../b", true],
    ["file:///open/a%20b", "file:///open/a b", true],
    ["file:///open/../a", "file:///open/../a", true],
    ["users://a%2Fb", "users://a%2Fb", true],
    ["users://a%2Fb", "users://a/b", false],
    ["docs://open/*", "docs://open/../keys", false],
  ])("allow %s lets %s through: %s", (pattern, uri, passes) => {
    expect(policyOf({ allow: [pattern] })!(resource(uri))).toBe(passes);
    expect(rulesOf(noRules, { only: [`files__${pattern}`] })!(resource(uri))).toBe(passes);
  });
});

it.each<[string, Rules, boolean | undefined]>([
  ["no rules", {}, undefined],
  ["deny wins", { allow: ["*"], deny: ["read_*"] }, false],
  ["what allow does not name", { allow: ["write_*"] }, false],
  ["an empty allow", { allow: [] }, false],
  ["another deny", { deny: ["write_*"] }, true],
])("%s", (_what, rules, isAllowed) => expect(policyOf(rules)?.(facts)).toBe(isAllowed));

describe("What was typed on the command line", () => {
  it.each<[string, { only?: string[]; deny?: string[] }, boolean]>([
    ["a denied version is denied under the plain name that means it", { deny: ["files__read_file.v2"] }, false],
    ["another version is not", { deny: ["files__read_file.v1"] }, true],
    ["only that version is the plain name that means it", { only: ["files__read_file.v2"] }, true],
    ["a pattern fits a version", { deny: ["files__*.v2"] }, false],
    ["a whole server", { deny: ["files__*"] }, false],
    ["a server whose name begins alike", { deny: ["file__*"] }, true],
  ])("%s", (_what, typed, isAllowed) => {
    expect(rulesOf(noRules, typed)!({ ...facts, version: "2" })).toBe(isAllowed);
  });
});

describe("A name of the command line is the one in the file, or the one that callers see", () => {
  const of = (server: string, name = "pay"): PolicyFacts => ({ ...facts, server, name });
  const denies = (pattern: string, one: PolicyFacts, prefix: Record<string, string> = {}): boolean =>
    !rulesOf({ policy: undefined, prefixIn: (server) => prefix[server] ?? prefixOf(server) }, { deny: [pattern] })!(one);

  it.each<[string, string, PolicyFacts, Record<string, string>]>([
    ["the name of a server that cannot be a prefix", "My Shop__pay", of("My Shop"), {}],
    ["its prefix", "My_Shop__pay", of("My Shop"), {}],
    ["its prefix and a pattern", "My_Shop__*", of("My Shop"), {}],
    ["a prefix of the file", "shop__pay", of("s"), { s: "shop" }],
    ["the server beside a prefix of the file", "s__pay", of("s"), { s: "shop" }],
    ["no prefix", "pay", of("s"), { s: "" }],
    ["a version under a prefix", "shop__pay.v2", { ...of("s"), version: "2" }, { s: "shop" }],
  ])("%s: %s", (_what, pattern, one, prefix) => {
    expect(denies(pattern, one, prefix)).toBe(true);
    expect(
      rulesOf({ policy: undefined, prefixIn: (server) => prefix[server] ?? prefixOf(server) }, { only: [pattern] })!(one),
    ).toBe(true);
  });

  it("a name that was cut to fit", () => {
    const long = of("s", `${"x".repeat(80)}.y`);
    const shown = nameIn("s", long.name);
    expect(shown).not.toContain(long.name);
    expect([denies(shown, long), denies(`s__${long.name}`, long), denies(shown, of("s", "x".repeat(80)))]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("another server with that prefix in its name is another one", () => {
    expect(denies("shop__pay", of("s"))).toBe(false);
    expect(denies("pay", of("s"))).toBe(false);
    expect(denies("My_Shop__pay", of("My_Shop2"))).toBe(false);
  });
});

describe("Rules about whole servers, users and programs", () => {
  /** Facts before the server was asked. */
  const early: PolicyFacts = Object.defineProperties(
    { ...facts },
    Object.fromEntries(
      ["kind", "name", "version", "annotations"].map((member) => [
        member,
        { get: (): never => expect.fail(`${member} was read`) },
      ]),
    ),
  ) as PolicyFacts;

  it.each<[string, Rules]>([
    ["a denied server", { deny: ["read_*", { server: "files" }] }],
    ["a denied user", { deny: [{ annotations: { readOnlyHint: true } }, { users: "ada" }] }],
    ["an allowed server", { allow: [{ server: "shop", name: "x" }] }],
    ["an allowed program", { allow: [{ clients: "chat", annotations: { readOnlyHint: true } }] }],
  ])("decide before the server is asked: %s", (_what, rules) => expect(policyOf(rules)!(early)).toBe(false));

  it("decide on the command line, too", () => {
    expect(rulesOf(noRules, { deny: ["shop__x", "files__*"] })!(early)).toBe(false);
    expect(rulesOf(noRules, { only: ["shop__*"] })!(early)).toBe(false);
  });
});
