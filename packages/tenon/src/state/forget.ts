/** `forget()`: removes what is kept of a user between calls. */
import { assertKnown } from "../base/known-options.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { KeyedStore } from "../storage/keyed-store.ts";
import { keptList, removeEntry, removeParts } from "./kept-results.ts";
import { userOf, type UserName } from "./owner.ts";
import { Shelf } from "./shelf.ts";
import { storesInUse } from "./stores.ts";

/** Options of {@link forget}. */
export interface ForgetOptions {
  /** The store to remove it from. Default: every store that this process has kept something in by default. */
  readonly store?: KeyedStore;
}

/**
 * Removes all that is kept of a user: the values of every `state()`, per user, client and session, the results of tools with the option `once`,
 * results that were too long, and secrets. A call that runs meanwhile may keep something
 * new.
 * @param user the principal (`ctx.principal`) with any of the user's programs, or the issuer and the subject of the user's tokens
 * @throws what the store throws; TypeError if an option has a wrong name
 */
export async function forget(user: UserName, options: ForgetOptions = {}): Promise<void> {
  assertKnown("forget()", options, { store: 1 });
  const name = userOf(user);
  await Promise.all(storesInUse(options.store).map((store) => forgetIn(store, name)));
}

async function forgetIn(store: KeyedStore, user: string): Promise<void> {
  const keys = new Shelf(store, user, ONCE);
  for (const key of await keys.names()) await removeEntry(store, key);
  const spilled = spillShelf(store, user);
  for (const result of keptList((await spilled.read("kept"))?.text)) await removeParts(store, result);
  const shelves = [new Shelf(store, user), keys, spilled, askedShelf(store, user, "secret"), askedShelf(store, user, "confirm")];
  await Promise.all(shelves.map((shelf) => shelf.clear()));
}

const ONCE = "once of";
const SPILLED = "spill of";

/** @internal The results that are kept of a caller, because they were too long for a model. */
export function spillShelf(store: KeyedStore, share: string): Shelf {
  return new Shelf(store, share, SPILLED);
}

/** @internal What a user is asked, or has answered, on pages: secrets, or what is to be confirmed. */
export function askedShelf(store: KeyedStore, user: string, kind: "secret" | "confirm"): Shelf {
  return new Shelf(store, user, kind === "secret" ? "secrets of" : "asked of");
}

/** @internal The keys of calls whose results are kept of the user of a request; without a login of its address. */
export function onceShelf(store: KeyedStore, { principal, share }: RequestContext): Shelf {
  return new Shelf(store, principal === undefined ? (share ?? "local") : userOf(principal), ONCE);
}
