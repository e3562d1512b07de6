/**
 * What a configuration and a command line name and no server offers: it has no effect, and is most often mistyped.
 *
 * It is judged only if all servers that it may be about have listed what they offer.
 */
import type { PolicyFacts } from "tenon/gateway";
import { nameIn } from "tenon/internal";
import type { ConfigProblem } from "tenon/node";
import type { OptionValues } from "../../../invocation.ts";
import type { Parts } from "./bundles.ts";
import { asList, fitsPattern, isAbout, isTyped, type Rule, type Rules } from "./rules.ts";

export interface Offered {
  /** All entries that were listed, also those that rules deny. */
  readonly facts: readonly PolicyFacts[];
  /** The servers that have listed all of theirs. */
  readonly listed: ReadonlySet<string>;
  /** All servers of the file, those that are disabled too. */
  readonly servers: readonly string[];
}

const MESSAGE = "fits nothing that the servers offer";

/** The rules that fit nothing, by field. @param server the server whose rules they are; undefined for the rules of all servers */
export function unfittingRules({ allow = [], deny = [] }: Rules, server: string | undefined, offered: Offered): ConfigProblem[] {
  return Object.entries({ allow, deny }).flatMap(([list, rules]) =>
    rules.flatMap((rule, at) =>
      partsOf(rule, `tenon.${list}[${at}]`)
        .filter(([, part]) => isUnfitting(part, server, offered))
        .map(([field]) => ({ ...(server !== undefined && { server }), field, message: MESSAGE })),
    ),
  );
}

/** What bundles and groups pick and no server offers, by field. */
export function unfittingPicks({ bundles = {}, groups = {} }: Parts, offered: Offered): ConfigProblem[] {
  const all = [...named("bundles", bundles), ...named("groups", groups)];
  return all.flatMap(([field, { pick = [] }]) =>
    pick.flatMap((rule, at) => {
      const parts: [string, string | Rule][] = typeof rule === "string" ? [["", rule]] : partsOf(rule, "");
      return parts
        .filter(([, part]) => (typeof part === "string" ? isUntyped(part, offered) : isUnfitting(part, undefined, offered)))
        .map(([inside]) => ({ field: `tenon.${field}.pick[${at}]${inside}`, message: MESSAGE }));
    }),
  );
}

function named<Value>(list: string, values: Readonly<Record<string, Value>>): [field: string, value: Value][] {
  return Object.entries(values).map(([name, value]) => [`${list}.${name}`, value]);
}

function isUntyped(pattern: string, { facts, listed, servers }: Offered): boolean {
  return servers.every((server) => listed.has(server)) && !facts.some((one) => isTyped([pattern], one));
}

function isUnfitting(rule: Rule, server: string | undefined, offered: Offered): boolean {
  return isJudged(rule, server, offered) && !offered.facts.some((facts) => fits(rule, server, facts, offered));
}

/** The pinned tools of `search` that no server offers, by field. */
export function unfittingPinned(pinned: readonly string[], prefixOf: (server: string) => string, offered: Offered): ConfigProblem[] {
  return pinned.flatMap((name, at) => (isTool(name, prefixOf, offered) ? [] : [{ field: `tenon.search.pinned[${at}]`, message: MESSAGE }]));
}

/** The names of the command line that fit nothing: `--deny a__b`. */
export function unfittingTyped(
  { only = [], deny = [], pin = [] }: Pick<OptionValues, "only" | "deny" | "pin">,
  prefixOf: (server: string) => string,
  offered: Offered,
): string[] {
  const isNamed = (pattern: string): boolean => offered.facts.some((facts) => isTyped([pattern], facts, { prefixIn: prefixOf }));
  const all = { only: only.filter((one) => !isNamed(one)), deny: deny.filter((one) => !isNamed(one)) };
  const pins = pin.filter((name) => !isTool(name, prefixOf, offered));
  if (offered.servers.some((server) => !offered.listed.has(server))) return [];
  return Object.entries({ ...all, pin: pins }).flatMap(([option, names]) => names.map((name) => `--${option} ${name}: ${MESSAGE}`));
}

/** How the other kinds are pinned than tools, whose names have no colon. The texts of pages and instructions are in no list. */
const KIND_OF_PIN = /^(prompt|resource|page|instructions):(.*)$/s;

/** The tools, prompts and listed pages of a file of pins that no server offers. */
export function unfittingPins(
  path: string,
  pinned: { readonly [server: string]: { readonly [tool: string]: unknown } },
  { facts, listed, servers }: Offered,
): string[] {
  return Object.entries(pinned).flatMap(([server, tools]) => {
    if (!servers.includes(server)) return [`${path}: server ${JSON.stringify(server)}: ${MESSAGE}`];
    const isOffered = (kind: string, name: string): boolean =>
      facts.some((one) => one.server === server && one.kind === kind && one.name === name);
    return Object.keys(listed.has(server) ? tools : {}).flatMap((key) => {
      const [, kind = "tool", name = key] = KIND_OF_PIN.exec(key) ?? [];
      if (kind === "page" || kind === "instructions" || isOffered(kind, name)) return [];
      return [`${path}: server ${JSON.stringify(server)}, ${kind} ${JSON.stringify(name)}: ${MESSAGE}`];
    });
  });
}

/** A rule as one rule for each of its names. What depends on the caller is left out: any caller may come. */
function partsOf(rule: string | Rule, field: string): [field: string, rule: Rule][] {
  if (typeof rule === "string") return [[field, { name: rule }]];
  const { users: _users, clients: _clients, scopes: _scopes, groups: _groups, ...about } = rule;
  const { name } = about;
  if (name === undefined || typeof name === "string") return [[field, about]];
  return name.map((one, at): [string, Rule] => [`${field}.name[${at}]`, { ...about, name: one }]);
}

function isJudged(rule: Rule, server: string | undefined, { listed, servers }: Offered): boolean {
  const isMeant = (one: string): boolean =>
    server === undefined ? rule.server === undefined || asList(rule.server).some((pattern) => fitsPattern(pattern, one)) : one === server;
  return servers.every((one) => !isMeant(one) || listed.has(one));
}

function fits(rule: Rule, server: string | undefined, facts: PolicyFacts, { facts: all }: Offered): boolean {
  if (server !== undefined && facts.server !== server) return false;
  const { name, ...others } = rule;
  if (isAbout(rule, facts)) return true;
  if (typeof name !== "string" || !isAbout(others, facts)) return false;
  // No list has older versions, nor the URIs of a template.
  const base = name.replace(/\.v[^*]*$/, "");
  if (base !== name && facts.version !== undefined && fitsPattern(base, facts.name)) return true;
  return name.includes(":") && all.some(({ kind, server: other }) => kind === "template" && other === facts.server);
}

/** Whether a tool has that name at the gateway, or may have it. */
function isTool(name: string, prefixOf: (server: string) => string, { facts, listed, servers }: Offered): boolean {
  if (servers.some((server) => !listed.has(server))) return true;
  return facts.some((one) => one.kind === "tool" && nameIn(prefixOf(one.server), one.name) === name);
}
