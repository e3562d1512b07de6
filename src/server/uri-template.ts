/**
 * URI templates (RFC 6570): finding out which values a URI was made from. Expanding one is `template-expansion.ts`.
 *
 * Matching is written by hand and linear in the URI; no regular expression is ever built from a template (R9).
 * It is unambiguous by construction. A template may have one variable that spans `/` (`{+path}`, `{#part}`,
 * `{/segments*}`). Variables before it take as little as they can, from the left; variables after it as little as
 * they can, from the right; it takes the rest. Without one, all go from the left and the last takes the rest.
 */
import { assertMatchable } from "./matchable-template.ts";
import { compileMatcher, type Matcher } from "./template-matcher.ts";
import { encodeReserved } from "./template-rules.ts";
import { parseTemplate } from "./template-syntax.ts";

/** What a match found, by variable: lists for exploded variables. Query variables that were not there are absent. */
export type TemplateMatch = Record<string, string | string[]>;

/** The variables of a template as an object type: `"users://{id}{?q}"` is `{ id: string; q?: string }`. */
export type TemplateVariables<Template extends string> = string extends Template ? TemplateMatch : Flat<VariablesIn<Template>>;

/** The names of a template's variables. */
export type TemplateVariableNames<Template extends string> = Extract<keyof TemplateVariables<Template>, string>;

/** The variables of a whole template. */
type VariablesIn<T extends string> = T extends `${string}{${infer E}}${infer Rest}` ? InExpression<E> & VariablesIn<Rest> : unknown;
/** Those between one pair of braces; in a query all are optional. */
type InExpression<E extends string> = E extends `${"?" | "&"}${infer List}`
  ? Partial<InList<List>>
  : E extends `${"+" | "#" | "." | "/" | ";"}${infer List}`
    ? InList<List>
    : InList<E>;
/** Those of a list with commas. */
type InList<L extends string> = L extends `${infer First},${infer Rest}` ? InSpec<First> & InList<Rest> : InSpec<L>;
/** One variable: a list where it is exploded (`name*`), else a string. */
type InSpec<S extends string> = S extends `${infer Name}*`
  ? { [K in Name]: string[] }
  : S extends `${infer Name}:${string}`
    ? { [K in Name]: string }
    : { [K in S]: string };
/** One object type instead of an intersection, so that editors show what is meant. */
type Flat<T> = { [K in keyof T]: T[K] };

export class UriTemplate {
  readonly template: string;
  /** The text every URI of this template begins with. */
  readonly prefix: string;
  readonly #matcher: Matcher;

  /** @throws TypeError when it is no template, or one that cannot be matched unambiguously (`assertMatchable`) */
  constructor(template: string) {
    assertMatchable(template);
    const parsed = parseTemplate(template);
    this.template = template;
    this.prefix = encodeReserved(parsed.literals[0] ?? "");
    this.#matcher = compileMatcher(parsed);
  }

  /**
   * The values this URI was made from, percent-decoded once; undefined when it is not of this template.
   *
   * Values are the peer's. A simple variable never spans a literal `/`, but may contain one that was encoded: what is
   * used as a path goes through `resolveInside`.
   */
  match(uri: string): TemplateMatch | undefined {
    return this.#matcher(uri);
  }
}

type Matching = Pick<UriTemplate, "prefix" | "match">;

interface Entry<T> {
  readonly order: number;
  readonly template: Matching;
  readonly value: T;
}

/** Many templates, found by the literal text they begin with: what a URI cannot match costs nothing. */
export class TemplateIndex<T> {
  readonly #byPrefix = new Map<string, Entry<T>[]>();
  /** The lengths of the prefixes. */
  readonly #lengths = new Set<number>();

  constructor(templates: readonly (readonly [Matching, T])[]) {
    for (const [order, [template, value]] of templates.entries()) {
      const { prefix } = template;
      const entry = { order, template, value };
      const others = this.#byPrefix.get(prefix);
      if (others === undefined) this.#byPrefix.set(prefix, [entry]);
      else others.push(entry);
      this.#lengths.add(prefix.length);
    }
  }

  /** The first template in order that matches. */
  match(uri: string): { value: T; variables: TemplateMatch } | undefined {
    const candidates: Entry<T>[] = [];
    for (const length of this.#lengths) {
      if (length <= uri.length) candidates.push(...(this.#byPrefix.get(uri.slice(0, length)) ?? []));
    }
    candidates.sort((a, b) => a.order - b.order);
    for (const { template, value } of candidates) {
      const variables = template.match(uri);
      if (variables !== undefined) return { value, variables };
    }
    return undefined;
  }
}
