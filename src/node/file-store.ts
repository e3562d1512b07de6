/**
 * Keeps registrations and tokens in files, one for each record, for every process of one user: `fileStore()`.
 *
 * What works on files (`file-auth-store.ts`) is loaded when the store is used: most programs that import Tenon keep none.
 */
import type { AuthStore } from "../auth/auth-store.ts";
import type { FileStoreOptions } from "./file-auth-store.ts";

const MIN_KEY_BYTES = 32;

/** @throws RangeError for a key that is too short */
export function fileStore(options: FileStoreOptions = {}): AuthStore {
  const { key } = options;
  if (key !== undefined && key.byteLength < MIN_KEY_BYTES)
    throw new RangeError(`Option "key" must be ${MIN_KEY_BYTES} random bytes, not ${key.byteLength}`);
  // A copy, for callers wipe their keys.
  const own = key === undefined ? options : { ...options, key: key.slice() };
  let opened: Promise<AuthStore> | undefined;
  const store = (): Promise<AuthStore> => (opened ??= import("./file-auth-store.ts").then(({ FileStore }) => new FileStore(own)));
  return {
    get: async (name) => (await store()).get(name),
    set: async (name, record, expiresAt) => (await store()).set(name, record, expiresAt),
    delete: async (name) => (await store()).delete(name),
    lock: async (name, work, signal) => (await store()).lock(name, work, signal),
  };
}
