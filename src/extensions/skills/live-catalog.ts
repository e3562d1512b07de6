/** The catalog that is served now: read when the server begins, and again after each change of the folder. One replaces the other whole. */
import type { FileTree } from "../../base/file-tree.ts";
import { EMPTY_CATALOG, readCatalog, type Catalog } from "./catalog.ts";

export interface LiveCatalogOptions {
  readonly openTree: () => Promise<FileTree>;
  readonly prefix: string | undefined;
  readonly watch: boolean;
  readonly report: (error: unknown) => void;
  /** Called with the catalog before and after each change. */
  readonly onChange: (before: Catalog, after: Catalog) => void;
}

export class LiveCatalog {
  readonly #options: LiveCatalogOptions;
  #current: Catalog = EMPTY_CATALOG;
  #tree: Promise<FileTree> | undefined;
  /** The reading that is under way; the one after it sees all changes until now. */
  #reading: Promise<void> | undefined;
  #again = false;
  #stopWatching: (() => void) | undefined;
  #closed = false;

  constructor(options: LiveCatalogOptions) {
    this.#options = options;
  }

  /** Reads the folder, once. A request waits for it. Never fails: an error is reported to the operator, and no skill is served. */
  begin(): Promise<void> {
    return (this.#reading ??= this.#read());
  }

  /** The catalog, as soon as there is one. */
  async get(): Promise<Catalog> {
    if (this.#current === EMPTY_CATALOG) await this.begin();
    return this.#current;
  }

  /** The folder has changed: reads it again, and once more if it changes meanwhile. */
  refresh(): void {
    if (this.#again || this.#closed) return;
    this.#again = true;
    this.#reading = (this.#reading ?? Promise.resolve()).then(() => {
      this.#again = false;
      return this.#read();
    });
  }

  close(): void {
    this.#closed = true;
    this.#stopWatching?.();
  }

  async #read(): Promise<void> {
    const { openTree, prefix, watch, report, onChange } = this.#options;
    try {
      const tree = await (this.#tree ??= openTree());
      if (watch && !this.#closed) this.#stopWatching ??= tree.watch?.(() => this.refresh(), report);
      const before = this.#current;
      this.#current = await readCatalog(tree, { prefix, previous: before, report });
      if (!this.#closed) onChange(before, this.#current);
    } catch (error) {
      report(error);
    }
  }
}
