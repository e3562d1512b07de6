/** A keyed store in the memory of one process: see `KeyedStore`. If there is no room, new entries are refused and live ones stay. */
import { type Clock, systemClock } from "../../base/clock.ts";
import { assertLifetime, assertValue } from "../limits.ts";
import type { KeyedEntry, Joining, KeyedStore, KeyedValue, Version } from "../keyed-store.ts";
import { ErrorCode, LimitExceededError } from "../../jsonrpc/mcp-error.ts";

/** Characters of all keys and values, and what an entry counts besides them. */
const [MAX_SIZE, OVERHEAD] = [64 * 2 ** 20, 128];
/** Milliseconds between two searches for what has expired. */
const SWEEP_INTERVAL = 15_000;

interface KeptEntry extends KeyedEntry {
  until: number;
}

export class MemoryKeyedStore implements KeyedStore {
  readonly #clock: Clock;
  readonly #entries = new Map<string, KeptEntry>();
  /** Members of each set, with the time at which they leave. */
  readonly #sets = new Map<string, Map<string, number>>();
  readonly #counters = new Map<string, number>();
  #versions = 0;
  #size = 0;
  #sweptAt = -Infinity;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  read(key: string): KeyedEntry | undefined {
    const entry = this.#alive(key);
    return entry && { value: entry.value, version: entry.version };
  }

  swap(key: string, version: Version | undefined, next: KeyedValue | undefined): Version | undefined {
    if (next !== undefined) assertEntry(next);
    const before = this.#alive(key);
    if (before?.version !== version) return undefined;
    if (next !== undefined) this.#makeRoom(sizeOf(key, next.value) - (before === undefined ? 0 : sizeOf(key, before.value)));
    this.#remove(key);
    const made = String(++this.#versions);
    if (next === undefined) return made;
    this.#entries.set(key, { value: next.value, version: made, until: this.#clock.now() + next.ms });
    this.#size += sizeOf(key, next.value);
    return made;
  }

  renew(key: string, version: Version, ms: number): boolean {
    assertLifetime(ms);
    const entry = this.#alive(key);
    if (entry?.version !== version) return false;
    entry.until = this.#clock.now() + ms;
    return true;
  }

  join(set: string, member: string, { ms, max }: Joining): boolean {
    assertLifetime(ms);
    const now = this.#clock.now();
    const members = this.#sets.get(set) ?? new Map<string, number>();
    for (const [other, until] of members) if (until <= now) this.#forget(members, other);
    if (!members.has(member)) {
      if (members.size >= max) return false;
      this.#makeRoom(OVERHEAD + member.length);
      this.#size += OVERHEAD + member.length;
    }
    members.set(member, now + ms);
    this.#sets.set(set, members);
    return true;
  }

  leave(set: string, member: string): void {
    const members = this.#sets.get(set);
    if (members === undefined) return;
    this.#forget(members, member);
    if (members.size === 0) this.#sets.delete(set);
  }

  next(counter: string, least: number): number {
    if (!this.#counters.has(counter)) {
      this.#makeRoom(OVERHEAD + counter.length);
      this.#size += OVERHEAD + counter.length;
    }
    const number = Math.max((this.#counters.get(counter) ?? -Infinity) + 1, least);
    this.#counters.set(counter, number);
    return number;
  }

  #alive(key: string): KeptEntry | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.until > this.#clock.now() ? entry : undefined;
  }

  /** @throws LimitExceededError if `size` more does not fit */
  #makeRoom(size: number): void {
    const isFull = this.#size + size > MAX_SIZE;
    if (isFull || this.#clock.now() - this.#sweptAt > SWEEP_INTERVAL) this.#sweep();
    if (this.#size + size > MAX_SIZE) throw new LimitExceededError("memoryStores().keyed", MAX_SIZE, undefined, ErrorCode.InternalError);
  }

  #sweep(): void {
    const now = (this.#sweptAt = this.#clock.now());
    for (const [key, { until }] of this.#entries) if (until <= now) this.#remove(key);
    for (const [set, members] of this.#sets) {
      for (const [member, until] of members) if (until <= now) this.#forget(members, member);
      if (members.size === 0) this.#sets.delete(set);
    }
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#size -= sizeOf(key, entry.value);
  }

  #forget(members: Map<string, number>, member: string): void {
    if (members.delete(member)) this.#size -= OVERHEAD + member.length;
  }
}

const sizeOf = (key: string, value: string): number => OVERHEAD + key.length + value.length;

function assertEntry({ value, ms }: KeyedValue): void {
  assertValue(value);
  assertLifetime(ms);
}
