/**
 * Changes the configuration file of a host: whole or not at all, with its mode kept and a copy of what was there.
 *
 * A file that another program changes at the same time is read and edited again. A file that does not parse is never touched.
 */
import { randomUUID } from "node:crypto";
import { copyFile, chmod, mkdir, open, readFile, realpath, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { lockFile, retryWhileBusy } from "tenon/internal";
import { EditError } from "./file-edit.ts";
import type { Entry, Host } from "./host.ts";
import { editJson, serversInJson } from "./json-edit.ts";
import { editToml, serversInToml } from "./toml-edit.ts";

/** Largest file that is edited, in bytes. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Times that an edit begins again because another program has changed the file. */
const MAX_TRIES = 3;
/** Copies of earlier contents that are kept. */
const COPIES = 3;

/** A file cannot be changed. The message names it. */
export class HostFileError extends Error {
  override name = "HostFileError";
}

/** One change of one file: puts an entry in, or takes it out (undefined). */
export interface FileChange {
  readonly host: Host;
  readonly file: string;
  readonly name: string;
  readonly entry: Entry | undefined;
}

interface Content {
  /** The file itself, if `file` is a link to it. */
  readonly path: string;
  /** Undefined if there is no file. */
  readonly text: string | undefined;
  readonly mode: number;
}

/** The servers of a file by name; empty if there is none. @throws HostFileError if it cannot be read or parsed */
export async function serversOf(host: Host, file: string): Promise<ReadonlyMap<string, unknown>> {
  const { text = "" } = await contentOf(file);
  return explained(file, () => (host.format === "toml" ? serversInToml : serversInJson)(text, host.key));
}

/** Tries a change without writing. Returns whether it would change the file. @throws HostFileError if it cannot be made */
export async function wouldChange(change: FileChange): Promise<boolean> {
  const { text } = await contentOf(change.file);
  return edited(change, text) !== (text ?? "");
}

/** Makes a change. Returns the path of the copy; undefined if there was no file. @throws HostFileError */
export async function changeFile(change: FileChange): Promise<string | undefined> {
  const { path } = await contentOf(change.file);
  await mkdir(dirname(path), { recursive: true });
  const lock = await lockFile(`${path}.tenon.lock`);
  try {
    for (let tries = 1; ; tries++) {
      const before = await contentOf(change.file);
      const after = edited(change, before.text);
      if (after === (before.text ?? "")) return undefined;
      const copy = before.text === undefined ? undefined : await keepCopy(path);
      if (await replaceUnchanged(before, after)) return copy;
      if (tries === MAX_TRIES) throw new HostFileError(`${change.file} is changed by another program again and again: end that one first.`);
    }
  } finally {
    await lock.release();
  }
}

function edited({ host, file, name, entry }: FileChange, text = ""): string {
  return explained(file, () => (host.format === "toml" ? editToml : editJson)(text, host.key, name, entry));
}

function explained<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof EditError)) throw error;
    throw new HostFileError(`${file} is left as it is: ${error.message}.`, { cause: error });
  }
}

async function contentOf(file: string): Promise<Content> {
  const path = await realpath(file).catch(() => file);
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new HostFileError(`${file} cannot be read: ${error.code ?? error.message}.`, { cause: error });
  });
  if (found === undefined) return { path, text: undefined, mode: 0o600 };
  if (!found.isFile()) throw new HostFileError(`${file} is not a file.`);
  if (found.size > MAX_BYTES) throw new HostFileError(`${file} is larger than ${MAX_BYTES} bytes, and left as it is.`);
  const text = await readFile(path, "utf8");
  // Bytes that are not UTF-8 would not come back.
  if (text.includes("\uFFFD")) throw new HostFileError(`${file} is not UTF-8 text, and left as it is.`);
  return { path, text, mode: found.mode & 0o777 };
}

/** Copies the file, only for its owner, and drops the oldest copy. */
async function keepCopy(path: string): Promise<string> {
  const nameOf = (age: number): string => `${path}.tenon.bak${age === 0 ? "" : `.${age}`}`;
  for (let age = COPIES - 1; age > 0; age--) {
    await rename(nameOf(age - 1), nameOf(age)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
  await copyFile(path, nameOf(0));
  await chmod(nameOf(0), 0o600);
  return nameOf(0);
}

/** Replaces the file as a whole, unless another program has changed it. */
async function replaceUnchanged({ path, text, mode }: Content, after: string): Promise<boolean> {
  if (text !== undefined && (mode & 0o222) === 0) throw new HostFileError(`${path} is read-only, and left as it is.`);
  const draft = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  try {
    const file = await open(draft, "wx", mode);
    try {
      await file.writeFile(after);
      await file.chmod(mode);
      await file.sync();
    } finally {
      await file.close();
    }
    const isUnchanged = (await contentOf(path)).text === text;
    if (isUnchanged) await retryWhileBusy(() => rename(draft, path));
    else await unlink(draft);
    return isUnchanged;
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw error;
  }
}
