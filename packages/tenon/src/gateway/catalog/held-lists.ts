/**
 * The lists that all gateways of this process hold together: equal ones have their entries once, and all of them have one budget.
 *
 * Lists are known by their digest. A gateway is not kept alive by being known here.
 */
import type { Listing } from "./listing.ts";

/** A gateway that holds lists. */
interface Source {
  listings(): Iterable<Listing>;
}

const sources = new Set<WeakRef<Source>>();

/** Counts the lists of a gateway, for as long as that object exists. */
export function countLists(source: Source): void {
  sources.add(new WeakRef(source));
}

/** The lists of all gateways by digest, each once. */
function heldLists(): ReadonlyMap<string, Listing> {
  const lists = new Map<string, Listing>();
  for (const reference of sources) {
    const source = reference.deref();
    if (source === undefined) sources.delete(reference);
    else for (const listing of source.listings()) lists.set(listing.key, listing);
  }
  return lists;
}

/** Characters of all lists of this process if it gets that one too. */
export function sizeWith({ key, size }: Listing): number {
  const held = heldLists();
  let sum = held.has(key) ? 0 : size;
  for (const listing of held.values()) sum += listing.size;
  return sum;
}

/** A list of its own with the entries of an equal one, if a server of any gateway has it. */
export function withSharedEntries(listing: Listing): Listing {
  const equal = heldLists().get(listing.key);
  return equal === undefined ? listing : Object.freeze({ ...equal });
}
