/**
 * The last list of each server, from one start of a gateway to the next: it is served until the server is there.
 *
 * A server is known by its command or its URL, and not by its name, which a configuration may give to another server. Lists that differ by
 * caller are not kept. Rules and pins apply to a kept list as to any other.
 */
import { hashed } from "../../base/hash.ts";
import { canonicalJson } from "../../base/json-values.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { isServable } from "../../dispatch/acceptor.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { ServerEntry } from "../../upstream/entry.ts";
import { KIND_ROWS, KINDS, type Lists } from "../../upstream/listing.ts";
import { listingOf, type Listing } from "./listing.ts";

/** Keeps lists of servers between two starts of a gateway. `key` is the digest of a command or a URL. */
export interface ListMemory {
  /** The list that was kept last under a key. Returns undefined if there is none. */
  get(key: string): MaybePromise<JsonObject | undefined>;
  /** Keeps a list under a key, soon. Must not throw. */
  set(key: string, lists: JsonObject): void;
}

/** Under which key the lists of a server are kept; undefined if it has neither a command nor a URL. */
export async function memoryKeyOf(entry: ServerEntry): Promise<string | undefined> {
  const place = placeOf(entry);
  return place && hashed(canonicalJson(place));
}

function placeOf(entry: ServerEntry): JsonObject | undefined {
  if (typeof entry === "string" || entry instanceof URL) return { url: String(entry) };
  if (typeof entry !== "object" || isServable(entry)) return undefined;
  const target: unknown = "target" in entry ? entry.target : entry;
  if (typeof target === "string" || target instanceof URL) return { url: String(target) };
  if (typeof target !== "object" || target === null) return undefined;
  const { url, command, args, cwd } = target as { url?: string | URL; command?: string; args?: readonly string[]; cwd?: string };
  if (url !== undefined) return { url: String(url) };
  return command === undefined ? undefined : { command, args, cwd };
}

/** A list as it was kept; undefined if it has another form: files can be edited. */
export async function keptListing(memory: JsonObject | undefined): Promise<Listing | undefined> {
  if (memory === undefined) return undefined;
  const isWhole = KINDS.every((kind) => {
    const entries = memory[kind];
    return Array.isArray(entries) && entries.every((entry) => isJsonObject(entry) && typeof entry[KIND_ROWS[kind].id] === "string");
  });
  return isWhole ? listingOf(memory as unknown as Lists) : undefined; // checked above
}

export function toKept(listing: Listing): JsonObject {
  return Object.fromEntries(KINDS.map((kind) => [kind, listing[kind]]));
}
