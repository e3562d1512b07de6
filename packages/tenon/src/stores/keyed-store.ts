/**
 * A keyed store in an engine: see `KeyedStore`. An engine keeps the version in front of the value, and a version is random: so it never
 * comes back, whatever the engine has forgotten. Values are kept as JSON, because some engines cannot hold every text.
 */
import { randomId } from "../base/bytes.ts";
import { DamagedEntryError, parseStored } from "../storage/damaged-entry.ts";
import { assertLifetime, assertValue, MAX_VALUE } from "../storage/limits.ts";
import type { Joining, KeyedEntry, KeyedStore, KeyedValue, Version } from "../storage/keyed-store.ts";
import { engineKey, type KeyedEngine, VERSION_LENGTH } from "./keyed-engine.ts";

export class EngineKeyedStore implements KeyedStore {
  readonly #engine: KeyedEngine;

  constructor(engine: KeyedEngine) {
    this.#engine = engine;
  }

  async read(key: string): Promise<KeyedEntry | undefined> {
    const text = await this.#engine.get(await engineKey("keyed", key));
    return text === undefined ? undefined : entryOf(key, text);
  }

  async swap(key: string, version: Version | undefined, next: KeyedValue | undefined): Promise<Version | undefined> {
    if (next !== undefined) {
      assertValue(next.value);
      assertLifetime(next.ms);
    }
    const made = randomId();
    const entry = next && { value: made + JSON.stringify(next.value), ms: next.ms };
    return (await this.#engine.swap(await engineKey("keyed", key), version ?? "", entry)) ? made : undefined;
  }

  async renew(key: string, version: Version, ms: number): Promise<boolean> {
    assertLifetime(ms);
    return this.#engine.renewVersion(await engineKey("keyed", key), version, ms);
  }

  async join(set: string, member: string, { ms, max }: Joining): Promise<boolean> {
    assertLifetime(ms);
    return this.#engine.join(await engineKey("set", set), await engineKey("member", member), ms, max);
  }

  async leave(set: string, member: string): Promise<void> {
    await this.#engine.leave(await engineKey("set", set), await engineKey("member", member));
  }

  async next(counter: string, least: number): Promise<number> {
    return this.#engine.next(await engineKey("counter", counter), least);
  }

  now(): Promise<number> {
    return this.#engine.now();
  }
}

const VERSIONED = new RegExp(`^[\\w-]{${VERSION_LENGTH}}"`);

/** @throws DamagedEntryError if it is not one that `swap` wrote */
function entryOf(key: string, text: string): KeyedEntry {
  const what = `The entry "${key.split(/[ /]/, 1)[0]!.slice(0, 40)} ..." of the keyed store`;
  if (!VERSIONED.test(text)) throw new DamagedEntryError(what, "has no version");
  const value = parseStored(what, text.slice(VERSION_LENGTH));
  if (typeof value !== "string") throw new DamagedEntryError(what, "is not a text");
  if (value.length > MAX_VALUE) throw new DamagedEntryError(what, `has ${value.length} characters, and at most ${MAX_VALUE} are written`);
  return { value, version: text.slice(0, VERSION_LENGTH) };
}
