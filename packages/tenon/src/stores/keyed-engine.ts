/**
 * What a store of keys and values must do in an engine, and the hashing of keys above it.
 *
 * States, claims, proofs, logins, locks and keyed stores are all kept this way, so an engine implements these operations once. Keys are hashed here,
 * because some contain what a peer has chosen: an engine sees 45 characters of base64url and a letter for the kind.
 */
import { hashed } from "../base/hash.ts";

/** Keys with values, which the engine deletes at their time. The engine's clock decides, because clocks of processes differ. */
export interface KeyedEngine {
  /** Stores a value for `ms` milliseconds in place of another one; without `ms` until it is removed. */
  put(key: string, value: string, ms: number | undefined): Promise<void>;
  /** The value under a key; undefined if there is none, or its time is over. */
  get(key: string): Promise<string | undefined>;
  /** Deletes the value under a key. */
  remove(key: string): Promise<void>;
  /** Stores `by` for `ms` milliseconds if there is nothing. True if it did, or if the same `by` is there already. Atomic. */
  claim(key: string, by: string, ms: number): Promise<boolean>;
  /** Extends a claim of `by`. False if it is not there any more. Atomic. */
  renew(key: string, by: string, ms: number): Promise<boolean>;
  /** Ends a claim of `by`. */
  release(key: string, by: string): Promise<void>;
  /**
   * Replaces a value that begins with `version`, or with "" nothing at all, by `next`; undefined removes it. A value begins with
   * {@link VERSION_LENGTH} characters of its version. False, and nothing changed, if there is another. Atomic.
   */
  swap(key: string, version: string, next: { readonly value: string; readonly ms: number } | undefined): Promise<boolean>;
  /** Extends the life of a value that begins with `version`. False if there is another. Atomic. */
  renewVersion(key: string, version: string, ms: number): Promise<boolean>;
  /** Adds or renews a member of a set. False, and nothing changed, if `max` others are in it. Atomic. */
  join(set: string, member: string, ms: number, max: number): Promise<boolean>;
  leave(set: string, member: string): Promise<void>;
  /** The next number of a counter, at least `least`. Atomic. */
  next(counter: string, least: number): Promise<number>;
  /** Milliseconds since 1970 on the engine's clock. */
  now(): Promise<number>;
}

/** Characters of a version in front of a value. */
export const VERSION_LENGTH = 22;

/** The kinds of keys: one namespace each. */
export type Kind = "state" | "claim" | "proof" | "login" | "lock" | "keyed" | "set" | "share" | "member" | "counter";

const LETTERS: Record<Kind, string> = {
  state: "s",
  claim: "c",
  proof: "p",
  login: "l",
  lock: "x",
  keyed: "k",
  set: "m",
  share: "h",
  member: "i",
  counter: "n",
};

export async function engineKey(kind: Kind, key: string): Promise<string> {
  return `${LETTERS[kind]}:${await hashed(key)}`;
}
