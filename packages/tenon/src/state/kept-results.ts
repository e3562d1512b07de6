/** The results of tools that were too long and are kept for their callers: how they are noted and removed. `spill/` writes and reads them. */
import type { KeyedStore } from "../storage/keyed-store.ts";

export interface KeptResult {
  /** What the keys of its parts begin with. */
  readonly key: string;
  readonly parts: number;
  /** When it ends, on the clock of the store. */
  readonly until: number;
}

/** The set of all parts of a store. */
export const SPILL_PARTS = "spill";

export function keptList(text: string | undefined): readonly KeptResult[] {
  return text === undefined ? [] : (JSON.parse(text) as readonly KeptResult[]); // only `spill/` writes it
}

/** Removes the parts of a result, and gives their room back. */
export async function removeParts(store: KeyedStore, { key, parts }: Pick<KeptResult, "key" | "parts">): Promise<void> {
  for (let part = 0; part < parts; part++) {
    await removeEntry(store, `${key} ${part}`);
    await store.leave(SPILL_PARTS, `${key} ${part}`);
  }
}

/** Removes an entry, whatever others write meanwhile. */
export async function removeEntry(store: KeyedStore, key: string): Promise<void> {
  for (;;) {
    const entry = await store.read(key);
    if (entry === undefined || (await store.swap(key, entry.version, undefined)) !== undefined) return;
  }
}
