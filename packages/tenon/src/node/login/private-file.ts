/** Folders and files that only their owner can read, and that are replaced as a whole. */
import { randomUUID } from "node:crypto";
import { mkdir, open, rename, stat, unlink } from "node:fs/promises";
import { AuthorizationError } from "../../auth/authorization-error.ts";
import { isWindows, retryWhileBusy } from "../windows.ts";

/** Creates the folder for its owner only. @throws AuthorizationError if others can read it */
export async function makePrivate(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { mode } = await stat(directory);
  if (isWindows() || (mode & 0o077) === 0) return;
  const remedy = `Close it (chmod 700), or choose another one (option "directory").`;
  throw new AuthorizationError({ hop: "store", url: "file:", problem: `${directory} is open to other users`, remedy });
}

/** Replaces a file as a whole. If that fails, the draft is removed. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await writeSynced(draft, text);
    await retryWhileBusy(() => rename(draft, path));
  } catch (error) {
    await unlink(draft).catch(ignoreMissing);
    throw error;
  }
}

/** Writes a new file for its owner only, and syncs it to the disk. */
async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** For `catch`: undefined if there is no such file. @throws any other error */
export function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}
