/** Options for the state of a call between its rounds, and the store that several processes share. */
import type { OptionKeys } from "../../base/known-options.ts";
import { withPresets, type NumberTable } from "../../base/number-options.ts";
import type { StateStore } from "../../storage/state-store.ts";

/** 32 bytes or more, or as many characters; the same on every node. */
export type SealingKey = string | Uint8Array;

/** How the state of a call travels with its client while the client answers: docs/servers/asking-state.md. */
export interface RequestStateOptions {
  /**
   * The keys that seal the state of a call: the first seals, all open. Default: one random key, and then only this process can
   * continue its calls. To change a key, add the new one second on every node, then move it to the front, and remove the old one
   * after `ttl`.
   */
  keys?: readonly SealingKey[];
  /**
   * Milliseconds that a client has to return with its answers. Default 600 000 (10 minutes). From the first question after a new
   * step until the next new step, all rounds together may take six times that.
   */
  ttl?: number;
  /** The longest state, in characters, that travels with the client; longer ones go to `store`, at most 1 Mi characters. Default 8 192. */
  maxSize?: number;
  /** Where states that are too large to travel, and claims, are kept. Default: in this process. */
  store?: StateStore;
  /**
   * Handlers that may wait suspended for their client, each for `ttl` and at most a minute. Others run again from the start.
   * Default 100; 0 for none. One principal, or one address without a principal, may have half of them.
   */
  maxSuspended?: number;
}

type StateNumbers = Required<Pick<RequestStateOptions, "ttl" | "maxSize" | "maxSuspended">>;

const NUMBERS: NumberTable<StateNumbers> = { ttl: [600_000, 1], maxSize: [8_192, 1], maxSuspended: [100, 0] };

export const REQUEST_STATE_OPTIONS: OptionKeys<RequestStateOptions> = { keys: 1, store: 1, ...NUMBERS };

export type RequestStateSettings = RequestStateOptions & StateNumbers;

/** @throws RangeError; TypeError if the store is not one */
export function requestStateSettings(options: RequestStateOptions = {}): RequestStateSettings {
  const { keys, store } = options;
  assertSealingKeys(keys);
  if (store !== undefined && typeof store.claim !== "function")
    throw new TypeError('Option "requestState.store" must be a StateStore, such as the "states" of redisStores()');
  return { ...options, ...withPresets(NUMBERS, options, "requestState") };
}

const MIN_KEY_LENGTH = 32;
const MAKE = "To make one: openssl rand -base64 32";

/** @param option its name, for the error @throws RangeError if the keys are no list of keys, or one is too short */
export function assertSealingKeys(keys: readonly SealingKey[] | undefined, option = "requestState.keys"): void {
  if (keys === undefined || (Array.isArray(keys) && keys.length > 0 && keys.every(isSealingKey))) return;
  const missing = Array.isArray(keys) && keys.includes(undefined) ? ": one of them is undefined" : "";
  throw new RangeError(`Option "${option}" must be a list of at least one key, each of ${MIN_KEY_LENGTH} bytes or more${missing}. ${MAKE}`);
}

/** A program without types may pass anything, such as a variable of the environment that is not set. */
function isSealingKey(key: unknown): boolean {
  return (typeof key === "string" || key instanceof Uint8Array) && key.length >= MIN_KEY_LENGTH;
}
