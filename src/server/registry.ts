/**
 * One ordered set of things a server offers: tools, resources, templates or prompts.
 *
 * Things are found by key in constant time and listed in the order they were added. What is made of all of them, such as a
 * page of their list, is made once and kept until the set changes. Keys are data: `constructor` and `__proto__` are names
 * like any other (L17).
 */
import { assertKnown, type OptionKeys, type Replacements } from "../base/known-options.ts";
import { ErrorCode, McpError, McpUsageError } from "../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { CompiledSchema } from "../schema/compile.ts";
import { ListPage } from "../session/list-page.ts";

/** What a thing is served by: what it was registered with and, beside it, what was made of that. */
export interface Definition {
  readonly options: object;
  readonly handler: (...given: never) => unknown;
  readonly input?: CompiledSchema | undefined;
  readonly output?: CompiledSchema | undefined;
}

/** What is kept of one thing. */
export interface Entry<D> {
  readonly key: string;
  /** Grows with each entry; where a page ends is remembered by it. */
  readonly ordinal: number;
  definition: D;
  enabled: boolean;
}

export interface RegistryOptions<D extends Definition> {
  /** What is registered, for messages: `"tool"`. */
  readonly what: string;
  /** The options that a thing may have. */
  readonly keys: OptionKeys<D["options"]>;
  /** Most items on a page; `Infinity` for one page. */
  readonly pageSize: number;
  /** @throws for what could never be served */
  define(key: string, options: D["options"], handler: D["handler"]): D;
  /** Told after each change. */
  onChange(): void;
}

const INPUT = 'Did you mean "input"?';
const AS_ARGUMENT = "The handler is the argument after the options.";
/** What to write instead of the options of other libraries. */
const REPLACEMENTS: Replacements = {
  inputSchema: INPUT,
  parameters: INPUT,
  argsSchema: INPUT,
  outputSchema: 'Did you mean "output"?',
  handler: AS_ARGUMENT,
  execute: AS_ARGUMENT,
};

export class Registry<D extends Definition> {
  readonly #options: RegistryOptions<D>;
  readonly #entries = new Map<string, Entry<D>>();
  readonly #derived = new Map<unknown, unknown>();
  #lastOrdinal = 0;

  constructor(options: RegistryOptions<D>) {
    this.#options = options;
  }

  /** Whether anything was ever registered: what a server said it can do stays true when the last entry goes. */
  get used(): boolean {
    return this.#lastOrdinal > 0;
  }

  /** @throws McpUsageError when the key is taken, TypeError for an unknown option or a handler that is no function */
  add(key: string, options: D["options"], handler: D["handler"]): Registered<D["options"]> {
    const { what } = this.#options;
    if (typeof handler !== "function") throw new TypeError(`The ${what} "${key}" has no handler. ${AS_ARGUMENT}`);
    this.#assertKnown(key, options);
    const definition = this.#options.define(key, options, handler);
    if (this.#entries.has(key)) throw new McpUsageError(`The ${this.#options.what} "${key}" is registered already`);
    const entry = { key, ordinal: ++this.#lastOrdinal, definition, enabled: true };
    this.#entries.set(key, entry);
    this.#forget();
    return new Registered<D["options"]>(this, entry);
  }

  /** Other options for an entry; those that are not given stay. @throws like {@link add} */
  redefine(entry: Entry<D>, options: Partial<D["options"]>): void {
    const { definition } = entry;
    this.#assertKnown(entry.key, options);
    entry.definition = this.#options.define(entry.key, { ...definition.options, ...options }, definition.handler);
    this.changed(entry);
  }

  #assertKnown(key: string, options: object): void {
    assertKnown(`${this.#options.what} "${key}"`, options, this.#options.keys, REPLACEMENTS);
  }

  remove(entry: Entry<D>): void {
    if (this.#entries.get(entry.key) !== entry) return;
    this.#entries.delete(entry.key);
    this.#forget();
  }

  /** An entry is another now. One that was removed concerns nobody. */
  changed(entry: Entry<D>): void {
    if (this.#entries.get(entry.key) === entry) this.#forget();
  }

  #forget(): void {
    this.#derived.clear();
    this.#options.onChange();
  }

  /** The definition under that key, unless it is disabled. */
  get(key: string): D | undefined {
    const entry = this.#entries.get(key);
    return entry?.enabled ? entry.definition : undefined;
  }

  /** The handle of an entry, if it is registered with that very definition. */
  handleOf(key: string, definition: D): Registered<D["options"]> | undefined {
    const entry = this.#entries.get(key);
    return entry?.definition === definition ? new Registered<D["options"]>(this, entry) : undefined;
  }

  /** Those that are enabled, in order. */
  get entries(): readonly Entry<D>[] {
    return [...this.#entries.values()].filter(({ enabled }) => enabled);
  }

  /** What `make` makes of the entries, kept under `key` until they change. */
  derived<T>(key: string | number, make: () => T): T {
    if (!this.#derived.has(key)) this.#derived.set(key, make());
    return this.#derived.get(key) as T; // a key has one maker
  }

  /**
   * The page of a list that starts at `cursor`, or the first.
   * @param member the member of the result that holds the items: `"tools"`
   * @param describe what the list says about an entry
   * @throws McpError -32602 for a cursor that is none of ours
   */
  page(cursor: unknown, member: string, describe: (entry: Entry<D>) => JsonObject): ListPage {
    const { pageSize } = this.#options;
    const after = cursor === undefined ? 0 : decodeCursor(cursor as string); // checked by the codec
    if (!(after <= this.#lastOrdinal)) throw new McpError(ErrorCode.InvalidParams, "Invalid cursor");
    const make = (): ListPage => {
      const rest = this.entries.filter(({ ordinal }) => ordinal > after);
      const items = rest.slice(0, pageSize);
      const nextCursor = rest.length > items.length && encodeCursor(items.at(-1)!.ordinal);
      return new ListPage({ [member]: items.map(describe), ...(nextCursor && { nextCursor }) });
    };
    // Cursors are easily made up: no more pages are kept than the list has.
    const kept = after === 0 || this.#derived.has(after) || this.#derived.size < this.#entries.size / pageSize;
    return kept ? this.derived(after, make) : make();
  }
}

// Cursors hold the number of the last entry on the page before, in a form that invites no client to count.

/** Where the page after that entry starts. */
function encodeCursor(ordinal: number): string {
  return btoa(`after:${ordinal}`);
}

/** The number in a cursor; NaN if {@link encodeCursor} has not made it. */
function decodeCursor(cursor: string): number {
  try {
    return Number(/^after:(\d{1,15})$/.exec(atob(cursor))?.[1]);
  } catch {
    return Number.NaN;
  }
}

/** What registering returns: the handle to change or withdraw what was registered. Every change notifies clients. */
export class Registered<Options extends object = object> {
  readonly #registry: Registry<Definition>;
  readonly #entry: Entry<Definition>;

  /** @internal */
  constructor(registry: Registry<Definition>, entry: Entry<Definition>) {
    this.#registry = registry;
    this.#entry = entry;
  }

  /** Whether it is listed and served. True at first. */
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
    this.#registry.redefine(this.#entry, options);
  }

  #setEnabled(enabled: boolean): void {
    if (this.#entry.enabled === enabled) return;
    this.#entry.enabled = enabled;
    this.#registry.changed(this.#entry);
  }
}
