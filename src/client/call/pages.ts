/** Walks through a paginated list, page by page or item by item, asking for the next page only when it is needed. */
import { LimitExceededError, ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import type { Cursor, PaginatedResult } from "../../protocol/base.ts";

/** Most pages of one list; a server that has more is told from one that never ends (C15). */
const MAX_PAGES = 64;
/** Characters of JSON in all pages of one list. */
export const DEFAULT_LIST_SIZE: number = 32 * 1024 * 1024;

type FetchPage<Page> = (cursor: Cursor | undefined) => Promise<Page>;

/**
 * The pages of a list. One page alone is not measured: the size of a message bounds it.
 * @param fetchPage one page: the first for undefined. An empty string is a cursor like any other (K5.1)
 * @param maxListSize characters of JSON that pages may have together before the next one is asked for
 * @throws ProtocolViolationError for a cursor that comes back, and after `MAX_PAGES` pages; LimitExceededError `limits.maxListSize`
 */
export async function* pages<Page extends PaginatedResult>(
  fetchPage: FetchPage<Page>,
  maxListSize: number = DEFAULT_LIST_SIZE,
): AsyncGenerator<Page, void, undefined> {
  const seen = new Set<Cursor>();
  let size = 0;
  let cursor: Cursor | undefined;
  do {
    const page = await fetchPage(cursor);
    yield page;
    cursor = page.nextCursor;
    if (cursor === undefined) return;
    if (seen.has(cursor)) throw new ProtocolViolationError("The list repeats a cursor: it has no end");
    seen.add(cursor);
    size += JSON.stringify(page).length;
    if (size > maxListSize) throw new LimitExceededError("limits.maxListSize", maxListSize, size);
  } while (seen.size < MAX_PAGES);
  throw new ProtocolViolationError(`The list has more than ${MAX_PAGES} pages`, { limit: "pages", max: MAX_PAGES });
}

/** The items of a list: those of its {@link pages}. */
export async function* items<Page extends PaginatedResult, Item>(
  fetchPage: FetchPage<Page>,
  itemsOf: (page: Page) => readonly Item[],
  maxListSize?: number,
): AsyncGenerator<Item, void, undefined> {
  for await (const page of pages(fetchPage, maxListSize)) yield* itemsOf(page);
}
