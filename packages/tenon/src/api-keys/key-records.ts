/** The records of keys in a keyed store: one for each key, and an index of all ids. */
import { LimitExceededError } from "../jsonrpc/mcp-error.ts";
import { isJsonObject } from "../jsonrpc/message.ts";
import { assertScopes } from "../auth/scope.ts";
import { DamagedEntryError, parseStored } from "../storage/damaged-entry.ts";
import type { KeyedEntry } from "../storage/keyed-store.ts";
import type { KeySettings } from "./options.ts";

/** What a new key is for. */
export interface NewKey {
  /** Who comes with it: `ctx.auth.subject`. */
  readonly subject: string;
  /** A note for people, such as `the nightly job`. Default: none. */
  readonly name?: string;
  /** What it may do. Default: nothing that requires a scope. */
  readonly scopes?: readonly string[];
  /** Milliseconds until it ends. Default 7 776 000 000 (90 days), at most 10 years. */
  readonly expiresIn?: number;
}

/** A key as it can be listed. */
export interface ApiKey {
  /** Names it in `revoke` and `rotate`; it is a part of the key. */
  readonly id: string;
  /** Who comes with it. */
  readonly subject: string;
  /** The note for people. */
  readonly name?: string | undefined;
  /** What it may do. */
  readonly scopes: readonly string[];
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** Milliseconds since 1970, to the minute; absent if it was never used. */
  readonly usedAt?: number | undefined;
}

export interface FoundKey {
  readonly key: ApiKey;
  readonly hash: string;
}

const DAY = 86_400_000;
const DEFAULT_TIME = 90 * DAY;
const MOST_TIME = 3_650 * DAY;
const MAX_TEXT = 200;
/** Records that are read at once. */
const AT_ONCE = 100;

export class KeyRecords {
  readonly #settings: KeySettings;

  constructor(settings: KeySettings) {
    this.#settings = settings;
  }

  async find(id: string): Promise<FoundKey | undefined> {
    const entry = await this.#settings.store.read(this.#keyOf(id));
    const found = entry && foundIn(id, entry);
    return found !== undefined && found.key.expiresAt > Date.now() ? found : undefined;
  }

