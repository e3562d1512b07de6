import { describe, expect, it } from "vitest";
import type { PolicyFacts } from "tenon/gateway";
import { growth, LINEAR } from "../../../../../tenon/test/support/cpu-cost.ts";
import { fitsPattern, policyOf, type Rule, type Rules } from "./rules.ts";

const ada = JSON.stringify(["https://login.example", "ada", "ide"]);
const facts: PolicyFacts = { principal: ada, scopes: ["read", "write"], server: "files", kind: "tool", name: "read_file", annotations: {} };

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

it.each<[string, Rules, boolean | undefined]>([
  ["no rules", {}, undefined],
  ["deny wins", { allow: ["*"], deny: ["read_*"] }, false],
  ["what allow does not name", { allow: ["write_*"] }, false],
  ["an empty allow", { allow: [] }, false],
  ["another deny", { deny: ["write_*"] }, true],
])("%s", (_what, rules, isAllowed) => expect(policyOf(rules)?.(facts)).toBe(isAllowed));
