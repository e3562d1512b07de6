/** The interface of state stores: what a call leaves behind between its rounds, and claims of what may happen only once. */
import type { MaybePromise } from "../base/maybe-promise.ts";

/**
 * Where the nodes of a server keep what does not travel with clients. Values are sealed: the store learns nothing but their size.
 *
 * Both kinds of entries must stay for the requested milliseconds. Security: a store that evicts live entries when its memory is
 * full (Redis with an `allkeys-*` or `volatile-*` policy) loses claims, and a client that fills it can make a step run twice.
 * Configure such a store to refuse new entries (Redis: `maxmemory-policy noeviction`): its error then fails the one call before
 * anything has run.
 */
export interface StateStore {
  /**
   * Keeps `value` for `ms` milliseconds. `owner` is the principal of the call, or else the address of its client, "" if there is neither: a
   * store with little room gives each owner a share of it.
   */
  put(key: string, value: string, ms: number, owner?: string): MaybePromise<void>;
  /** The value of `key`; undefined if there is none, or it has expired. Claims need not be found here. */
  get(key: string): MaybePromise<string | undefined>;
  /**
   * Returns true for the first caller that claims `key` within `ms` milliseconds, false for every later one. Must be atomic over
   * all nodes, and as durable as the store itself: Redis `SET key 1 NX PX ms`, in SQL an insert with a unique key.
   */
  claim(key: string, ms: number, owner?: string): MaybePromise<boolean>;
  /**
   * Milliseconds since 1970 on the clock of the store. Nodes then compare times by it, because their own clocks differ. Optional: without it
   * the clocks of all nodes must be right.
   */
  now?(): MaybePromise<number>;
}
