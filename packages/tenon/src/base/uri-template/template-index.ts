/** Many URI templates, found by the literal text they begin with: a template that a URI cannot match costs nothing. */
import type { TemplateMatch, UriTemplate } from "./uri-template.ts";

type Matching = Pick<UriTemplate, "prefix" | "match">;

interface IndexedTemplate<T> {
  readonly order: number;
  readonly template: Matching;
  readonly value: T;
}

export class TemplateIndex<T> {
  readonly #byPrefix = new Map<string, IndexedTemplate<T>[]>();
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

  /** The first template in order that matches. One that names all parameters of the query has priority. */
  match(uri: string): { value: T; variables: TemplateMatch } | undefined {
    const candidates: IndexedTemplate<T>[] = [];
    for (const length of this.#lengths) {
      if (length <= uri.length) candidates.push(...(this.#byPrefix.get(uri.slice(0, length)) ?? []));
    }
    candidates.sort((a, b) => a.order - b.order);
    for (const leavesOut of uri.includes("?") ? [false, true] : [true]) {
      for (const { template, value } of candidates) {
        const variables = template.match(uri, leavesOut);
        if (variables !== undefined) return { value, variables };
      }
    }
    return undefined;
  }
}
