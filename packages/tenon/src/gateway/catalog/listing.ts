/** The lists of one server as the gateway shares them among callers: frozen, and with one text for equal lists. */
import { EMPTY_LISTS, KINDS, type Lists } from "../../upstream/listing.ts";

/** The entries of one server by kind, and one text for equal entries. */
export interface Listing extends Lists {
  readonly key: string;
}

export const EMPTY_LISTING: Listing = Object.freeze({ ...EMPTY_LISTS, key: "" });

export function listingOf(lists: Lists): Listing {
  return Object.freeze({ ...lists, key: JSON.stringify(KINDS.map((kind) => lists[kind])) });
}
