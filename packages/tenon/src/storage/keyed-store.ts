/**
 * The interface of keyed stores: small facts that the nodes of a server share, such as sessions, leases and limits.
 *
 * Each method is one atomic step of the store. Times are durations, and the store's clock decides: clocks of nodes differ. A method that
 * fails with `delivery: "unknown"` may have happened. `swap` must then be followed by `read`; the others can be repeated.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";

/** Names one state of an entry. It never comes back for a key, not even after the entry has expired and was made again. */
export type Version = string;

/** What a key holds now. */
export interface KeyedEntry {
  /** The text that was stored. */
  readonly value: string;
  /** Names this value in `swap` and `renew`. */
  readonly version: Version;
}

/** What `swap` stores. */
export interface KeyedValue {
  /** At most 1 Mi characters. */
  readonly value: string;
  /** Milliseconds after which the entry expires. */
  readonly ms: number;
}

/** How `join` adds a member. */
export interface Joining {
  /** Milliseconds after which the member leaves by itself. */
  readonly ms: number;
  /** The most members that the set may have, this one included. */
  readonly max: number;
}

/** Keys with values, sets and counters, each in a namespace of its own. Keys may be any text; engines see hashes of them. */
export interface KeyedStore {
  /** What `key` holds at this moment, also if it was written by another node. Undefined if there is nothing, or it has expired. */
  read(key: string): MaybePromise<KeyedEntry | undefined>;
  /**
   * Replaces exactly `version` by `next`. `version` undefined: only if there is nothing. `next` undefined: removes the entry.
   * @returns the new version; undefined if the key held another version, and then nothing has changed
   */
  swap(key: string, version: Version | undefined, next: KeyedValue | undefined): MaybePromise<Version | undefined>;
  /** Lets exactly `version` live `ms` milliseconds from now. False if the key holds another. Needs no room, so it works in a full store. */
  renew(key: string, version: Version, ms: number): MaybePromise<boolean>;
  /** Adds `member` to a set, or renews it. False if `max` others are in it, and then nothing has changed. */
  join(set: string, member: string, joining: Joining): MaybePromise<boolean>;
  /** Removes `member` from a set. */
  leave(set: string, member: string): MaybePromise<void>;
  /** The next number of a counter: greater than all before, and at least `least`. Counters do not expire, so their names must be few. */
  next(counter: string, least: number): MaybePromise<number>;
  /**
   * Milliseconds since 1970 on the clock of the store. Nodes then compare times by it, because their own clocks differ. Optional: without it
   * the clocks of all nodes must be right.
   */
  now?(): MaybePromise<number>;
}
