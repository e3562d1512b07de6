/**
 * An ordered set of definitions: the tools, resources, templates or prompts of a server.
 *
 * Definitions are found by key in constant time and listed in the order of registration. What is derived from them, such as a page of the
 * list, is kept until the set changes. Any string can be a key, `constructor` and `__proto__` included.
 */
import { assertKnown, type OptionKeys, type Replacements } from "../../base/known-options.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { Caller, Visible } from "../../session/caller.ts";
import type { FeatureKind } from "../../session/feature-filter.ts";
import type { SchemaCheck } from "../../schema/compile.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { ListPage } from "../../session/list-page.ts";
import type { FeatureOptions } from "./feature-options.ts";
import type { LateGuard } from "../guard.ts";
import { ordinalIn, pageOf } from "./listed-page.ts";
import { assertVersion, Families, keyOf, versionIn, versionOf } from "./versions.ts";

/** What was registered under a key, with its compiled schemas. */
export interface Definition {
  readonly options: object;
  readonly handler: (...given: never) => unknown;
  readonly input?: SchemaCheck | undefined;
  readonly output?: SchemaCheck | undefined;
  readonly params?: SchemaCheck | undefined;
  readonly result?: SchemaCheck | undefined;
  /** Whether it belongs to the server itself: no rule hides it, and servers that mount this one do not get it. */
  readonly own?: boolean | undefined;
  /** The rule of the mount that it came by. */
  readonly mountRule?: Visible | undefined;
  /** Its item in lists, if it came by a mount. */
  readonly listed?: JsonObject | undefined;
  /** Serves a request about it, if it came by a mount: nothing is checked or converted before or after. */
  readonly forward?: ((context: RequestContext) => MaybePromise<JsonObject>) | undefined;
}

export interface RegistryEntry<D> {
  readonly key: string;
  /** Its name: the key, unless it has a version. */
  readonly name: string;
  /** Its version among others of its name; undefined if its name has one definition only. */
  readonly version?: string | undefined;
  /** Grows with each entry. Cursors hold it. */
  readonly ordinal: number;
  definition: D;
  enabled: boolean;
}

export interface RegistryOptions<D extends Definition> {
  /** The kind of definition, for error messages: `"tool"`. */
  readonly what: string;
  /** The kind of features that it holds; absent for custom methods. */
  readonly kind?: FeatureKind | undefined;
  readonly keys: OptionKeys<D["options"]>;
  readonly pageSize: number;
  /** @throws if the definition could never be served */
  define(key: string, options: D["options"], handler: D["handler"]): D;
  /** Called after each change with the key, and with what could be found there before and after it. */
  onChange(...change: Parameters<ChangeWatcher>): void;
}

const INPUT = 'Did you mean "input"?';
const AS_ARGUMENT = "The handler is the argument after the options.";
const HANDLER: Replacements = { handler: AS_ARGUMENT, execute: AS_ARGUMENT };
/** What to write instead of the options of other libraries. */
const REPLACEMENTS: Replacements = {
  ...HANDLER,
  inputSchema: INPUT,
  parameters: INPUT,
  argsSchema: INPUT,
  outputSchema: 'Did you mean "output"?',
};

/** Called with the key of a change, and what could be found there before and after it. */
export type ChangeWatcher = (key: string, before: Definition | undefined, after: Definition | undefined) => void;

export class Registry<D extends Definition> {
  readonly #options: RegistryOptions<D>;
  readonly #entries = new Map<string, RegistryEntry<D>>();
  readonly #derived = new Map<unknown, unknown>();
  /** The entries that have versions, by their names; undefined until there is one. */
  #families: Families<RegistryEntry<D>> | undefined;
  guard: LateGuard | undefined;
  readonly #watchers = new Set<ChangeWatcher>();
  #enabled: readonly RegistryEntry<D>[] | undefined;
  #lastOrdinal = 0;

  constructor(options: RegistryOptions<D>) {
    this.#options = options;
  }

  get pageSize(): number {
    return this.#options.pageSize;
  }

  /** Whether anything was ever registered. A capability stays declared when the last entry is removed. */
  get used(): boolean {
    return this.#lastOrdinal > 0;
  }

