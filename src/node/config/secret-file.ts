/** Reads `${file:path}`: a secret that stands in a file of its own, as Docker, Kubernetes and systemd give secrets to programs. */
import { readFileSync, statSync } from "node:fs";
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
    const stats = statSync(path);
    // Reading a pipe or a device could wait without end.
    if (!stats.isFile()) return refused("is not a file");
    if (stats.size > MAX_SECRET) return refused(`has ${stats.size} bytes, and a secret has at most ${MAX_SECRET}`);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
    return { text: text.replace(/\r?\n$/, "") };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "ENOENT") return { problem: "does not exist", isMissing: true };
    return refused(code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "is not text in UTF-8" : `cannot be read: ${code}`);
  }
}

function refused(problem: string): Secret {
  return { problem, isMissing: false };
}
