/**
 * The files below one folder, as features read them: a folder of the disk on Node (`node/files/folder-tree.ts`), or texts
 * and bytes in memory on every runtime.
 */
import type { MaybePromise } from "./maybe-promise.ts";

/** One file. `path` is relative to the folder, with `/` between its parts. */
export interface TreeFile {
  readonly path: string;
  /** Changes when the content may have changed. */
  readonly stamp: string;
  /** The bytes as they are now. @throws if the file is gone, or has become a link or a special file */
  read(): MaybePromise<Uint8Array>;
}

export interface TreeScan {
  /** In the order of their paths. */
  readonly files: readonly TreeFile[];
  /** What cannot be served, such as symbolic links and sockets, each with the reason. */
  readonly refused: readonly { readonly path: string; readonly reason: string }[];
}

export interface FileTree {
  /** The path of the folder, for errors that the operator reads; undefined in memory. */
  readonly place?: string;
  /** Looks at the folder. @throws if it cannot be read */
  scan(): MaybePromise<TreeScan>;
  /** Calls `onChange` after each change, until the returned function is called. */
  watch?(onChange: () => void, onError: (error: unknown) => void): () => void;
}

/** Texts and bytes by path, as a {@link FileTree}. */
export function memoryTree(contents: Readonly<Record<string, string | Uint8Array>>): FileTree {
  const encoder = new TextEncoder();
  const files = Object.keys(contents)
    .sort()
    .map((path): TreeFile => {
      const content = contents[path]!;
      return { path, stamp: "", read: () => (typeof content === "string" ? encoder.encode(content) : content) };
    });
  return { scan: () => ({ files, refused: [] }) };
}
