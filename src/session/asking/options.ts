/** What travels with a client between the rounds of a call: the options, and the store that several processes share. */
import type { MaybePromise } from "../../base/maybe-promise.ts";

/** 32 bytes or more, or as many characters: the same on every node. */
export type SealingKey = string | Uint8Array;

/** Shared by all nodes of a server. Values are sealed: the store learns nothing but their size. */
export interface StateStore {
  /** Keeps `value` for `ms` milliseconds. */
  put(key: string, value: string, ms: number): MaybePromise<void>;
  /** What was kept under `key`; undefined where nothing was, or its time is over. */
  get(key: string): MaybePromise<string | undefined>;
  /** True for the first who claims `key` within `ms` milliseconds, false for everyone after. Must be atomic. */
  claim(key: string, ms: number): MaybePromise<boolean>;
}

/** How the state of a call travels with its client while the client answers (H5, H6): docs/asking.md. */
export interface RequestStateOptions {
  /**
   * The keys that seal what travels with the client between the rounds of a call: the first seals, all open. Without
   * them one is made up at random, and only this process can go on with what it asked. To change a key put the new one
   * second everywhere, then first, and drop the old one after `ttl`.
   */
  keys?: readonly SealingKey[];
  /** Milliseconds a client has to come back with its answers. Default 600 000 (10 minutes). */
  ttl?: number;
  /**
   * States sealed with one key, by this process, after which the operator is told to change it. Default 2^31: random nonces
   * are safe for 2^32 in all, so several processes with one key share that number.
   */
  warnAfterSeals?: number;
  /** Longest state in characters that travels; longer ones go to `store`, at most 1 Mi characters. Default 8 192. */
  maxSize?: number;
  /** Where states that are too large, and marks of those that count once, are kept. Default: this process. */
  store?: StateStore;
  /**
   * Handlers that may wait, suspended, for their client to come back, each for `ttl` and at most a minute. Others run again from the
   * start. Default 100; 0 for none.
   */
  maxSuspended?: number;
}
