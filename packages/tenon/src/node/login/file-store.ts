/**
 * `fileStore()`: stores registrations and tokens in files, one for each record, for all processes of one user.
 *
 * `file-auth-store.ts`, which works on files, is loaded with the first use.
 */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import { assertSecretKey } from "../../base/secret-key.ts";
import type { AuthStore } from "../../auth/login/auth-store.ts";
import type { FileStoreOptions } from "./file-auth-store.ts";

const FILE_STORE_KEYS: OptionKeys<FileStoreOptions> = { directory: 1, key: 1 };

/**
 * Returns a store of registrations and tokens for `oauth()`: one file for each record, which only this user can read. Processes
 * share it. Its methods fail with an `AuthorizationError` if the folder is open to others or a file was sealed with another key.
 * @throws RangeError if the key has less than 32 bytes; TypeError if it is not bytes, if the directory is not a path, or if an option does not exist
 */
export function fileStore(options: FileStoreOptions = {}): AuthStore {
  assertKnown("fileStore()", options, FILE_STORE_KEYS);
  const { directory, key } = options;
  // An empty path would be the folder in which the program was started.
  if (directory !== undefined && (typeof directory !== "string" || directory === "" || directory.includes("\0")))
    throw new TypeError(`fileStore(): option "directory" must be the path of a folder, not ${shown(directory)}`);
  if (key !== undefined) assertSecretKey("key", key);
  // A copy, because callers may wipe their keys.
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

function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : value === null ? "null" : `of type ${typeof value}`;
}
