/**
 * The store that `fileStore` returns, loaded with its first use: records as files.
 *
 * Files are readable by their owner alone, are replaced as a whole or not at all, and are named by a digest, so that a
 * listing of the folder says nothing. With a key they are sealed (AES-256-GCM), each bound to its name.
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, stat, unlink } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { AuthStore } from "../../auth/login/auth-store.ts";
import { KeyedLock } from "../../auth/login/auth-store.ts";
import { AuthorizationError } from "../../auth/authorization-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { Aead } from "../../session/asking/aead.ts";
import { deriveAead } from "../aead.ts";
import { lockFile } from "./file-lock.ts";
import { isWindows, retryWhileBusy } from "../windows.ts";

/** Options of {@link fileStore}. */
export interface FileStoreOptions {
  /**
   * The folder; made, for its owner alone, where there is none. Default: `tenon/auth` where the system keeps this user's
   * configuration, which is where `tenon login` keeps what it gets: `$XDG_CONFIG_HOME` or `~/.config`, `%APPDATA%`,
   * `~/Library/Application Support`.
   */
  readonly directory?: string;
  /**
   * At least 32 random bytes that seal the files (AES-256-GCM): from the system's keychain, say. Default: none, and the files' permissions
   * alone protect them.
   */
  readonly key?: Uint8Array;
}

/** What is in a file. */
interface Envelope {
  readonly expiresAt?: number;
  readonly record?: unknown;
  readonly sealed?: unknown;
}

const SUFFIX = ".json";
/** What is written before it takes the place of the file: the name of the file, and one of its own. */
const DRAFT = /^[0-9a-f]{64}\.json\..+\.tmp$/;
/** Milliseconds after which a draft belongs to no process that lives. */
const DRAFT_AGE = 60_000;
/** Milliseconds between two looks for what has expired. */
const SWEEP_INTERVAL = 60 * 60_000;

export class FileStore implements AuthStore {
  readonly #directory: string;
  readonly #aead: MaybePromise<Aead> | undefined;
  readonly #locks = new KeyedLock();
  #ready: Promise<void> | undefined;
  #sweptAt = 0;

  constructor({ directory = defaultDirectory(), key }: FileStoreOptions) {
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
      await replaceFile(this.#pathOf(name), text); // a logout or a sweep of another process has removed the draft
    }
  }

  /** Removes what another process was killed while it wrote, too: it has tokens in it. */
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

  /** Removes logins that were never finished, and what processes have left that were killed while they wrote. */
  async #sweep(): Promise<void> {
    for (const file of await readdir(this.#directory)) {
      const path = join(this.#directory, file);
      if (DRAFT.test(file) ? await isOld(path) : file.endsWith(SUFFIX) && (await hasExpired(path))) await this.#remove(file);
    }
  }

  async #remove(file: string): Promise<void> {
    await retryWhileBusy(() => unlink(join(this.#directory, file))).catch(ignoreMissing);
  }

  // ---- what is in them ----

  async #seal(name: string, record: JsonObject, expiresAt: number | undefined): Promise<Envelope> {
    const more = expiresAt === undefined ? {} : { expiresAt };
    const aead = await this.#aead;
    return aead === undefined
      ? { ...more, record }
      : { ...more, sealed: await aead.seal(JSON.stringify(record), boundTo(name, expiresAt)) };
  }

  /** @throws AuthorizationError for a file that was written otherwise: it may be somebody else's */
  async #open(name: string, { record, sealed, expiresAt }: Envelope): Promise<JsonObject> {
    const aead = await this.#aead;
    if (aead === undefined && isJsonObject(record)) return record;
    if (aead === undefined) throw this.#unusable(name, typeof sealed === "string" ? "is sealed with a key" : "is damaged");
    if (typeof sealed !== "string") throw this.#unusable(name, "is not sealed with the key");
    try {
      return JSON.parse(await aead.open(sealed, boundTo(name, expiresAt))) as JsonObject; // sealed with the key: what `#seal` wrote
    } catch {
      throw this.#unusable(name, "is not sealed with the key");
    }
  }

  #unusable(name: string, what: string): AuthorizationError {
    const remedy = 'Pass the key it was written with (option "key"), or delete the file and log in again.';
    return new AuthorizationError({ hop: "store", url: "file:", problem: `${this.#pathOf(name)} ${what}`, remedy });
  }
}

/** The folder, open to its owner alone. @throws AuthorizationError for one that others may look into */
async function makePrivate(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { mode } = await stat(directory);
  if (isWindows() || (mode & 0o077) === 0) return;
  const remedy = `Close it (chmod 700), or choose another one (option "directory").`;
  throw new AuthorizationError({ hop: "store", url: "file:", problem: `${directory} is open to other users`, remedy });
}

/** Replaces a file as a whole, and leaves nothing else if that fails. */
async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await writeSynced(draft, text);
    await retryWhileBusy(() => rename(draft, path));
  } catch (error) {
    await unlink(draft).catch(ignoreMissing);
    throw error;
  }
}

/** Writes a new file for its owner alone, onto the disk. */
async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
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

/** What a sealed file is only good together with. */
function boundTo(name: string, expiresAt: number | undefined): string {
  return `${name} ${expiresAt ?? ""}`;
}

function tryParse(text: string): Envelope | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}

function defaultDirectory(): string {
  const { APPDATA, XDG_CONFIG_HOME = "" } = process.env;
  if (isWindows()) return join(APPDATA ?? join(homedir(), "AppData", "Roaming"), "tenon", "auth");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "tenon", "auth");
  // A relative one is to be ignored (XDG Base Directory Specification).
  return join(isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(homedir(), ".config"), "tenon", "auth");
}
