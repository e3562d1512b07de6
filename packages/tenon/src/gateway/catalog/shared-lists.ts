/** The joined lists of callers: those with equal lists of servers share them, and so the bytes of their pages. */
import { BoundedMap } from "../../base/bounds/bounded-map.ts";
import { isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import { JoinedLists, type JoinedServer, type OwnEntries } from "./joined-lists.ts";
import type { Listing } from "./listing.ts";

/** Most joined lists that are kept for callers to share. */
const MAX_KEPT = 64;

/** Joins equal lists of servers once. */
export class SharedLists<Server extends JoinedServer> {
  /** Lists that are not ready yet are a promise, which all share. */
  readonly #joined: BoundedMap<string, MaybePromise<JoinedLists<Server>>> = new BoundedMap(MAX_KEPT);
  readonly #ids = new WeakMap<Listing, number>();
  readonly #own: OwnEntries | undefined;
  #next = 0;

  /** @param own what the gateway itself has */
  constructor(own?: OwnEntries) {
    this.#own = own;
  }

  /** Forgets all, because there are other servers. */
  clear(): void {
    this.#joined.clear();
  }

  of(servers: readonly (readonly [Server, Listing])[], all: readonly Server[]): MaybePromise<JoinedLists<Server>> {
    const key = servers.map(([{ name }, listing]) => `${name}=${this.#idOf(listing)}`).join("\n");
    const known = this.#joined.get(key);
    const lists = known ?? JoinedLists.of(servers, all, this.#own);
    this.#joined.set(key, lists); // the most recently used is the newest
    if (known === undefined && isPromise(lists)) void this.#settle(key, lists);
    return lists;
  }

  /** Keeps the lists in the place of their promise, so that the next caller does not wait. */
  async #settle(key: string, making: Promise<JoinedLists<Server>>): Promise<void> {
    const lists = await making.catch(() => undefined);
    if (this.#joined.get(key) !== making) return;
    if (lists === undefined) this.#joined.delete(key);
    else this.#joined.set(key, lists);
  }

  #idOf(listing: Listing): number {
    let id = this.#ids.get(listing);
    if (id === undefined) this.#ids.set(listing, (id = ++this.#next));
    return id;
  }
}
