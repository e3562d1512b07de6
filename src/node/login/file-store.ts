/**
 * Keeps registrations and tokens in files, one for each record, for every process of one user: `fileStore()`.
 *
 * What works on files (`file-auth-store.ts`) is loaded when the store is used: most programs that import Tenon keep none.
 */
import type { AuthStore } from "../../auth/login/auth-store.ts";
import type { FileStoreOptions } from "./file-auth-store.ts";

const MIN_KEY_BYTES = 32;

/**
 * A store of registrations and tokens for `oauth()`: one file for each, which only this user can read. Processes share it. What it is
 * asked fails with an `AuthorizationError` where the folder is open to others or a file was sealed with another key.
 * @throws RangeError for a key of less than 32 bytes
 */
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
