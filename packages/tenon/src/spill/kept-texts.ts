/**
 * The texts of results that were too long, in a keyed store: in parts, each of which expires by itself.
 *
 * Security: the key of a part is a hash of its owner and its id, so no caller can name the result of another. A list of each owner bounds what
 * is kept of it, a set of all parts what is kept in all.
 */
import { randomId } from "../base/bytes.ts";
import { hashed } from "../base/hash.ts";
import { canonicalJson } from "../base/json-values.ts";
import { ErrorCode, LimitExceededError } from "../jsonrpc/mcp-error.ts";
import { spillShelf } from "../state/forget.ts";
import { UNLIMITED } from "../state/shelf-items.ts";
import { keptList, removeParts, SPILL_PARTS, type KeptResult } from "../state/kept-results.ts";
import { clockOf } from "../state/stores.ts";
import { parseStored, DamagedEntryError } from "../storage/damaged-entry.ts";
import type { KeyedStore } from "../storage/keyed-store.ts";
import type { SpillSettings } from "./options.ts";
import type { SpillOwner } from "./owner.ts";

/** Characters of a part: as JSON it has at most six times as many, which every engine takes. */
const PART = 65_536;
const NEVER = new AbortController().signal;

export interface Piece {
  readonly text: string;
  /** Where it begins and ends: never inside a character. */
  readonly from: number;
  readonly to: number;
  /** Characters of the whole text. */
  readonly length: number;
  /** Most characters of one piece. */
  readonly limit: number;
}

/** One part in the store. */
type StoredPart = readonly [length: number, limit: number, text: string];

/** Keeps a text. Returns its id. @throws LimitExceededError if there is no room; what the store throws. Then nothing is kept */
export async function keepText(
  store: KeyedStore,
  { name, share }: SpillOwner,
  text: string,
  { above, ttl, maxKept, maxTotal }: SpillSettings,
): Promise<string> {
  const parts = Math.ceil(text.length / PART);
  if (text.length > maxKept) throw new LimitExceededError("spill.maxKept", maxKept, text.length, ErrorCode.InternalError);
  const id = `${randomId()}${randomId()}`;
  const key = await keyOf(name, id);
  const record = { key, parts };
  await takeRoom(store, record, { ttl, max: Math.max(1, Math.floor(maxTotal / PART)), maxTotal });
  try {
    await note(store, share, { record, ttl, maxKept });
    for (let part = 0; part < parts; part++) {
      const stored: StoredPart = [text.length, above, text.slice(part * PART, (part + 1) * PART)];
      await store.swap(`${key} ${part}`, undefined, { value: JSON.stringify(stored), ms: ttl });
    }
  } catch (error) {
    await removeParts(store, record).catch(() => undefined); // they expire in any case
    throw error;
  }
  return id;
}

/** Takes the room of each part among all parts of the store. @throws LimitExceededError */
async function takeRoom(
  store: KeyedStore,
  { key, parts }: Pick<KeptResult, "key" | "parts">,
  { ttl, max, maxTotal }: { readonly ttl: number; readonly max: number; readonly maxTotal: number },
): Promise<void> {
  for (let part = 0; part < parts; part++) {
    if (await store.join(SPILL_PARTS, `${key} ${part}`, { ms: ttl, max })) continue;
    for (let taken = 0; taken < part; taken++) await store.leave(SPILL_PARTS, `${key} ${taken}`);
    throw new LimitExceededError("spill.maxTotal", maxTotal, undefined, ErrorCode.InternalError);
  }
}

/** Adds a result to the list of its owner. @throws LimitExceededError if it has no room beside the others of its owner */
async function note(
  store: KeyedStore,
  share: string,
  { record, ttl, maxKept }: { readonly record: Pick<KeptResult, "key" | "parts">; readonly ttl: number; readonly maxKept: number },
): Promise<void> {
  await spillShelf(store, share).change("kept", {
    room: UNLIMITED,
    signal: NEVER,
    make: (before) => {
      const now = clockOf(store).now();
      const alive = keptList(before?.text).filter(({ until }) => until > now);
      const taken = alive.reduce((sum, { parts }) => sum + parts, 0);
      if (taken > 0 && (taken + record.parts) * PART > maxKept)
        throw new LimitExceededError("spill.maxKept", maxKept, undefined, ErrorCode.InternalError);
      return { text: JSON.stringify([...alive, { ...record, until: now + ttl }]), ms: ttl };
    },
  });
}

/** A piece of a text, if one of these owners has kept it under that id. Undefined for all that is not there, whatever the reason. */
export async function readPiece(
  store: KeyedStore,
  owners: readonly string[],
  id: string,
  { from, to }: { readonly from: number; readonly to?: number | undefined },
): Promise<Piece | undefined> {
  for (const owner of owners) {
    const key = await keyOf(owner, id);
    const first = await partOf(store, key, 0);
    if (first === undefined) continue;
    const [length, limit] = first;
    const end = Math.min(length, to ?? from + limit, from + limit);
    const [begin, last] = [Math.floor(Math.max(0, from - 1) / PART), Math.floor(Math.max(from, end) / PART)];
    const texts: string[] = [];
    for (let part = begin; part <= last && part * PART < length; part++) {
      const found = part === 0 ? first : await partOf(store, key, part);
      if (found === undefined) return undefined; // it was removed or has expired meanwhile
      texts.push(found[2]);
    }
    return pieceOf(texts.join(""), begin * PART, { from, to: end, length, limit });
  }
  return undefined;
}

export async function readWhole(store: KeyedStore, owners: readonly string[], id: string): Promise<string | undefined> {
  for (const owner of owners) {
    const key = await keyOf(owner, id);
    const first = await partOf(store, key, 0);
    if (first === undefined) continue;
    let text = first[2];
    for (let part = 1; part * PART < first[0]; part++) {
      const found = await partOf(store, key, part);
      if (found === undefined) return undefined;
      text += found[2];
    }
    return text;
  }
  return undefined;
}

/** @param text begins at `start` of the whole */
function pieceOf(text: string, start: number, { from, to, length, limit }: Omit<Piece, "text">): Piece {
  const begin = from - (splits(text, from - start) ? 1 : 0);
  // A piece has at least one character.
  const end = !splits(text, to - start) ? to : to - 1 > begin ? to - 1 : to + 1;
  return { text: text.slice(begin - start, end - start), from: begin, to: end, length, limit };
}

/** Whether a place is inside of a character of two UTF-16 units. */
export function splits(text: string, at: number): boolean {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return before >= 0xd8_00 && before <= 0xdb_ff && after >= 0xdc_00 && after <= 0xdf_ff;
}

async function keyOf(owner: string, id: string): Promise<string> {
  return `spill ${await hashed(canonicalJson([owner, id]))}`;
}

const WHAT = 'The entry "spill …" of the keyed store';

async function partOf(store: KeyedStore, key: string, part: number): Promise<StoredPart | undefined> {
  const entry = await store.read(`${key} ${part}`);
  if (entry === undefined) return undefined;
  const stored = parseStored(WHAT, entry.value);
  if (!Array.isArray(stored) || typeof stored[0] !== "number" || typeof stored[1] !== "number" || typeof stored[2] !== "string")
    throw new DamagedEntryError(WHAT, "is no part of a text");
  return stored as unknown as StoredPart; // checked above
}
