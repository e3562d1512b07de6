/**
 * Bundles and groups of a configuration file: named parts of what the gateway serves. A bundle has a URL of its own; a group is of callers.
 *
 * Both only take away: what the rules `allow` and `deny` refuse is in no bundle and for no group.
 */
import type { Policy, PolicyFacts } from "tenon/gateway";
import type { JsonObject } from "tenon";
import { callerOf, fitsPattern, isAbout, isTyped, RULE, rulesProblems, type Rule } from "./rules.ts";
import type { Shape } from "./shape.ts";

/** A text is a pattern of names as the gateway writes them: `server__tool`, with `*` for any text. */
export type Pick = readonly (string | Rule)[];

/** Some servers and tools, at a URL of their own. */
export interface Bundle {
  /** Whole servers, with `*` for any text. */
  readonly servers?: readonly string[];
  readonly pick?: Pick;
  /** Who may use it: callers in one of these groups. Default: all callers. */
  readonly groups?: readonly string[];
}

export interface Group {
  /** Default: everything. */
  readonly pick?: Pick;
}

export interface Parts {
  readonly bundles?: Readonly<Record<string, Bundle>>;
  readonly groups?: Readonly<Record<string, Group>>;
}

type PrefixIn = (server: string) => string;

/** The group of the callers that are in none of the others. */
const OTHERS = "*";
const TEXTS: Shape = { items: "text" };
const PICK: Shape = { items: RULE };
export const PARTS: { readonly bundles: Shape; readonly groups: Shape } = {
  bundles: { values: { members: { servers: TEXTS, pick: PICK, groups: TEXTS } } },
  groups: { values: { members: { pick: PICK } } },
};

export function partsProblems({ bundles = {}, groups = {} }: Parts): [field: string, message: string][] {
  const ofBundles = Object.entries(bundles).flatMap(([name, { servers, pick }]): [string, string][] => {
    const field = `bundles.${name}`;
    if (!/^[\w-]{1,64}$/.test(name)) return [[field, "must have a name of 1 to 64 letters, digits, _ and -: it is part of the URL"]];
    if (servers === undefined && pick === undefined) return [[field, 'is empty: give "servers", "pick" or both']];
    return rulesProblems(`${field}.pick`, pick);
  });
  return [...ofBundles, ...Object.entries(groups).flatMap(([name, { pick }]) => rulesProblems(`groups.${name}.pick`, pick))];
}

/** The servers of bundles that the file does not have, by field. A name with `*` may be of servers that come later. */
export function unknownServersInBundles({ bundles = {} }: Parts, servers: readonly string[]): [field: string, message: string][] {
  return Object.entries(bundles).flatMap(([bundle, { servers: named = [] }]) =>
    named.flatMap((name, at): [string, string][] =>
      name.includes("*") || servers.includes(name)
        ? []
        : [[`bundles.${bundle}.servers[${at}]`, `names no server of the file: ${JSON.stringify(name)}. There are: ${servers.join(", ")}`]],
    ),
  );
}

export function partsPolicy({ bundles, groups }: Parts, prefixIn?: PrefixIn): Policy | undefined {
  if (bundles === undefined && groups === undefined) return undefined;
  return (facts) => {
    const [, , , bundle] = callerOf(facts.principal);
    // The door of a bundle judges requests. A stream that is open there while the groups change is judged here.
    const inBundle = bundle === undefined || (mayUse(bundles?.[bundle], facts.claims) && isInBundle(bundles?.[bundle], facts, prefixIn));
    return inBundle && (groups === undefined || isForGroups(groups, facts, prefixIn));
  };
}

export function mayUse(bundle: Bundle | undefined, claims: JsonObject): boolean {
  return bundle?.groups === undefined || groupsIn(claims).some((group) => bundle.groups!.includes(group));
}

/** Whether an entry is in a bundle; a bundle that the file does not have any more is empty. */
export function isInBundle(bundle: Bundle | undefined, facts: PolicyFacts, prefixIn?: PrefixIn): boolean {
  if (bundle === undefined) return false;
  return (bundle.servers?.some((server) => fitsPattern(server, facts.server)) ?? false) || isPicked(bundle.pick ?? [], facts, prefixIn);
}

export function isForGroups(groups: Readonly<Record<string, Group>>, facts: PolicyFacts, prefixIn?: PrefixIn): boolean {
  const own = groupsIn(facts.claims).filter((name) => name !== OTHERS && Object.hasOwn(groups, name));
  const chosen = own.length > 0 ? own : Object.hasOwn(groups, OTHERS) ? [OTHERS] : [];
  return chosen.some((name) => isForGroup(groups[name]!, facts, prefixIn));
}

export function isForGroup({ pick }: Group, facts: PolicyFacts, prefixIn?: PrefixIn): boolean {
  return pick === undefined || isPicked(pick, facts, prefixIn);
}

function isPicked(pick: Pick, facts: PolicyFacts, prefixIn?: PrefixIn): boolean {
  return pick.some((one) => (typeof one === "string" ? isTyped([one], facts, prefixIn && { prefixIn }) : isAbout(one, facts)));
}

/** The groups of a caller: of the file, or the claim `groups` of the token. */
export function groupsIn({ groups }: JsonObject): readonly string[] {
  return [groups ?? []].flat().filter((group): group is string => typeof group === "string");
}
