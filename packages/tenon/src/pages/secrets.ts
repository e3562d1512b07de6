/** `secrets`: what an operator, or a user's own settings page, does with the secrets of a user. It never reads one. */
import { assertKnown } from "../base/known-options.ts";
import { askedShelf } from "../state/forget.ts";
import { userOf, type UserName } from "../state/owner.ts";
import type { Shelf } from "../state/shelf.ts";
import { UNLIMITED } from "../state/shelf-items.ts";
import { storesInUse } from "../state/stores.ts";
import type { KeyedStore } from "../storage/keyed-store.ts";

/** Options of the functions of {@link secrets}. */
export interface SecretsOptions {
  /** The store that they are in. Default: every store that this process has kept something of users in. */
  readonly store?: KeyedStore;
}

/** The functions for secrets that users have given by `ctx.secret`. */
export interface Secrets {
  /** The names of the secrets of a user, and of those that a page asks for now, without order. @throws what the store throws */
  names(user: UserName, options?: SecretsOptions): Promise<readonly string[]>;
  /** Removes one secret of a user, on all servers; the next call that needs it asks again. False if there was none. @throws what the store throws */
  revoke(user: UserName, name: string, options?: SecretsOptions): Promise<boolean>;
  /** Removes all secrets of a user. `forget()` of `tenon/state` does it too, with all else that is kept of the user. @throws what the store throws */
  forget(user: UserName, options?: SecretsOptions): Promise<void>;
}

/**
 * The secrets of users. A user is named by the principal (`ctx.principal`) or the issuer and the subject of the tokens, as for `forget()`.
 * @example
 * ```ts
 * import { secrets } from "tenon/pages";
 *
 * const user = { issuer: "https://id.example.com", subject: "ada" };
 * console.log(await secrets.names(user), await secrets.revoke(user, "github")); // [] false
 * ```
 */
export const secrets: Secrets = {
  /** Names the secrets of a user. */
  names,
  /** Removes one secret of a user. */
  revoke,
  /** Removes all secrets of a user. */
  forget,
};

async function names(user: UserName, options?: SecretsOptions): Promise<readonly string[]> {
  const shelves = shelvesOf("secrets.names()", user, options);
  const places = await Promise.all(shelves.map((shelf) => shelf.names()));
  return [...new Set(places.flat().map(nameIn))];
}

async function revoke(user: UserName, name: string, options?: SecretsOptions): Promise<boolean> {
  const shelves = shelvesOf("secrets.revoke()", user, options);
  const removed = await Promise.all(shelves.map((shelf) => removeFrom(shelf, (place) => nameIn(place) === name)));
  return removed.includes(true);
}

async function forget(user: UserName, options?: SecretsOptions): Promise<void> {
  await Promise.all(shelvesOf("secrets.forget()", user, options).map((shelf) => shelf.clear()));
}

function shelvesOf(what: string, user: UserName, options: SecretsOptions = {}): readonly Shelf[] {
  assertKnown(what, options, { store: 1 });
  return storesInUse(options.store).map((store) => askedShelf(store, userOf(user), "secret"));
}

async function removeFrom(shelf: Shelf, isMeant: (place: string) => boolean): Promise<boolean> {
  const places = (await shelf.names()).filter(isMeant);
  for (const place of places) await shelf.change(place, { room: UNLIMITED, signal: new AbortController().signal, make: () => "remove" });
  return places.length > 0;
}

function nameIn(place: string): string {
  return (JSON.parse(place) as readonly [server: string, name: string])[1]; // as placeOfSecret writes it
}
