/** Reads a paginated list page by page or item by item. Requests the next page only when it is needed. */
import { LimitExceededError, ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import type { Cursor, PaginatedResult } from "../../protocol/base.ts";

/** Most pages of one list. It stops lists that never end. */
const MAX_PAGES = 64;
/** Characters of JSON in all pages of one list. */
export const DEFAULT_LIST_SIZE: number = 32 * 1024 * 1024;

type FetchPage<Page> = (cursor: Cursor | undefined) => Promise<Page>;

/**
 * Iterates over the pages of a list. The size of a single page is bounded by the limit for messages.
 * @param fetchPage requests one page, the first one for undefined. An empty string is a valid cursor (MCP 2026-07-28, Pagination)
 * @param maxListSize most characters of JSON of all pages together; beyond it no further page is requested
 * @throws ProtocolViolationError if the server repeats a cursor, or after `MAX_PAGES` pages; LimitExceededError `limits.maxListSize`
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

/** Iterates over the items of a list, on all its {@link pages}. */
export async function* items<Page extends PaginatedResult, Item>(
  fetchPage: FetchPage<Page>,
  itemsOf: (page: Page) => readonly Item[],
  maxListSize?: number,
): AsyncGenerator<Item, void, undefined> {
  for await (const page of pages(fetchPage, maxListSize)) yield* itemsOf(page);
}
