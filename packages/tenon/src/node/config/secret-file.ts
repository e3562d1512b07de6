/**
 * Reads the files that a configuration names: `${file:path}`, a secret in a file of its own, as Docker, Kubernetes and systemd give secrets to
 * programs, and `envFile`.
 */
import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

const MAX_SECRET = 65_536;
const MAX_ENV_FILE = 1_048_576;

export type Secret = { readonly text: string } | { readonly problem: string; readonly isMissing: boolean };

/** The path that `${file:path}` means: `~/` is the user's folder, other relative paths begin at `folder`. */
export function secretPath(path: string, folder: string): string {
  return /^~[/\\]/.test(path) ? join(homedir(), path.slice(2)) : resolve(folder, path);
}

/** Reads a file without the newline at its end, which editors add. Security: a problem never holds what the file says. */
export function readSecret(path: string): Secret {
  try {
    const bytes = readBounded(path, MAX_SECRET);
    if (typeof bytes === "string") return refused(bytes);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { text: text.replace(/\r?\n$/, "") };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "ENOENT") return { problem: "does not exist", isMissing: true };
    return refused(code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "is not text in UTF-8" : `cannot be read: ${code}`);
  }
}

/** The bytes of a file of variables; undefined if it cannot be read, or only by waiting. */
export function readEnvFile(path: string): Uint8Array | undefined {
  try {
    const bytes = readBounded(path, MAX_ENV_FILE);
    return typeof bytes === "string" ? undefined : bytes;
  } catch {
    return undefined;
  }
}

/** Why a file of variables is not read; undefined if it may be. A pipe may be: programs that keep secrets give variables that way. */
export function envFileProblem(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined || stats.isFIFO() ? undefined : problemOf(stats, MAX_ENV_FILE);
}

/** Reads a file of at most `max` bytes, or says why not. */
function readBounded(path: string, max: number): Uint8Array | string {
  // Before the file is opened, because opening a device can already do something.
  return problemOf(statSync(path), max) ?? readOpened(path, max);
}

/** Reads what was opened, or says why not: another file can have taken the place meanwhile, and files of `/proc` do not say how long they are. */
function readOpened(path: string, max: number): Uint8Array | string {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)); // Windows has no such flag
  try {
    const problem = problemOf(fstatSync(file), max);
    if (problem !== undefined) return problem;
    const bytes = new Uint8Array(max + 1);
    let size = 0;
    for (let read = -1; read !== 0 && size < bytes.length; size += read) read = readSync(file, bytes, size, bytes.length - size, null);
    return size > max ? tooLong(`more than ${max}`, max) : bytes.subarray(0, size);
  } finally {
    closeSync(file);
  }
}

/** Why a file is not read; undefined if it may be. Reading a pipe or a device could wait without end. */
function problemOf(stats: Stats, max: number): string | undefined {
  if (!stats.isFile()) return "is not a file";
  return stats.size > max ? tooLong(String(stats.size), max) : undefined;
}

function tooLong(size: string, max: number): string {
  return `has ${size} bytes, and a ${max === MAX_SECRET ? "secret" : "file of variables"} has at most ${max}`;
}

function refused(problem: string): Secret {
  return { problem, isMissing: false };
}
