/** Reads `${file:path}`: a secret that stands in a file of its own, as Docker, Kubernetes and systemd give secrets to programs. */
import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Most bytes of one secret. */
const MAX_SECRET = 65_536;

/** The text of a file, or why there is none. */
export type Secret = { readonly text: string } | { readonly problem: string; readonly isMissing: boolean };

/** The path that `${file:path}` means: `~/` is the user's folder, other relative paths begin at `folder`. */
export function secretPath(path: string, folder: string): string {
  return /^~[/\\]/.test(path) ? join(homedir(), path.slice(2)) : resolve(folder, path);
}

/** Reads a file without the newline at its end, which editors add. Security: a problem never holds what the file says. */
export function readSecret(path: string): Secret {
  try {
    // Before the file is opened, because opening a device can already do something.
    const problem = problemOf(statSync(path));
    const bytes = problem ?? readOpened(path);
    if (typeof bytes === "string") return refused(bytes);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { text: text.replace(/\r?\n$/, "") };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "ENOENT") return { problem: "does not exist", isMissing: true };
    return refused(code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "is not text in UTF-8" : `cannot be read: ${code}`);
  }
}

/** Reads what was opened, or says why not: another file can have taken the place meanwhile, and files of `/proc` do not say how long they are. */
function readOpened(path: string): Uint8Array | string {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)); // Windows has no such flag
  try {
    const problem = problemOf(fstatSync(file));
    if (problem !== undefined) return problem;
    const bytes = new Uint8Array(MAX_SECRET + 1);
    let size = 0;
    for (let read = -1; read !== 0 && size < bytes.length; size += read) read = readSync(file, bytes, size, bytes.length - size, null);
    return size > MAX_SECRET ? tooLong(`more than ${MAX_SECRET}`) : bytes.subarray(0, size);
  } finally {
    closeSync(file);
  }
}

/** Why a file is not read; undefined if it may be. Reading a pipe or a device could wait without end. */
function problemOf(stats: Stats): string | undefined {
  if (!stats.isFile()) return "is not a file";
  return stats.size > MAX_SECRET ? tooLong(String(stats.size)) : undefined;
}

function tooLong(size: string): string {
  return `has ${size} bytes, and a secret has at most ${MAX_SECRET}`;
}

function refused(problem: string): Secret {
  return { problem, isMissing: false };
}
