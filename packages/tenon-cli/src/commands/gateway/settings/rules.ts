/** The rules `allow` and `deny` of a configuration file: who may see and use what. */
import type { Policy, PolicyFacts } from "tenon/gateway";
import { keyOf, nameIn, normalUri, prefixOf, jsonIn } from "tenon/internal";
import { didYouMean } from "../../../typing-mistakes.ts";
import type { Shape } from "./shape.ts";
import { otherForms } from "./uri-forms.ts";

export interface Rule {
  /** Names or URIs as the server writes them; `*` is any text. */
  readonly name?: string | readonly string[];
  /** The server, for rules of the whole file. */
  readonly server?: string | readonly string[];
  readonly kind?: string | readonly string[];
  /** Values of annotations; an annotation that a tool does not declare has the value that the protocol says. */
  readonly annotations?: { readonly [name: string]: boolean };
  /** Subjects of the callers' tokens. */
  readonly users?: string | readonly string[];
  /** The programs of the callers, by the client of their tokens. */
  readonly clients?: string | readonly string[];
  /** The token has all of them. */
  readonly scopes?: string | readonly string[];
  /** The caller is in one of them. */
  readonly groups?: string | readonly string[];
}
export interface Rules {
  readonly allow?: readonly (string | Rule)[];
  readonly deny?: readonly (string | Rule)[];
}

const TEXTS: Shape = ["text", { items: "text" }];
export const RULE: Shape = [
  "text",
  {
    members: {
      name: TEXTS,
      server: TEXTS,
      kind: TEXTS,
      annotations: { values: "boolean" },
      users: TEXTS,
      clients: TEXTS,
      scopes: TEXTS,
      groups: TEXTS,
    },
  },
];
export const RULES: { readonly allow: Shape; readonly deny: Shape } = { allow: { items: RULE }, deny: { items: RULE } };

const KINDS: ReadonlySet<string> = new Set(["tool", "prompt", "resource", "template"]);
/** What annotations are if a tool does not declare them (MCP 2026-07-28, Schema, ToolAnnotations). */
const DEFAULTS: Readonly<Record<string, boolean>> = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

export function problemsOf({ allow, deny }: Rules): [field: string, message: string][] {
  return [...rulesProblems("allow", allow), ...rulesProblems("deny", deny)];
}

export function rulesProblems(list: string, rules: readonly (string | Rule)[] = []): [field: string, message: string][] {
  return rules.flatMap((rule, at): [string, string][] => {
    if (typeof rule === "string") return [];
    const field = `${list}[${at}]`;
    if (Object.keys(rule).length === 0) return [[field, "is empty, and would fit everything"]];
    const wrong = asList(rule.kind).some((kind) => !KINDS.has(kind));
    return wrong ? [[`${field}.kind`, `must be one of ${[...KINDS].join(", ")}`]] : [];
  });
}

/** The rules about a server that the file does not have, by field: they would do nothing. A name with `*` may be of servers that come later. */
export function unknownServersIn({ allow = [], deny = [] }: Rules, servers: readonly string[]): [field: string, message: string][] {
  return Object.entries({ allow, deny }).flatMap(([list, rules]) =>
    rules.flatMap((rule, at) => {
      const names = typeof rule === "string" ? [] : asList(rule.server);
      const unknown = names.filter((name) => !name.includes("*") && !servers.includes(name));
      return unknown.map((name): [string, string] => [
        `${list}[${at}].server`,
        `names no server of the file: ${JSON.stringify(name)}.${didYouMean(name, servers)}`,
      ]);
    }),
  );
}

/** What `deny` names is denied; with `allow`, so is everything that it does not name. Undefined if there are no rules. */
export function policyOf({ allow, deny = [] }: Rules): Policy | undefined {
  if (allow === undefined && deny.length === 0) return undefined;
  const denied = [...deny.filter(isAboutServers), ...deny.filter((rule) => !isAboutServers(rule))];
  return (facts) =>
    !denied.some((rule) => isAbout(rule, facts, pathOf)) && (allow === undefined || allow.some((rule) => isAbout(rule, facts)));
}

/** A URI without its query, for denials: a server may leave out parameters that it does not know. */
export function pathOf(uri: string): string {
  return uri.replace(/\?.*$/s, "");
}

/** Whether a rule is about all of its servers, and so can be asked before they are: it is asked first. */
function isAboutServers(rule: string | Rule): boolean {
  return typeof rule !== "string" && (rule.name ?? rule.kind ?? rule.annotations) === undefined;
}

/**
 * Whether all members of a rule fit. What only the server knows is looked at last, and only if the rule has it.
 * @param alsoOf another form of a URI that a name may fit
 */
export function isAbout(rule: string | Rule, facts: PolicyFacts, alsoOf?: (uri: string) => string): boolean {
  if (typeof rule === "string") return isNamed(rule, facts, { alsoOf });
  const [, user, client] = callerOf(facts.principal);
  return (
    isOne(rule.server, facts.server) &&
    isOne(rule.users, user) &&
    isOne(rule.clients, client) &&
    (rule.groups === undefined || asList(facts.claims["groups"] as Groups).some((group) => isOne(rule.groups, group))) &&
    asList(rule.scopes).every((scope) => facts.scopes.includes(scope)) &&
    (rule.kind === undefined || isOne(rule.kind, facts.kind)) &&
    (rule.name === undefined || isNamed(rule.name, facts, { alsoOf })) &&
    Object.entries(rule.annotations ?? {}).every(([name, value]) => annotationOf(facts, name) === value)
  );
}

