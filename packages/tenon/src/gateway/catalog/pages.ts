/** The pages of a list: where each begins and ends, and its cursor. */
import { fromBase64Url, toBase64Url, utf8Length } from "../../base/bytes.ts";
import { ITEMS_OF_A_TURN } from "../../base/turns.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { ListPage } from "../../session/list-page.ts";
import { KIND_ROWS, type Kind } from "../../upstream/listing.ts";

export interface ListedEntry {
  /** Its name or URI as callers see it. */
  readonly name: string;
  /** It as callers see it in a list. */
  readonly item: JsonObject;
}

interface WantedPage {
  readonly cursor: string | undefined;
  /** Most entries of it. */
  readonly size: number;
}

/** The pages of lists that many callers read: each is made and turned into bytes once. */
export class SharedPages {
  readonly #pages = new Map<string, ListPage>();
  /** Where pages begin, after the first. */
  readonly #starts = new Set<string>();

  /** @throws McpError -32602 for a bad cursor */
  of(kind: Kind, entries: readonly ListedEntry[], { cursor, size }: WantedPage): JsonObject {
    const start = startOf(cursor, entries);
    const key = `${kind} ${start}`;
    // A client can name any place. Only the places of its pages are kept.
    if (start > 0 && !this.#starts.has(key)) return pageFrom(kind, entries, { start, size });
    let page = this.#pages.get(key);
    if (page === undefined) {
      const end = endOfPage(entries, start, size);
      this.#starts.add(`${kind} ${end}`);
      this.#pages.set(key, (page = new ListPage(pageOf(kind, entries, start, end))));
    }
    return page;
  }
}

/** One page of entries that one caller may see. @throws McpError -32602 for a bad cursor */
export function pageFor(kind: Kind, entries: readonly ListedEntry[], { cursor, size }: WantedPage): JsonObject {
  return pageFrom(kind, entries, { start: startOf(cursor, entries), size });
}

function pageFrom(kind: Kind, entries: readonly ListedEntry[], { start, size }: { start: number; size: number }): JsonObject {
  return pageOf(kind, entries, start, endOfPage(entries, start, size));
}

function startOf(cursor: string | undefined, entries: readonly ListedEntry[]): number {
  return cursor === undefined ? 0 : placeAfter(cursor, entries);
}

/** Most bytes of the entries of a page, and so of one entry: messages of more are refused by some clients. */
export const MAX_PAGE: number = 1_048_576;

/** Where the page ends that begins at `start`: after `size` entries, or when it is too large for a message. */
function endOfPage(entries: readonly ListedEntry[], start: number, size: number): number {
  const last = Math.min(entries.length, start + size);
  // Most lists are one page: one text shows it.
  if (last - start <= ITEMS_OF_A_TURN && utf8Length(JSON.stringify(entries.slice(start, last).map(({ item }) => item))) <= MAX_PAGE)
    return last;
  let bytes = 0;
  for (let at = start; at < last; at++) {
    bytes += utf8Length(JSON.stringify(entries[at]!.item));
    if (bytes > MAX_PAGE && at > start) return at;
  }
  return last;
}

function pageOf(kind: Kind, entries: readonly ListedEntry[], start: number, end: number): JsonObject {
  const page = entries.slice(start, end);
  const last = page.at(-1);
  const nextCursor =
    end < entries.length && last !== undefined ? toBase64Url(new TextEncoder().encode(JSON.stringify([end, last.name]))) : undefined;
  return { [KIND_ROWS[kind].member]: page.map(({ item }) => item), ...(nextCursor !== undefined && { nextCursor }) };
}

/** The place after the entry that a cursor names; if it is gone meanwhile, the place where it was. @throws McpError -32602 */
function placeAfter(cursor: string, entries: readonly { readonly name: string }[]): number {
  try {
    const [place, name] = JSON.parse(new TextDecoder().decode(fromBase64Url(cursor) ?? new Uint8Array())) as [unknown, unknown];
    if (typeof place !== "number" || !Number.isSafeInteger(place) || place < 0 || typeof name !== "string") throw new Error("Not a cursor");
    const at = entries[place - 1]?.name === name ? place - 1 : entries.findIndex((entry) => entry.name === name);
    return at === -1 ? Math.min(place, entries.length) : at + 1;
  } catch (cause) {
    throw new McpError(ErrorCode.InvalidParams, "Invalid cursor", undefined, { cause });
  }
}
