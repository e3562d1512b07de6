/**
 * URI templates (RFC 6570): finds the values that a URI was made from. Expanding one is `template-expansion.ts`.
 *
 * Matching is written by hand and linear in the URI: no regular expression is ever built from a template, which could be slow on
 * purpose. It is unambiguous by construction. A template may have one variable that spans `/` (`{+path}`, `{#part}`,
 * `{/segments*}`). Variables before it take as little as they can, from the left; variables after it as little as they can, from
 * the right; it takes the rest. Without such a variable, all match from the left and the last takes the rest.
 */
import { normalTemplate } from "./normal-uri.ts";
import { compileMatcher, type Matcher } from "./template-matcher.ts";
import { encodeReserved, isOpen, isQuery, parseTemplate, ruleOf, type Expression, type ParsedTemplate } from "./template-syntax.ts";

/** What a match found, by variable: lists for exploded variables. Query variables that the URI omits are absent. */
export type TemplateMatch = Record<string, string | string[]>;

/** The variables of a template as an object type: `"users://{id}{?q}"` is `{ id: string; q?: string }`. */
export type TemplateVariables<Template extends string> = string extends Template ? TemplateMatch : Flat<VariablesIn<Template>>;

/** The names of a template's variables. */
export type TemplateVariableNames<Template extends string> = Extract<keyof TemplateVariables<Template>, string>;

/** The variables of a whole template. */
type VariablesIn<T extends string> = T extends `${string}{${infer E}}${infer Rest}` ? InExpression<E> & VariablesIn<Rest> : unknown;
/** The variables between one pair of braces; in a query all are optional. */
type InExpression<E extends string> = E extends `${"?" | "&"}${infer List}`
  ? Partial<InList<List>>
  : E extends `${"+" | "#" | "." | "/" | ";"}${infer List}`
    ? InList<List>
    : InList<E>;
/** The variables of a list with commas. */
type InList<L extends string> = L extends `${infer First},${infer Rest}` ? InSpec<First> & InList<Rest> : InSpec<L>;
/** One variable: a list if it is exploded (`name*`), else a string. */
type InSpec<S extends string> = S extends `${infer Name}*`
  ? { [K in Name]: string[] }
  : S extends `${infer Name}:${string}`
    ? { [K in Name]: string }
    : { [K in S]: string };
/** One object type instead of an intersection, so that editors show its members. */
type Flat<T> = { [K in keyof T]: T[K] };

export class UriTemplate {
  readonly template: string;
  /** The text that every URI of this template begins with. */
  readonly prefix: string;
  readonly #matcher: Matcher;
  #normal: UriTemplate | undefined;
  /** Whether the template itself has no fragment. */
  readonly #cutsFragments: boolean;

  /** @throws TypeError if the template is invalid, or cannot be matched unambiguously */
  constructor(template: string) {
    const parsed = parseTemplate(template);
    const reason = whyAmbiguous(parsed);
    if (reason !== undefined) throw new TypeError(`URI template ${JSON.stringify(template)} cannot be matched: ${reason}`);
    this.template = template;
    this.prefix = encodeReserved(parsed.literals[0] ?? "");
    this.#matcher = compileMatcher(parsed);
    this.#cutsFragments = ![...parsed.literals, ...parsed.expressions.map(({ operator }) => operator)].some((text) => text.includes("#"));
  }

  get normal(): UriTemplate {
    return (this.#normal ??= new UriTemplate(normalTemplate(this.template)));
  }

  /**
   * The values this URI was made from, percent-decoded once; undefined if it does not match the template. The fragment of the URI does not
   * count, unless the template has one.
   *
   * Security: the values come from the peer. A simple variable never spans a literal `/`, but may contain one that was encoded: use
   * `resolveInside` before you use a value as a path.
   *
   * @param leavesOut whether parameters that the query of the template does not name are left out; else the URI does not match. Default true
   */
  match(uri: string, leavesOut = true): TemplateMatch | undefined {
    return this.#matcher(this.#cutsFragments ? withoutFragment(uri) : uri, leavesOut);
  }
}

/** A URI without its fragment: it names a part of the resource, which the reader finds. */
export function withoutFragment(uri: string): string {
  const at = uri.indexOf("#");
  return at < 0 ? uri : uri.slice(0, at);
}

/** Why a URI of this template cannot be matched without backtracking; undefined if it can. */
function whyAmbiguous({ literals, expressions }: ParsedTemplate): string | undefined {
  const path = expressions.filter((expression) => !isQuery(expression));
  const names = expressions.flatMap(({ variables }) => variables.map(({ name }) => name));
  const touches = (expression: Expression, at: number): boolean =>
    at > 0 && literals[at] === "" && ruleOf(expression.operator).first === "";
  if (expressions.slice(0, -1).some(isQuery) || (expressions.length > path.length && literals.at(-1) !== ""))
    return "a query must be its end";
  if (expressions.some(touches)) return "there is nothing between two variables";
  if (path.some(({ variables }) => variables.slice(0, -1).some(({ explode }) => explode)))
    return "an exploded variable must be the last of its expression";
  if (new Set(names).size < names.length) return "a variable is used twice";
  const open = path.flatMap((expression) => expression.variables.filter((variable) => isOpen(expression, variable)));
  return open.length > 1 ? 'two variables span "/"' : undefined;
}
