/**
 * What a store of keys and values must do in an engine, and the hashing of keys above it.
 *
 * States, claims, proofs, logins and locks are all kept this way, so an engine implements six operations once. Keys are hashed here,
 * because some contain what a peer has chosen: an engine sees 45 characters of base64url and a letter for the kind.
 */
import { sha256 } from "../base/hash.ts";
import { toBase64Url } from "../base/bytes.ts";

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
}

/** The kinds of keys: one namespace each. */
export type Kind = "state" | "claim" | "proof" | "login" | "lock";

const LETTERS: Record<Kind, string> = { state: "s", claim: "c", proof: "p", login: "l", lock: "x" };

/** The key as the engine sees it. */
export async function engineKey(kind: Kind, key: string): Promise<string> {
  return `${LETTERS[kind]}:${toBase64Url(await sha256(key))}`;
}