  /**
   * @throws McpUsageError if the name is taken, TypeError if an option is unknown or the handler is not a function, RangeError if the version
   * is not a valid one
   */
  add(name: string, options: D["options"], handler: D["handler"]): Registered<D["options"]> {
    const { what } = this.#options;
    if (typeof handler !== "function") throw new TypeError(`The ${what} "${name}" has no handler. ${AS_ARGUMENT}`);
    this.#assertKnown(name, options);
    const version = versionOf(this.#options.kind, options);
    assertVersion(`${what} "${name}"`, version);
    return new Registered<D["options"]>(this, this.adopt(name, this.#options.define(keyOf(name, version), options, handler)));
  }

  /** Adds a definition that is made already. @throws McpUsageError if the name is taken */
  adopt(name: string, definition: D): RegistryEntry<D> {
    const version = versionOf(this.#options.kind, definition.options);
    const conflict = this.conflict(name, version);
    if (conflict !== undefined) throw new McpUsageError(`The ${this.#options.what} "${name}" ${conflict}`);
    const key = keyOf(name, version);
    const entry: RegistryEntry<D> = { key, name, version, ordinal: ++this.#lastOrdinal, definition, enabled: true };
    this.#entries.set(key, entry);
    if (version !== undefined) (this.#families ??= new Families()).add(entry);
    this.#changed(key, undefined, definition);
    return entry;
  }

  /** Why a name cannot be registered in that version; undefined if it can. */
  conflict(name: string, version: string | undefined): string | undefined {
    const key = keyOf(name, version);
    if (this.#entries.has(key)) return version === undefined ? "is registered already" : `is registered already as "${key}"`;
    if (version === undefined)
      return this.#families?.has(name) ? "is registered with versions already: give this one a version too" : undefined;
    return this.#entries.has(name) ? "is registered without a version already: give that one a version too" : undefined;
  }

  /** Changes some options of an entry. @throws as {@link add} */
  redefine(entry: RegistryEntry<D>, options: Partial<D["options"]>): void {
    const { key, name, version, definition } = entry;
    this.#assertKnown(name, options);
    const after = versionOf(this.#options.kind, { ...definition.options, ...options });
    if (after !== version)
      throw new McpUsageError(`The version of the ${this.#options.what} "${name}" cannot be changed: register another one`);
    this.replace(entry, this.#options.define(key, { ...definition.options, ...options }, definition.handler));
  }

  replace(entry: RegistryEntry<D>, replacement: D): void {
    const { key, definition, enabled } = entry;
    entry.definition = replacement;
    if (this.#entries.get(key) === entry) this.#changed(key, enabled ? definition : undefined, enabled ? entry.definition : undefined);
  }

  #assertKnown(key: string, options: FeatureOptions): void {
    const { what, keys } = this.#options;
    assertKnown(`${what} "${key}"`, options, keys, "input" in keys ? REPLACEMENTS : HANDLER);
    const { visible } = options;
    if (visible !== undefined && typeof visible !== "function")
      throw new TypeError(`"visible" of ${what} "${key}" must be a function of the caller that returns true or false`);
  }

  remove(entry: RegistryEntry<D>): void {
    if (this.#entries.get(entry.key) !== entry) return;
    this.#entries.delete(entry.key);
    if (entry.version !== undefined) this.#families!.remove(entry); // it is there since its registration
    this.#changed(entry.key, entry.enabled ? entry.definition : undefined, undefined);
  }

  setEnabled(entry: RegistryEntry<D>, enabled: boolean): void {
    if (entry.enabled === enabled) return;
    entry.enabled = enabled;
    const { key, definition } = entry;
    if (this.#entries.get(key) === entry) this.#changed(key, enabled ? undefined : definition, enabled ? definition : undefined);
  }

  /** Calls `watcher` with each change from now on. Returns a function that stops it. */
  watch(watcher: ChangeWatcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  #changed(key: string, before: D | undefined, after: D | undefined): void {
    this.#derived.clear();
    this.#enabled = undefined;
    this.#options.onChange(key, before, after);
    for (const watcher of this.#watchers) watcher(key, before, after);
  }

  /** All keys, also of disabled entries. */
  get keys(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** The entry under that key or name, unless it is disabled or its caller must not know of it. Without a caller no rule applies. */
  find(key: string, caller?: Caller): RegistryEntry<D> | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return this.#families?.newest(key, (each) => this.#serves(each, caller));
    return this.#serves(entry, caller) ? entry : undefined;
  }

  #serves(entry: RegistryEntry<D>, caller: Caller | undefined): boolean {
    return entry.enabled && this.allows(entry, caller);
  }

  /** The definition under that key or name, for a caller as in {@link find}. */
  get(key: string, caller?: Caller): D | undefined {
    return this.find(key, caller)?.definition;
  }

  /** The definition that a request names: by its name, and by the version in its `_meta` if its name has versions. */
  requested(name: string, params: JsonObject, caller: Caller | undefined): D | undefined {
    const version = this.#families?.has(name) ? versionIn(params) : undefined;
    if (version === undefined) return this.get(name, caller);
    return typeof version === "string" ? this.get(keyOf(name, version), caller) : undefined;
  }

  allows(entry: RegistryEntry<D>, caller: Caller | undefined): boolean {
    return this.guard === undefined || caller === undefined || this.guard.loaded!.allows(this.#options.kind!, entry, caller); // a request waits for the guard
  }

  handleOf(key: string, definition: D): Registered<D["options"]> | undefined {
    const entry = this.#entries.get(key);
    return entry?.definition === definition ? new Registered<D["options"]>(this, entry) : undefined;
  }

  /** The enabled entries, in order. */
  get entries(): readonly RegistryEntry<D>[] {
    return (this.#enabled ??= [...this.#entries.values()].filter(({ enabled }) => enabled));
  }

  /** The value of `make`, kept under `key` until an entry changes. */
  derived<T>(key: string | number, make: () => T): T {
    if (!this.#derived.has(key)) this.#derived.set(key, make());
    return this.#derived.get(key) as T; // a key always has the same `make`
  }

  /** The entries that a list of these shows: of each name the newest version. */
  #elect(entries: readonly RegistryEntry<D>[]): ReturnType<Families<RegistryEntry<D>>["elect"]> {
    return this.#families?.elect(entries) ?? entries.map((entry) => ({ entry }));
  }

  /**
   * The page of a list that starts at `cursor`, or the first.
   * @param member the member of the result that holds the items: `"tools"`
   * @param describe makes the item of an entry
   * @throws McpError -32602 if the cursor is invalid
   */
  page(cursor: unknown, member: string, describe: (entry: RegistryEntry<D>) => JsonObject, caller?: Caller): ListPage {
    const { pageSize } = this.#options;
    const after = ordinalIn(cursor, this.#lastOrdinal);
    const make = (entries: readonly RegistryEntry<D>[]): ListPage => pageOf(this.#elect(entries), { after, pageSize, member, describe });
    const { kind } = this.#options;
    if (this.guard !== undefined && caller !== undefined) {
      const page = { entries: this.entries, cursor: after, make };
      return this.guard.loaded!.page(kind!, page, caller);
    }
    // Clients can make up cursors, so no more pages are kept than the list has.
    const isKept = after === 0 || this.#derived.has(after) || this.#derived.size < this.#entries.size / pageSize;
    return isKept ? this.derived(after, () => make(this.entries)) : make(this.entries);
  }
}

/**
 * The handle of what was registered: changes, hides or removes it. Every change of a tool, resource, template or prompt notifies
 * clients.
 */
export class Registered<Options extends object = object> {
  readonly #registry: Registry<Definition>;
  readonly #entry: RegistryEntry<Definition>;

  /** @internal */
  constructor(registry: Registry<Definition>, entry: RegistryEntry<Definition>) {
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

  /** Hides it: it is neither listed nor served. */
  disable(): void {
    this.#setEnabled(false);
  }

  /** Removes it. Its name is free again. */
  remove(): void {
    this.#registry.remove(this.#entry);
  }

  /** Replaces the given options; the others stay. */
  update(options: Partial<Options>): void {
    this.#registry.redefine(this.#entry, options);
  }

  #setEnabled(enabled: boolean): void {
    this.#registry.setEnabled(this.#entry, enabled);
  }
}
