/**
 * Holds the catalog that is served now. It is read when the server starts, and again after each change of the folder. The new catalog
 * replaces the old one as a whole.
 */
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
  /** The pending read. A read that starts after it sees all changes until now. */
  #reading: Promise<void> | undefined;
  #again = false;
  #stopWatching: (() => void) | undefined;
  #closed = false;

  constructor(options: LiveCatalogOptions) {
    this.#options = options;
  }

  /** Reads the folder once. Requests wait for it. Never fails: an error is reported to the operator, and no skill is served. */
  begin(): Promise<void> {
    return (this.#reading ??= this.#read());
  }

  /** Resolves with the catalog after the first read. */
  async get(): Promise<Catalog> {
    if (this.#current === EMPTY_CATALOG) await this.begin();
    return this.#current;
  }

  /** Reads the folder again after a change, and once more if it changes meanwhile. */
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
