/**
 * The pages of lists that callers see, kept by what they see: callers with the same rights share the bytes.
 *
 * The key of a page is one bit for each entry of the list. So a page can never be given to a caller who sees something else, whatever the
 * rules depend on.
 */
import type { ListPage } from "../../session/list-page.ts";

/** Different sets of visible entries whose pages are kept. */
const MAX_SIGNATURES = 64;
/** Items of all kept pages. */
const MAX_ITEMS = 50_000;

/** One character for every 15 entries: whether each is visible. */
export function signatureOf(visible: readonly boolean[]): string {
  let signature = "";
  for (let start = 0; start < visible.length; start += 15) {
    let bits = 1;
    for (let at = start; at < start + 15; at++) bits = bits * 2 + (visible[at] ? 1 : 0);
    signature += String.fromCharCode(bits);
  }
  return signature;
}

interface CachedPages {
  readonly pages: Map<unknown, ListPage>;
  items: number;
}

export class VisiblePages {
  /** The least recently used first. */
  readonly #kept = new Map<string, CachedPages>();
  #items = 0;

  /** The page of a signature at a cursor. */
  get(signature: string, cursor: unknown, items: number, make: () => ListPage): ListPage {
    const view = this.#kept.get(signature) ?? { pages: new Map<unknown, ListPage>(), items: 0 };
    this.#kept.delete(signature);
    this.#kept.set(signature, view);
    const known = view.pages.get(cursor);
    if (known !== undefined) return known;
    const page = make();
    view.pages.set(cursor, page);
    view.items += items + 1; // an empty page counts too
    this.#items += items + 1;
    while (this.#kept.size > MAX_SIGNATURES || this.#items > MAX_ITEMS) this.#evict();
    return page;
  }

  #evict(): void {
    const [oldest] = this.#kept;
    this.#kept.delete(oldest![0]);
    this.#items -= oldest![1].items;
  }
}
