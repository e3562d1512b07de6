/**
 * Watches the folders of files, and calls back when something in them has changed.
 *
 * It watches folders, because editors replace a file when they save it: a watch of the file would end then.
 */
import { watch, type FSWatcher } from "node:fs";
import { dirname } from "node:path";

/** Milliseconds from the first event of a save to the callback. A save is often several events. */
const QUIET_MS = 20;

export class Watcher {
  readonly #folders = new Map<string, FSWatcher | undefined>();
  readonly #onChange: (isNew: boolean) => void;
  readonly #onError: (folder: string, error: Error) => void;
  #timer: NodeJS.Timeout | undefined;
  #isNew = false;
  #closed = false;

  /**
   * @param onChange told whether a file may be new: files have come, gone or been replaced
   * @param onError called once for each folder that cannot be watched
   */
  constructor(onChange: (isNew: boolean) => void, onError: (folder: string, error: Error) => void) {
    this.#onChange = onChange;
    this.#onError = onError;
  }

  add(files: Iterable<string>): void {
    for (const folder of new Set([...files].map((file) => dirname(file))))
      if (!this.#closed && !this.#folders.has(folder)) this.#watch(folder);
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(folder, (event) => this.#soon(event === "rename"));
      watcher.on("error", (error) => this.#lose(folder, error));
      this.#folders.set(folder, watcher);
    } catch (error) {
      this.#folders.set(folder, undefined);
      this.#onError(folder, error as Error); // Node throws only errors
    }
  }

  /** A folder that was removed or renamed is watched again if a file is loaded from it again. */
  #lose(folder: string, error: Error): void {
    this.#folders.get(folder)?.close();
    this.#folders.delete(folder);
    this.#onError(folder, error);
  }

  #soon(isNew: boolean): void {
    this.#isNew ||= isNew;
    this.#timer ??= setTimeout(() => {
      const wasNew = this.#isNew;
      this.#timer = undefined;
      this.#isNew = false;
      this.#onChange(wasNew);
    }, QUIET_MS);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#folders.values()) watcher?.close();
    this.#folders.clear();
  }
}
