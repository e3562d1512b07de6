/** Walks through a paginated list, item by item, asking for the next page only when it is needed. */
import { ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import type { Cursor, PaginatedResult } from "../../protocol/base.ts";

/** Most pages of one list; a server that has more is told from one that never ends (C15). */
export const MAX_PAGES = 64;

/**
 * @param fetchPage one page: the first for undefined. An empty string is a cursor like any other (K5.1)
 * @throws ProtocolViolationError for a cursor that comes back, and after `MAX_PAGES` pages
 */
export async function* items<Page extends PaginatedResult, Item>(
  fetchPage: (cursor: Cursor | undefined) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
): AsyncGenerator<Item, void, undefined> {
  const seen = new Set<Cursor>();
  let cursor: Cursor | undefined;
  do {
    const page = await fetchPage(cursor);
    yield* itemsOf(page);
    cursor = page.nextCursor;
    if (cursor === undefined) return;
    if (seen.has(cursor)) throw new ProtocolViolationError("The list repeats a cursor: it has no end");
    seen.add(cursor);
  } while (seen.size < MAX_PAGES);
  throw new ProtocolViolationError(`The list has more than ${MAX_PAGES} pages`, { limit: "pages", max: MAX_PAGES });
}
