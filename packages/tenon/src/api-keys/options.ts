/** The options of `apiKeys()`, and their checked form. */
import { assertKnown, type OptionKeys } from "../base/known-options.ts";
import { assertScopes } from "../auth/scope.ts";
import type { KeyedStore } from "../storage/keyed-store.ts";

/** Options of {@link apiKeys}. All times are in milliseconds. */
export interface ApiKeysOptions {
  /** Where the hashes of keys are: `memoryStores().keyed`, or `keyed` of another engine, such as `redisStores().keyed`. */
  readonly store: KeyedStore;
  /**
   * What keys begin with, so that people and scanners of secrets know them: 2 to 20 lower-case letters and digits. Keys of another prefix are
   * others, also in the same store. Default `mcp`.
   */
  readonly prefix?: string;
  /** Scopes that every request needs. Default: none. Tools, prompts and resources may require more by their option `scopes`. */
  readonly scopes?: readonly string[];
  /** Most keys at a time. Default 10 000. A new one is refused then. */
  readonly maxKeys?: number;
  /** Milliseconds for which an accepted key is not looked up again. Security: a key that another process revokes stays accepted for as long. Default 10 000. */
  readonly cacheTtl?: number;
}

export interface KeySettings extends Required<ApiKeysOptions> {
  /** `ctx.auth.issuer` of those who come with a key. */
  readonly issuer: string;
}

const KEYS: OptionKeys<ApiKeysOptions> = { store: 1, prefix: 1, scopes: 1, maxKeys: 1, cacheTtl: 1 };
/** The index of all keys is one value of the store. */
const MOST_KEYS = 50_000;

export function checkOptions(options: ApiKeysOptions): KeySettings {
  assertKnown("apiKeys()", options, KEYS);
  const { store, prefix = "mcp", scopes = [], maxKeys = 10_000, cacheTtl = 10_000 } = options;
  if (typeof store?.swap !== "function") throw new TypeError('apiKeys() needs option "store": a keyed store, such as memoryStores().keyed');
  if (!/^[a-z][a-z0-9]{1,19}$/.test(prefix))
    throw new TypeError(`Option "prefix" must be 2 to 20 lower-case letters and digits, not ${JSON.stringify(prefix)}`);
  assertScopes("scopes", scopes);
  if (!(Number.isSafeInteger(maxKeys) && maxKeys >= 1 && maxKeys <= MOST_KEYS))
    throw new RangeError(`Option "maxKeys" must be a whole number from 1 to ${MOST_KEYS}, not ${maxKeys}`);
  if (!(cacheTtl >= 0)) throw new RangeError(`Option "cacheTtl" must be milliseconds from 0 on, not ${cacheTtl}`);
  return { store, prefix, scopes, maxKeys, cacheTtl, issuer: `urn:tenon:keys:${prefix}` };
}
