/**
 * One page of a list of definitions, and the cursors that lead to it.
 *
 * A cursor holds the number of the last entry on the page before. It is encoded, because clients must treat it as opaque.
 */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { ListPage } from "../../session/list-page.ts";
import { VERSION_KEY } from "../../protocol/tenon-keys.ts";
import { VERSIONS_KEY } from "./versions.ts";

interface ListedEntry {
  readonly name: string;
  readonly version?: string | undefined;
  /** Grows with each entry. */
  readonly ordinal: number;
  /** `listed` is its item, if it came by a mount. */
  readonly definition: { readonly listed?: JsonObject | undefined };
}

/** An entry that is listed. `versions` are all that a caller may see of its name, if it has any. */
interface Elected<E> {
  readonly entry: E;
  readonly versions?: readonly string[];
}

interface PageOptions<E> {
  /** The number of the last entry before the page; 0 for the first page. */
  readonly after: number;
  /** Most items on the page; `Infinity` for one page. */
  readonly pageSize: number;
  /** The member of the result that holds the items: `"tools"`. */
  readonly member: string;
  readonly describe: (entry: E) => JsonObject;
}

export function pageOf<E extends ListedEntry>(all: readonly Elected<E>[], { after, pageSize, member, describe }: PageOptions<E>): ListPage {
  const rest = all.filter(({ entry }) => entry.ordinal > after);
  const items = rest.slice(0, pageSize);
  const nextCursor = rest.length > items.length && encodeCursor(items.at(-1)!.entry.ordinal);
  return new ListPage({
    [member]: items.map(({ entry, versions }) => withVersions(entry, entry.definition.listed ?? describe(entry), versions)),
    ...(nextCursor && { nextCursor }),
  });
}

function withVersions({ name, version }: ListedEntry, item: JsonObject, versions: readonly string[] | undefined): JsonObject {
  if (versions === undefined) return item;
  const own = item["_meta"] as JsonObject | undefined; // by the type of each item
  return { ...item, name, _meta: { ...own, [VERSION_KEY]: version, [VERSIONS_KEY]: versions } };
}

function encodeCursor(ordinal: number): string {
  return btoa(`after:${ordinal}`);
}

/** The number in a cursor; 0 without one. @throws McpError -32602 if the cursor is invalid, or its number is above `last` */
export function ordinalIn(cursor: unknown, last: number): number {
  const ordinal = cursor === undefined ? 0 : decodeCursor(cursor as string); // checked by the codec
  if (!(ordinal <= last)) throw new McpError(ErrorCode.InvalidParams, "Invalid cursor");
  return ordinal;
}

/** The number in a cursor; NaN if {@link encodeCursor} did not make it. */
function decodeCursor(cursor: string): number {
  try {
    return Number(/^after:(\d{1,15})$/.exec(atob(cursor))?.[1]);
  } catch {
    return Number.NaN;
  }
}
