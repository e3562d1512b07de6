/**
 * URI templates (RFC 6570): finding out which values a URI was made from. Expanding one is `template-expansion.ts`.
 *
 * Matching is written by hand and linear in the URI; no regular expression is ever built from a template (R9).
 * It is unambiguous by construction. A template may have one variable that spans `/` (`{+path}`, `{#part}`,
 * `{/segments*}`). Variables before it take as little as they can, from the left; variables after it as little as
 * they can, from the right; it takes the rest. Without one, all go from the left and the last takes the rest.
 */
import { compileMatcher, type Matcher } from "./template-matcher.ts";
import { parseTemplate } from "./template-syntax.ts";

/** What a match found, by variable: lists for exploded variables. Query variables that were not there are absent. */
export type TemplateMatch = Record<string, string | string[]>;

/** The variables of a template as an object type: `"users://{id}{?q}"` is `{ id: string; q?: string }`. */
export type TemplateVariables<Template extends string> = string extends Template ? TemplateMatch : Flat<VariablesIn<Template>>;

/** The names of a template's variables. */
export type TemplateVariableNames<Template extends string> = Extract<keyof TemplateVariables<Template>, string>;

type VariablesIn<T extends string> = T extends `${string}{${infer E}}${infer Rest}` ? InExpression<E> & VariablesIn<Rest> : unknown;
type InExpression<E extends string> = E extends `${"?" | "&"}${infer List}`
  ? Partial<InList<List>>
  : E extends `${"+" | "#" | "." | "/" | ";"}${infer List}`
    ? InList<List>
    : InList<E>;
type InList<L extends string> = L extends `${infer First},${infer Rest}` ? InSpec<First> & InList<Rest> : InSpec<L>;
type InSpec<S extends string> = S extends `${infer Name}*`
  ? { [K in Name]: string[] }
  : S extends `${infer Name}:${string}`
    ? { [K in Name]: string }
    : { [K in S]: string };
type Flat<T> = { [K in keyof T]: T[K] };

export class UriTemplate {
  readonly template: string;
  /** The names of the variables, in order. */
  readonly variables: readonly string[];
  /** The text every URI of this template begins with. */
  readonly prefix: string;
  readonly #matcher: Matcher;

  /**
   * @throws TypeError when it is no template, or one that cannot be matched unambiguously: two variables with nothing
   * between them, two that span `/`, a name used twice, or something after a query
   */
  constructor(template: string) {
    this.template = template;
    const parts = parseTemplate(template);
    this.variables = parts.flatMap((part) => (typeof part === "string" ? [] : part.variables.map(({ name }) => name)));
    const [first] = parts;
    this.prefix = typeof first === "string" ? first : "";
    this.#matcher = compileMatcher(template, parts);
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

interface Entry<T> {
  readonly order: number;
  readonly template: UriTemplate;
  readonly value: T;
}

/** Many templates, found by the literal text they begin with: what a URI cannot match costs nothing. */
export class TemplateIndex<T> {
  readonly #entries = new Map<T, Entry<T>>();
  readonly #byPrefix = new Map<string, Entry<T>[]>();
  /** How many prefixes there are of each length. */
  readonly #lengths = new Map<number, number>();
  #order = 0;

  /** @throws TypeError when `value` is in the index already */
  add(template: UriTemplate, value: T): void {
    if (this.#entries.has(value)) throw new TypeError(`URI template ${template.template} is registered already`);
    const entry: Entry<T> = { order: this.#order++, template, value };
    this.#entries.set(value, entry);
    const { prefix } = template;
    const others = this.#byPrefix.get(prefix);
    if (others !== undefined) {
      others.push(entry);
      return;
    }
    this.#byPrefix.set(prefix, [entry]);
    this.#lengths.set(prefix.length, (this.#lengths.get(prefix.length) ?? 0) + 1);
  }

  /** Whether it was there. */
  remove(value: T): boolean {
    const entry = this.#entries.get(value);
    if (entry === undefined) return false;
    this.#entries.delete(value);
    const { prefix } = entry.template;
    const rest = (this.#byPrefix.get(prefix) ?? []).filter((other) => other !== entry);
    if (rest.length > 0) {
      this.#byPrefix.set(prefix, rest);
      return true;
    }
    this.#byPrefix.delete(prefix);
    const left = (this.#lengths.get(prefix.length) ?? 1) - 1;
    if (left === 0) this.#lengths.delete(prefix.length);
    else this.#lengths.set(prefix.length, left);
    return true;
  }

  /** The first template, in the order of registration, that matches and whose value is accepted. */
  match(uri: string, accept: (value: T) => boolean = () => true): { value: T; variables: TemplateMatch } | undefined {
    const candidates: Entry<T>[] = [];
    for (const length of this.#lengths.keys()) {
      if (length <= uri.length) candidates.push(...(this.#byPrefix.get(uri.slice(0, length)) ?? []));
    }
    candidates.sort((a, b) => a.order - b.order);
    for (const { template, value } of candidates) {
      const variables = accept(value) ? template.match(uri) : undefined;
      if (variables !== undefined) return { value, variables };
    }
    return undefined;
  }
}
