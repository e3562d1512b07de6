/** What a store keeps of one key: the call that runs, its finished steps, and at last its result. */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { DamagedEntryError, parseStored } from "../storage/damaged-entry.ts";
import type { KeyedEntry } from "../storage/keyed-store.ts";

export interface OnceRecord {
  readonly digest: string;
  /** The id in the keys of its steps: the same for every run, and unknown to clients. */
  readonly call: string;
  /** Finished steps: name, and value if it returned one. */
  readonly steps: readonly (readonly [name: string, value?: unknown])[];
  /** Names this writing of the record, so that a writer can tell whether it succeeded. */
  readonly written: string;
  /** The run that holds it, and until when, on the clock of the store. Absent if there is no run. */
  readonly runner?: { readonly id: string; readonly call: string; readonly until: number };
  /** The result; null if it was too long to keep. Absent until there is one. */
  readonly result?: JsonObject | null;
}

const WHAT = 'The entry "once …" of the keyed store';

/** @throws DamagedEntryError */
export function recordIn(entry: KeyedEntry): OnceRecord {
  const record = parseStored(WHAT, entry.value);
  if (
    !isJsonObject(record) ||
    typeof record["digest"] !== "string" ||
    typeof record["call"] !== "string" ||
    !Array.isArray(record["steps"])
  )
    throw new DamagedEntryError(WHAT, "is no record of a call");
  return record as unknown as OnceRecord; // authentic: who can write to the store can do anything to its calls
}
