/**
 * A folder of the disk as a `FileTree`: regular files only, none of them behind a symbolic link.
 *
 * A file is opened without following a link and must be the regular file that the scan saw, so a link that takes a file's
 * place between the scan and the read is refused. Links in place of a folder are refused by the real path.
 */
import { constants, statSync, watch, type Dirent } from "node:fs";
import { lstat, open, readdir, realpath } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import type { FileTree, TreeFile, TreeScan } from "../../base/file-tree.ts";
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";

export interface FolderTreeOptions {
  /** Whether names that begin with a dot are included. Default: false. */
  readonly hidden?: boolean;
}

/** Milliseconds without a change before a change is reported: editors write a file in several steps. */
const SETTLE_MS = 100;

export function folderTree(root: string, { hidden = false }: FolderTreeOptions = {}): FileTree {
  const place = resolve(root);
  return { place, scan: () => scan(place, hidden), watch: (onChange, onError) => watchFolder(place, onChange, onError) };
}

/** @throws McpUsageError if there is no folder */
function assertFolder(root: string): void {
  const found = statSync(root, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  const what = found === undefined ? "does not exist" : "is a file";
  throw new McpUsageError(`${root} ${what}: name a folder. A relative path begins at the working directory of the process`);
}

async function scan(root: string, hidden: boolean): Promise<TreeScan> {
  assertFolder(root);
  const files: TreeFile[] = [];
  const refused: { path: string; reason: string }[] = [];
  const visit = async (folder: string): Promise<void> => {
    const entries = await readdir(join(root, folder), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (!hidden && entry.name.startsWith(".")) continue;
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) await visit(path);
      else if (entry.isFile()) files.push(await describe(root, path));
      else refused.push({ path, reason: kindOf(entry) });
    }
  };
  await visit("");
  return { files, refused };
}

function kindOf(entry: Dirent): string {
  return entry.isSymbolicLink() ? "a symbolic link" : "not a regular file";
}

async function describe(root: string, path: string): Promise<TreeFile> {
  const { mtimeMs, size, ino } = await lstat(join(root, path));
  return { path, stamp: `${ino} ${size} ${mtimeMs}`, read: () => readRegular(root, path) };
}

async function readRegular(root: string, path: string): Promise<Uint8Array> {
  const file = join(await realpath(root), ...path.split("/"));
  if ((await realpath(file)) !== file) throw new Error(`${path} is behind a symbolic link`);
  const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    if (!(await handle.stat()).isFile()) throw new Error(`${path} is not a regular file`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

function watchFolder(root: string, onChange: () => void, onError: (error: unknown) => void): () => void {
  assertFolder(root);
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(root, { recursive: true, persistent: false }, (_event, name) => {
    if (name?.split(sep).some((part) => part === ".git")) return;
    clearTimeout(timer);
    timer = setTimeout(onChange, SETTLE_MS);
    timer.unref();
  });
  watcher.on("error", onError);
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}
