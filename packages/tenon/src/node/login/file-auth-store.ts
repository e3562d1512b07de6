/**
 * The store of `fileStore()`, loaded with its first use: one file for each record.
 *
 * Security: only their owner can read the files. A file is replaced as a whole, and its name is a digest, so that a listing
 * of the folder shows nothing. With a key the records are sealed (AES-256-GCM), each bound to its name.
 */
import { jsonIn } from "../../jsonrpc/parse-json.ts";
import { createHash } from "node:crypto";
import { readdir, readFile, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { type AuthStore, KeyedLock } from "../../auth/login/auth-store.ts";
import { AuthorizationError } from "../../auth/authorization-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { Aead } from "../../session/asking/rounds/aead.ts";
import { deriveAead } from "../aead.ts";
import { lockFile } from "./file-lock.ts";
import { retryWhileBusy } from "../windows.ts";
import { loginDirectory } from "./config-directory.ts";
import { ignoreMissing, makePrivate, replaceFile } from "./private-file.ts";

/** Options of {@link fileStore}. */
export interface FileStoreOptions {
  /**
   * The folder. It is created for its owner only if it does not exist. Default: `tenon/auth` in the user's configuration folder,
   * which `tenon login` uses too: `$XDG_CONFIG_HOME` or `~/.config`, `%APPDATA%`, `~/Library/Application Support`.
   */
  readonly directory?: string;
  /**
   * At least 32 random bytes that seal the files (AES-256-GCM), for example from the system's keychain. Default: none; then only
   * the files' permissions protect them.
   */
  readonly key?: Uint8Array;
}

/** The content of a file. */
interface Envelope {
  readonly expiresAt?: number;
  readonly record?: unknown;
  readonly sealed?: unknown;
}

const SUFFIX = ".json";
/** Names of drafts, which are written before they replace a file. */
const DRAFT = /^[0-9a-f]{64}\.json\..+\.tmp$/;
/** Milliseconds after which a draft is abandoned. */
const DRAFT_AGE = 60_000;
/** Milliseconds between two searches for expired records. */
const SWEEP_INTERVAL = 60 * 60_000;

export class FileStore implements AuthStore {
  readonly #directory: string;
  readonly #aead: MaybePromise<Aead> | undefined;
  readonly #locks = new KeyedLock();
  #ready: Promise<void> | undefined;
  #sweptAt = 0;

  constructor({ directory = loginDirectory(), key }: FileStoreOptions) {
    this.#directory = directory;
    this.#aead = key && deriveAead(key, "auth store");
  }

  async get(key: string): Promise<JsonObject | undefined> {
    const name = nameOf(key);
    const text = await readFile(this.#pathOf(name), "utf8").catch(ignoreMissing);
    if (text === undefined) return undefined;
    const envelope = tryParse(text);
    if (envelope === undefined) throw this.#unusable(name, "is damaged");
    return envelope.expiresAt !== undefined && envelope.expiresAt <= Date.now() ? undefined : this.#open(name, envelope);
  }

  async set(key: string, record: JsonObject, expiresAt?: number): Promise<void> {
    await this.#prepare();
    const name = nameOf(key);
    const text = JSON.stringify(await this.#seal(name, record, expiresAt));
    try {
      await replaceFile(this.#pathOf(name), text);
    } catch (error) {
      ignoreMissing(error);
      await replaceFile(this.#pathOf(name), text); // another process has removed the draft
    }
  }

  /** Removes a record, and drafts of it that a killed process has left, because they hold tokens. */
  async delete(key: string): Promise<void> {
    const own = nameOf(key) + SUFFIX;
    const files = (await readdir(this.#directory).catch(ignoreMissing)) ?? [];
    for (const file of files) if (file === own || (DRAFT.test(file) && file.startsWith(own))) await this.#remove(file);
  }

  lock<T>(key: string, work: (lost: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const path = `${this.#pathOf(nameOf(key))}.lock`;
    const locked = async (): Promise<T> => {
      await this.#prepare();
      const lock = await lockFile(path, signal);
      try {
        return await work(lock.lost);
      } finally {
        await lock.release();
      }
    };
    return this.#locks.run(key, locked, signal);
  }

  // ---- files ----

  #pathOf(name: string): string {
    return join(this.#directory, name + SUFFIX);
  }

  async #prepare(): Promise<void> {
    this.#ready ??= makePrivate(this.#directory);
    await this.#ready;
    if (Date.now() - this.#sweptAt < SWEEP_INTERVAL) return;
    this.#sweptAt = Date.now();
    await this.#sweep();
  }

  async #sweep(): Promise<void> {
    for (const file of await readdir(this.#directory)) {
      const path = join(this.#directory, file);
      if (DRAFT.test(file) ? await isOld(path) : file.endsWith(SUFFIX) && (await hasExpired(path))) await this.#remove(file);
    }
  }

  async #remove(file: string): Promise<void> {
    await retryWhileBusy(() => unlink(join(this.#directory, file))).catch(ignoreMissing);
  }

  // ---- their content ----

  async #seal(name: string, record: JsonObject, expiresAt: number | undefined): Promise<Envelope> {
    const more = expiresAt === undefined ? {} : { expiresAt };
    const aead = await this.#aead;
    return aead === undefined
      ? { ...more, record }
      : { ...more, sealed: await aead.seal(JSON.stringify(record), boundTo(name, expiresAt)) };
  }

  /** @throws AuthorizationError if the file was not sealed with this key; another user may have written it */
  async #open(name: string, { record, sealed, expiresAt }: Envelope): Promise<JsonObject> {
    const aead = await this.#aead;
    if (aead === undefined && isJsonObject(record)) return record;
    if (aead === undefined) throw this.#unusable(name, typeof sealed === "string" ? "is sealed with a key" : "is damaged");
    if (typeof sealed !== "string") throw this.#unusable(name, "is not sealed with the key");
    try {
      return JSON.parse(await aead.open(sealed, boundTo(name, expiresAt))) as JsonObject; // `#seal` wrote it
    } catch {
      throw this.#unusable(name, "is not sealed with the key");
    }
  }

  #unusable(name: string, what: string): AuthorizationError {
    const remedy = 'Pass the key it was written with (option "key"), or delete the file and log in again.';
    return new AuthorizationError({ hop: "store", url: "file:", problem: `${this.#pathOf(name)} ${what}`, remedy });
  }
}

async function isOld(draft: string): Promise<boolean> {
  const found = await stat(draft).catch(ignoreMissing);
  return found !== undefined && found.mtimeMs <= Date.now() - DRAFT_AGE;
}

async function hasExpired(path: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(ignoreMissing);
  const expiresAt = text === undefined ? undefined : tryParse(text)?.expiresAt;
  return typeof expiresAt === "number" && expiresAt <= Date.now();
}

function nameOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

function boundTo(name: string, expiresAt: number | undefined): string {
  return `${name} ${expiresAt ?? ""}`;
}

function tryParse(text: string): Envelope | undefined {
  const value = jsonIn(text);
  return isJsonObject(value) ? value : undefined;
}
