/** Reads a paginated list page by page or item by item. Requests the next page only when it is needed. */
import { LimitExceededError, ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import type { Cursor, PaginatedResult } from "../../protocol/base.ts";
import type { Reading } from "../../wire/deviations.ts";

/** Most pages of one list. It stops lists that never end. */
const MAX_PAGES = 64;
/** Characters of JSON in all pages of one list. */
export const DEFAULT_LIST_SIZE: number = 32 * 1024 * 1024;

type FetchPage<Page> = (cursor: Cursor | undefined) => Promise<Page>;

/** The list that is read, to report a page that repeats. */
export interface ListSource {
  readonly method: string;
  readonly reading: Reading;
}

/**
 * Iterates over the pages of a list. The size of a single page is bounded by the limit for messages. A server that ignores cursors gives
 * the same page again: the list ends there, and so it does if a cursor comes back.
 * @param fetchPage requests one page, the first one for undefined. An empty string is a valid cursor (MCP 2026-07-28, Pagination)
 * @param maxListSize most characters of JSON of all pages together; beyond it no further page is requested
 * @throws ProtocolViolationError after `MAX_PAGES` pages, and for a list that repeats if the reading is strict; LimitExceededError
 * `limits.maxListSize`
 */
export async function* pages<Page extends PaginatedResult>(
  fetchPage: FetchPage<Page>,
  maxListSize: number = DEFAULT_LIST_SIZE,
  source?: ListSource,
): AsyncGenerator<Page, void, undefined> {
  const cursors = new Set<Cursor>();
  let size = 0;
  let cursor: Cursor | undefined;
  let before: string | undefined;
  do {
    const page = await fetchPage(cursor);
    cursor = page.nextCursor;
    if (cursor === undefined) return yield page;
    const text = JSON.stringify({ ...page, _meta: undefined });
    if (text !== before) yield page;
    if (text === before || cursors.has(cursor)) return repeats(source);
    before = text;
    cursors.add(cursor);
    size += text.length;
    if (size > maxListSize) throw new LimitExceededError("limits.maxListSize", maxListSize, size);
  } while (cursors.size < MAX_PAGES);
  throw new ProtocolViolationError(`The list has more than ${MAX_PAGES} pages`, { limit: "pages", max: MAX_PAGES });
}

function repeats(source: ListSource | undefined): void {
  if (source === undefined) return;
  const { method, reading } = source;
  const message = `The list of "${method}" repeats a page: it ends there`;
  if (reading.strict) throw new ProtocolViolationError(message);
  reading.deviated({ kind: "repeated-page", method, path: "result.nextCursor", message });
}

/** Iterates over the items of a list, on all its {@link pages}. */
export async function* items<Page extends PaginatedResult, Item>(
  fetchPage: FetchPage<Page>,
  itemsOf: (page: Page) => readonly Item[],
  maxListSize?: number,
  source?: ListSource,
): AsyncGenerator<Item, void, undefined> {
  for await (const page of pages(fetchPage, maxListSize, source)) yield* itemsOf(page);
}