type Groups = string | readonly string[] | undefined;

type NamedFacts = Pick<PolicyFacts, "name" | "kind" | "version">;
type TypedFacts = NamedFacts & Pick<PolicyFacts, "server">;

interface Comparison {
  /** What stands before each name: the server, for patterns of the command line. */
  readonly start?: string;
  /** Another form of a URI that may fit. */
  readonly alsoOf?: ((uri: string) => string) | undefined;
}

/**
 * Whether one of the patterns fits the name, or the name with the version that it means now. The version is looked at only if a pattern may
 * name one. URIs are compared in their normal form as well, so that no spelling gets past a rule.
 */
export function isNamed(patterns: string | readonly string[], facts: NamedFacts, { start = "", alsoOf }: Comparison = {}): boolean {
  if (facts.kind === "resource" || facts.kind === "template") return isNamedUri(asList(patterns), facts.name, { start, alsoOf });
  const name = start + facts.name;
  if (isOne(patterns, name)) return true;
  const mayNameVersion = asList(patterns).some((pattern) => pattern.includes("*") || pattern.startsWith(keyOf(name, "")));
  return mayNameVersion && facts.version !== undefined && isOne(patterns, keyOf(name, facts.version));
}

/** With `alsoOf`, for denials, one form that fits is enough; else all forms must. */
function isNamedUri(patterns: readonly string[], name: string, { start = "", alsoOf }: Comparison): boolean {
  const own = patterns.map((pattern) => (pattern.startsWith(start) ? pattern.slice(start.length) : pattern));
  // A pattern that does not begin with the server, such as `*keys`, is about the server's name and the URI.
  const fits = (changed: readonly string[], uri: string): boolean =>
    changed.some((pattern, at) => fitsPattern(patterns[at]!.startsWith(start) ? start + pattern : pattern, start + uri));
  const uris = [name, ...(alsoOf === undefined ? [] : [alsoOf(name)])];
  const isPlainlyNamed = isOne(patterns, start + name) || uris.some((uri) => fits(own.map(normalUri), normalUri(uri)));
  if (alsoOf === undefined) return isPlainlyNamed && [...otherForms(own, name)].every(([changed, uri]) => fits(changed, uri));
  return isPlainlyNamed || uris.some((uri) => [...otherForms(own, uri)].some(([changed, other]) => fits(changed, other)));
}

interface TypedComparison {
  /** The prefix of a server's names. Default: the one that belongs to its name. */
  readonly prefixIn?: (server: string) => string;
  readonly alsoOf?: (uri: string) => string;
}

/**
 * Whether one of the patterns of the command line fits: `server__tool` with the name of the server in the file, or the name as callers see it,
 * whose prefix may be another one, and which may be cut. What fits a whole server is found without its names.
 */
export function isTyped(patterns: readonly string[], facts: TypedFacts, { prefixIn = prefixOf, alsoOf }: TypedComparison = {}): boolean {
  const prefix = prefixIn(facts.server);
  const starts = new Set([`${facts.server}__`, prefix === "" ? "" : `${prefix}__`]);
  return [...starts].some((start) => isTypedAs(patterns, facts, { start, prefix, alsoOf }));
}

function isTypedAs(
  patterns: readonly string[],
  facts: TypedFacts,
  { start, prefix, alsoOf }: Required<Pick<Comparison, "start">> & Pick<Comparison, "alsoOf"> & { readonly prefix: string },
): boolean {
  if (patterns.some((pattern) => pattern.endsWith("*") && fitsPattern(pattern, start))) return true;
  const mayFit = ([head = ""]: readonly string[]): boolean => head.startsWith(start) || start.startsWith(head);
  if (!patterns.some((pattern) => mayFit(pattern.split("*")))) return false;
  if (isNamed(patterns, facts, { start, alsoOf })) return true;
  return (facts.kind === "tool" || facts.kind === "prompt") && isOne(patterns, nameIn(prefix, facts.name));
}

/** Whether one of the patterns fits; true without patterns. */
function isOne(patterns: string | readonly string[] | undefined, text: string | undefined): boolean {
  return patterns === undefined || (text !== undefined && asList(patterns).some((pattern) => fitsPattern(pattern, text)));
}

export function asList(texts: string | readonly string[] | undefined): readonly string[] {
  return texts === undefined ? [] : typeof texts === "string" ? [texts] : texts;
}

/** Whether a text is like a pattern, in which `*` is any text. Linear, because names come from servers. */
export function fitsPattern(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}

function annotationOf({ kind, annotations }: PolicyFacts, name: string): boolean | undefined {
  if (kind !== "tool") return undefined;
  if (name === "destructiveHint" && annotations["readOnlyHint"] === true) return false;
  const declared = annotations[name];
  return typeof declared === "boolean" ? declared : DEFAULTS[name];
}

/** Issuer, subject and client of a principal, as `principalOf` joins them; and the bundle whose URL was called. */
export function callerOf(principal: string | undefined): [issuer?: string, subject?: string, client?: string, bundle?: string] {
  if (principal === undefined) return [];
  const parts = jsonIn(principal);
  return Array.isArray(parts) ? (parts.map((part) => (typeof part === "string" ? part : undefined)) as []) : []; // one of another form has no parts
}
