/** The joined lists of callers: those with equal lists of servers share them, and so the bytes of their pages. */
import { BoundedMap } from "../../base/bounds/bounded-map.ts";
import type { JoinedServer, OwnEntries } from "./joined-entry.ts";
import { JoinedLists } from "./joined-lists.ts";
import type { Listing } from "./listing.ts";

/** Most joined lists that are kept for callers to share. */
const MAX_KEPT = 64;

/** Joins equal lists of servers once. */
export class SharedLists<Server extends JoinedServer> {
  readonly #joined: BoundedMap<string, Promise<JoinedLists<Server>>> = new BoundedMap(MAX_KEPT);
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

  async of(servers: readonly (readonly [Server, Listing])[], all: readonly Server[]): Promise<JoinedLists<Server>> {
    const key = servers.map(([{ name }, listing]) => `${name}=${this.#idOf(listing)}`).join("\n");
    const making = this.#joined.get(key) ?? Promise.resolve(JoinedLists.of(servers, all, this.#own));
    this.#joined.set(key, making); // the most recently used is the newest
    try {
      return await making;
    } catch (error) {
      if (this.#joined.get(key) === making) this.#joined.delete(key);
      throw error;
    }
  }

  #idOf(listing: Listing): number {
    let id = this.#ids.get(listing);
    if (id === undefined) this.#ids.set(listing, (id = ++this.#next));
    return id;
  }
}
