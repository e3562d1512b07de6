/** What travels with a client between the rounds of a call: the options, and the store that several processes share. */
import type { OptionKeys } from "../../base/known-options.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";

/** 32 bytes or more, or as many characters: the same on every node. */
export type SealingKey = string | Uint8Array;

/**
 * Where the nodes of a server keep what does not travel with clients. Values are sealed: the store learns nothing but their size.
 *
 * Both kinds of entries must stay for the milliseconds that are asked for. Security: a store that evicts live entries when its memory is
 * full (Redis with an `allkeys-*` or `volatile-*` policy) forgets claims, and a client that fills it can make a step run twice. Let such a
 * store refuse what is new (Redis: `maxmemory-policy noeviction`): what it throws fails the one call, and nothing has run.
 */
export interface StateStore {
  /**
   * Keeps `value` for `ms` milliseconds. `owner` is the principal of the call, or else the address of its client, "" if there is neither: a
   * store with little room gives each owner a share of it.
   */
  put(key: string, value: string, ms: number, owner?: string): MaybePromise<void>;
  /** The value that is kept under `key`; undefined if there is none, or its time is over. Claims need not be found here. */
  get(key: string): MaybePromise<string | undefined>;
  /**
   * True for the first caller that claims `key` within `ms` milliseconds, false for every later one. Must be atomic over all nodes, and
   * must survive what the store survives: Redis `SET key 1 NX PX ms`, in SQL an insert with a unique key.
   */
  claim(key: string, ms: number, owner?: string): MaybePromise<boolean>;
}

/** How the state of a call travels with its client while the client answers (H5, H6): docs/servers/asking.md. */
export interface RequestStateOptions {
  /**
   * The keys that seal what travels with the client between the rounds of a call: the first seals, all open. Without
   * them one is made up at random, and only this process can go on with what it asked. To change a key put the new one
   * second everywhere, then first, and drop the old one after `ttl`.
   */
  keys?: readonly SealingKey[];
  /**
   * Milliseconds a client has to come back with its answers. Default 600 000 (10 minutes). From the first question after a new step until
   * the next new step all rounds together may take six times that.
   */
  ttl?: number;
  /**
   * States sealed with one key, by this process, after which the operator is told to change it. Default 2^31: random nonces
   * are safe for 2^32 in all, so several processes with one key share that number.
   */
  warnAfterSeals?: number;
  /** Longest state in characters that travels; longer ones go to `store`, at most 1 Mi characters. Default 8 192. */
  maxSize?: number;
  /** Where states that are too large to travel, and claims of those whose steps have run, are kept. Default: this process. */
  store?: StateStore;
  /**
   * Handlers that may wait, suspended, for their client to come back, each for `ttl` and at most a minute. Others run again from the
   * start. Default 100; 0 for none. One principal, or one address without a principal, may have half of them.
   */
  maxSuspended?: number;
}

export const REQUEST_STATE_OPTIONS: OptionKeys<RequestStateOptions> = {
  keys: 1,
  ttl: 1,
  warnAfterSeals: 1,
  maxSize: 1,
  store: 1,
  maxSuspended: 1,
};
