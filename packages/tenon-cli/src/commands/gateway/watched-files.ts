/** Watches files, the links on the way to them among them: calls a function when one of them is another file or has another text. */
import { watch } from "node:fs";
import { dirname, join } from "node:path";
import { linksOf } from "tenon/internal";

/** Milliseconds after the last change: editors write a file in several steps. */
const QUIET = 200;
/** Kubernetes changes all files of a folder by another target of this link. */
const KUBERNETES_LINK = "..data";

/** Files that may become others. Folders are watched, because many editors replace a file. */
export class WatchedFiles {
  readonly #onChange: () => void;
  readonly #onError: (folder: string, error: unknown) => void;
  readonly #stops = new Map<string, () => void>();
  #paths: ReadonlySet<string> = new Set();
  #stopped = false;

  constructor(onChange: () => void, onError: (folder: string, error: unknown) => void) {
    this.#onChange = onChange;
    this.#onError = onError;
  }

  /** Watches these files, the links on the way to them and what they lead to now, and no others. */
  set(files: Iterable<string>): void {
    this.#paths = new Set([...files].flatMap((file) => [file, ...linksOf(file)]));
    const folders = new Set([...this.#paths].map((path) => dirname(path)));
    for (const [folder, stop] of this.#stops) {
      if (folders.has(folder) && !this.#stopped) continue;
      stop();
      this.#stops.delete(folder);
    }
    if (this.#stopped) return;
    for (const folder of folders) if (!this.#stops.has(folder)) this.#stops.set(folder, this.#watch(folder));
  }

  stop(): void {
    this.#stopped = true;
    this.set([]);
  }

  #watch(folder: string): () => void {
    try {
      const isOurs = (name: string): boolean => name === KUBERNETES_LINK || this.#paths.has(join(folder, name));
      return watchFolder(folder, isOurs, this.#onChange);
    } catch (error) {
      this.#onError(folder, error);
      return () => undefined;
    }
  }
}

/** Calls `onChange` when a file has changed and no other change follows. The folder is watched, because many editors replace the file. */
export function watchFolder(folder: string, isOurs: (name: string) => boolean, onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(folder, (_event, name) => {
    if (name !== null && !isOurs(name)) return;
    clearTimeout(timer);
    timer = setTimeout(onChange, QUIET);
  });
  watcher.on("error", () => watcher.close()); // the folder is gone
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}
