/**
 * One ordered set of things a server offers: tools, resources, templates or prompts.
 *
 * Entries are found by key in constant time and listed in the order they were added. A page of the list is made once
 * and kept until the set changes. Keys are data: `constructor` and `__proto__` are names like any other (L17).
 */
import { ErrorCode, McpError, McpUsageError } from "../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { ListPage } from "../session/list-page.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";

/** What is kept of one thing. */
export interface Entry<Definition> {
  readonly key: string;
  /** Grows with each entry; where a page ends is remembered by it. */
  readonly ordinal: number;
  definition: Definition;
  enabled: boolean;
}

export interface RegistryOptions<Definition> {
  /** What is registered, for messages: `"tool"`. */
  readonly what: string;
  /** The member of the list result that holds the items: `"tools"`. */
  readonly member: string;
  /** Most items on a page; `Infinity` for one page. */
  readonly pageSize: number;
  /** What the list says about an entry. */
  readonly describe: (key: string, definition: Definition) => JsonObject;
  /** Told after each change. */
  readonly onChange: () => void;
}

export class Registry<Definition> {
  readonly #options: RegistryOptions<Definition>;
  readonly #entries = new Map<string, Entry<Definition>>();
  readonly #pages = new Map<number, ListPage>();
  #nextOrdinal = 1;

  constructor(options: RegistryOptions<Definition>) {
    this.#options = options;
  }

  /** Whether anything was ever registered: what a server said it can do stays true when the last entry goes. */
  get used(): boolean {
    return this.#nextOrdinal > 1;
  }

  /** @throws McpUsageError when the key is taken */
  add(key: string, definition: Definition): Entry<Definition> {
    if (this.#entries.has(key)) throw new McpUsageError(`The ${this.#options.what} "${key}" is registered already`);
    const entry = { key, ordinal: this.#nextOrdinal++, definition, enabled: true };
    this.#entries.set(key, entry);
    this.#forgetPages();
    return entry;
  }

  remove(entry: Entry<Definition>): void {
    if (this.#entries.get(entry.key) !== entry) return;
    this.#entries.delete(entry.key);
    this.#forgetPages();
  }

  /** The definition under that key, unless it is disabled. */
  get(key: string): Definition | undefined {
    const entry = this.#entries.get(key);
    return entry?.enabled ? entry.definition : undefined;
  }

  *values(): Iterable<Definition> {
    for (const entry of this.#entries.values()) if (entry.enabled) yield entry.definition;
  }

  /** Something about an entry is different now; nobody hears of one that was withdrawn. */
  changed(entry: Entry<Definition>): void {
    if (this.#entries.get(entry.key) === entry) this.#forgetPages();
  }

  #forgetPages(): void {
    this.#pages.clear();
    this.#options.onChange();
  }

  /** The page that starts at `cursor`, or the first. @throws McpError -32602 for a cursor that is none of ours */
  page(cursor: unknown): ListPage {
    const after = cursor === undefined ? 0 : decodeCursor(cursor);
    if (after === undefined || after >= this.#nextOrdinal) throw new McpError(ErrorCode.InvalidParams, "Invalid cursor");
    let page = this.#pages.get(after);
    if (page === undefined) {
      page = this.#makePage(after);
      // Cursors are easily made up: no more pages are kept than the list has.
      if (after === 0 || this.#pages.size < this.#entries.size / this.#options.pageSize) this.#pages.set(after, page);
    }
    return page;
  }

  #makePage(after: number): ListPage {
    const { describe, member, pageSize } = this.#options;
    const items: JsonObject[] = [];
    let last = after;
    for (const entry of this.#entries.values()) {
      if (!entry.enabled || entry.ordinal <= after) continue;
      if (items.length === pageSize) return new ListPage({ [member]: items, nextCursor: encodeCursor(last) });
      items.push(describe(entry.key, entry.definition));
      last = entry.ordinal;
    }
    return new ListPage({ [member]: items });
  }
}

/** What registering returns: the handle to change or withdraw what was registered. Every change notifies clients. */
export class Registered<Options> {
  readonly #registry: { changed(entry: Entry<never>): void; remove(entry: Entry<never>): void };
  readonly #entry: Entry<never>;
  readonly #update: (options: Partial<Options>) => void;

  /** @internal */
  constructor(
    registry: { changed(entry: Entry<never>): void; remove(entry: Entry<never>): void },
    entry: Entry<never>,
    update: (options: Partial<Options>) => void,
  ) {
    this.#registry = registry;
    this.#entry = entry;
    this.#update = update;
  }

  get enabled(): boolean {
    return this.#entry.enabled;
  }

  /** Lists and serves it again. */
  enable(): void {
    this.#setEnabled(true);
  }

  /** Hides it: it is neither listed nor served, as if it did not exist. */
  disable(): void {
    this.#setEnabled(false);
  }

  /** Withdraws it for good; its name is free again. */
  remove(): void {
    this.#registry.remove(this.#entry);
  }

  /** Puts the given options in the place of those it was registered with; the others stay. */
  update(options: Partial<Options>): void {
    this.#update(options);
    this.#registry.changed(this.#entry);
  }

  #setEnabled(enabled: boolean): void {
    if (this.#entry.enabled === enabled) return;
    this.#entry.enabled = enabled;
    this.#registry.changed(this.#entry);
  }
}