  async add(id: string, hash: string, wanted: NewKey): Promise<ApiKey> {
    const { subject, name, scopes, expiresIn } = checked(wanted);
    const createdAt = Date.now();
    const key: ApiKey = { id, subject, ...(name !== undefined && { name }), scopes, createdAt, expiresAt: createdAt + expiresIn };
    const { store } = this.#settings;
    // The record comes first: an id in the index that has none counts as gone.
    const made = await store.swap(this.#keyOf(id), undefined, { value: JSON.stringify({ key, hash }), ms: expiresIn });
    try {
      await this.#changeIndex((ids) => this.#withRoom(ids).then((others) => [...others, id]));
    } catch (error) {
      await store.swap(this.#keyOf(id), made, undefined);
      throw error;
    }
    return key;
  }

  /** The ids of keys that are still there, if there is room for one more. @throws LimitExceededError */
  async #withRoom(ids: readonly string[]): Promise<readonly string[]> {
    const { maxKeys } = this.#settings;
    if (ids.length < maxKeys) return ids;
    const found = await this.#findAll(ids);
    const known = ids.filter((_id, at) => found[at] !== undefined);
    if (known.length < maxKeys) return known;
    throw new LimitExceededError("maxKeys", maxKeys);
  }

  async list(subject?: string): Promise<readonly ApiKey[]> {
    const ids = idsIn(await this.#settings.store.read(this.#index));
    const found = await this.#findAll(ids);
    return found.flatMap((each) => (each === undefined || (subject !== undefined && each.key.subject !== subject) ? [] : [each.key]));
  }

  /** Finds some at a time: an engine takes only so many commands at once. */
  async #findAll(ids: readonly string[]): Promise<(FoundKey | undefined)[]> {
    const found: (FoundKey | undefined)[] = [];
    for (let at = 0; at < ids.length; at += AT_ONCE)
      found.push(...(await Promise.all(ids.slice(at, at + AT_ONCE).map((id) => this.find(id)))));
    return found;
  }

  async remove(id: string): Promise<boolean> {
    const changed = await this.#change(id, () => undefined);
    if (changed !== undefined) await this.#changeIndex((ids) => Promise.resolve(ids.filter((each) => each !== id)));
    return changed !== undefined;
  }

  /** The key with the hash of another text, for its whole time from now on; undefined if there is none. */
  async replaceHash(id: string, hash: string): Promise<ApiKey | undefined> {
    const changed = await this.#change(id, ({ key }) => {
      const now = Date.now();
      const { usedAt: _, ...unused } = key;
      return { key: { ...unused, createdAt: now, expiresAt: now + (key.expiresAt - key.createdAt) }, hash };
    });
    return changed?.key;
  }

  async used(id: string): Promise<void> {
    await this.#change(id, ({ key, hash }) => ({ key: { ...key, usedAt: Date.now() }, hash }));
  }

  /** Changes a record, whatever others change meanwhile. @returns what it is now, or was before it went; undefined if there was none */
  async #change(id: string, to: (found: FoundKey) => FoundKey | undefined): Promise<FoundKey | undefined> {
    const { store } = this.#settings;
    for (;;) {
      const entry = await store.read(this.#keyOf(id));
      const found = entry && foundIn(id, entry);
      if (entry === undefined || found === undefined) return undefined;
      const next = to(found);
      const value = next && { value: JSON.stringify(next), ms: Math.max(1, next.key.expiresAt - Date.now()) };
      const isDone = (await store.swap(this.#keyOf(id), entry.version, value)) !== undefined || (await this.#isGone(id, next));
      if (isDone) return next ?? found;
    }
  }

  /** A removed entry has no version. */
  async #isGone(id: string, next: FoundKey | undefined): Promise<boolean> {
    return next === undefined && (await this.#settings.store.read(this.#keyOf(id))) === undefined;
  }

  async #changeIndex(to: (ids: readonly string[]) => Promise<readonly string[]>): Promise<void> {
    const { store } = this.#settings;
    for (;;) {
      const entry = await store.read(this.#index);
      const value = JSON.stringify(await to(idsIn(entry)));
      if ((await store.swap(this.#index, entry?.version, { value, ms: MOST_TIME })) !== undefined) return;
    }
  }

  get #index(): string {
    return `api keys ${this.#settings.prefix}`;
  }

  #keyOf(id: string): string {
    return `api key ${this.#settings.prefix} ${id}`;
  }
}

function checked({
  subject,
  name,
  scopes = [],
  expiresIn = DEFAULT_TIME,
}: NewKey): NewKey & Required<Pick<NewKey, "scopes" | "expiresIn">> {
  assertText("subject", subject);
  if (name !== undefined) assertText("name", name);
  assertScopes("scopes", scopes);
  if (!(typeof expiresIn === "number" && expiresIn >= 1 && expiresIn <= MOST_TIME))
    throw new RangeError(`"expiresIn" of a key must be milliseconds from 1 to ${MOST_TIME}, not ${expiresIn}`);
  return { subject, ...(name !== undefined && { name }), scopes, expiresIn };
}

function assertText(member: string, value: unknown): void {
  if (typeof value !== "string" || value === "" || value.length > MAX_TEXT)
    throw new TypeError(`"${member}" of a key must be a text of 1 to ${MAX_TEXT} characters`);
}

function foundIn(id: string, { value }: KeyedEntry): FoundKey {
  const found = parseStored(`The API key "${id}"`, value);
  if (!isJsonObject(found) || !isJsonObject(found["key"]) || typeof found["hash"] !== "string")
    throw new DamagedEntryError(`The API key "${id}"`, "has not the form of one");
  return found as unknown as FoundKey; // written here
}

function idsIn(entry: KeyedEntry | undefined): readonly string[] {
  if (entry === undefined) return [];
  const ids = parseStored("The index of API keys", entry.value);
  if (!Array.isArray(ids)) throw new DamagedEntryError("The index of API keys", "is not a list");
  return ids as string[]; // written here
}

// ---- the text of a key: a prefix that scanners of secrets know, an id, and 260 random bits ----

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const ID_LENGTH = 12;
const SECRET_LENGTH = 52;

/** The id of a text that has the form of a key with that prefix; undefined for others. */
export function idOf(text: string, prefix: string): string | undefined {
  if (text.length !== prefix.length + ID_LENGTH + SECRET_LENGTH + 2 || !text.startsWith(`${prefix}_`)) return undefined;
  const [id, secret, ...more] = text.slice(prefix.length + 1).split("_");
  return id?.length === ID_LENGTH && secret?.length === SECRET_LENGTH && more.length === 0 ? id : undefined;
}

export function newKey(prefix: string, id: string = randomText(ID_LENGTH)): { readonly id: string; readonly text: string } {
  return { id, text: `${prefix}_${id}_${randomText(SECRET_LENGTH)}` };
}

/** Five random bits for each character. */
function randomText(length: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => ALPHABET[byte & 31]).join("");
}
