/** The values of one user as an entry of a store: a list, so that no name is special. Those whose time is over are left out. */
import { ErrorCode, LimitExceededError } from "../jsonrpc/mcp-error.ts";
import { DamagedEntryError, parseStored } from "../storage/damaged-entry.ts";
import type { KeyedEntry } from "../storage/keyed-store.ts";

/** A value: its name, its version, when it ends on the clock of the store, and itself. */
export type Item = readonly [name: string, version: string, until: number, value: unknown];

const WHAT = 'The entry "state …" of a user in the keyed store';

/** @throws DamagedEntryError if `textOf` did not write it */
export function itemsIn(entry: KeyedEntry | undefined, now: number): readonly Item[] {
  if (entry === undefined) return [];
  const items = parseStored(WHAT, entry.value);
  if (!Array.isArray(items) || !items.every(isItem)) throw new DamagedEntryError(WHAT, "is no list of values");
  return items.filter(([, , until]) => until > now);
}

export function textOf(items: readonly Item[]): string {
  return JSON.stringify(items);
}

function isItem(value: unknown): value is Item {
  if (!Array.isArray(value) || value.length !== 4) return false;
  const [name, version, until] = value as unknown[];
  return typeof name === "string" && typeof version === "string" && typeof until === "number";
}

export interface Room {
  readonly maxItems: number;
  readonly maxBytes: number;
  /** The option that sets a limit, and whose option it is: `state("cart").limits.maxBytes`. */
  readonly optionOf: (limit: "maxItems" | "maxBytes") => string;
}

/** Room for everything, for changes that other limits bound. */
export const UNLIMITED: Room = { maxItems: Infinity, maxBytes: Infinity, optionOf: (limit) => limit };

/** What is smaller than before fits in any case, so that a user can always make room. @throws LimitExceededError */
export function assertRoom(items: readonly Item[], before: readonly Item[], { maxItems, maxBytes, optionOf }: Room): void {
  if (items.length > maxItems && items.length > before.length)
    throw new LimitExceededError(optionOf("maxItems"), maxItems, items.length, ErrorCode.InternalError);
  const size = bytesOf(items);
  if (size > maxBytes && size > bytesOf(before))
    throw new LimitExceededError(optionOf("maxBytes"), maxBytes, size, ErrorCode.InternalError);
}

function bytesOf(items: readonly Item[]): number {
  return new TextEncoder().encode(textOf(items)).length;
}
