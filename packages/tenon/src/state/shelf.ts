/**
 * All that a keyed store has of one user, in one entry: so one step of the store changes a value and the count of all, and one step forgets
 * the user.
 *
 * A change is stored only if the entry is still what was read. Otherwise it is tried again with what is there then, and made anew if the
 * value itself was changed. So no change is lost, however many processes make them, and one may change other values while it is made.
 */
import { randomId } from "../base/bytes.ts";
import { sleep, systemClock } from "../base/clock.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import { waits } from "../base/waits.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import type { KeyedEntry, KeyedStore } from "../storage/keyed-store.ts";
import { assertRoom, itemsIn, textOf, type Item, type Room } from "./shelf-items.ts";
import { clockOf } from "./stores.ts";

export interface KeptText {
  /** Names this value: another one has another version, also if it is equal. */
  readonly version: string;
  /** The value as JSON. */
  readonly text: string;
}

/** What a change makes of a value: another text, nothing (`"remove"`), or no change (`undefined`). */
export type Changed = { readonly text: string; readonly ms: number } | "remove" | undefined;

/** A change of one value. `make` is called again if another change of this value comes before it. */
export interface Change {
  readonly room: Room;
  readonly signal: AbortSignal;
  readonly make: (kept: KeptText | undefined) => MaybePromise<Changed>;
}

/** Milliseconds after which a change that others always come before is given up, and the waits between two attempts. */
const PATIENCE = 30_000;
const WAITS = { first: 2, longest: 200, jitter: 1 };

export class Shelf {
  readonly #store: KeyedStore;
  readonly #key: string;

  /** @param kind distinguishes what lies apart of the same user */
  constructor(store: KeyedStore, user: string, kind = "state") {
    this.#store = store;
    this.#key = `${kind} ${user}`;
  }

  async read(name: string): Promise<KeptText | undefined> {
    return keptOf(itemsIn(await this.#entry(), await this.#now()), name);
  }

  /**
   * Returns what is there after the change.
   * @throws LimitExceededError if it does not fit; McpError -32603 with `data.reason` `"stateBusy"`; what `make` throws, and what the store throws
   */
  async change(name: string, change: Change): Promise<KeptText | undefined> {
    const [until, pauses] = [systemClock.now() + PATIENCE, waits(WAITS)];
    const { make } = change;
    let made: { readonly of: string | undefined; readonly changed: Changed } | undefined;
    const makeOnce = async (before: KeptText | undefined): Promise<Changed> => {
      if (made === undefined || made.of !== before?.version) made = { of: before?.version, changed: await make(before) };
      return made.changed;
    };
    for (;;) {
      const done = await this.#attempt(name, { ...change, make: makeOnce });
      if (done !== "again") return done;
      if (systemClock.now() > until) throw busyError();
      await sleep(systemClock, pauses.next(), change.signal);
    }
  }

  async #attempt(name: string, { room, make }: Change): Promise<KeptText | undefined | "again"> {
    const [entry, now] = [await this.#entry(), await this.#now()];
    const items = itemsIn(entry, now);
    const before = keptOf(items, name);
    const next = await make(before);
    if (next === undefined || (next === "remove" && before === undefined)) return before;
    const others = items.filter(([own]) => own !== name);
    if (next === "remove") return (await this.#replace(entry, others, { name, version: undefined })) ? undefined : "again";
    const version = randomId();
    const changed: readonly Item[] = [...others, [name, version, now + next.ms, JSON.parse(next.text)]];
    assertRoom(changed, items, room);
    return (await this.#replace(entry, changed, { name, version })) ? { version, text: next.text } : "again";
  }

  /** @param written what the entry then has under a name, by which a change whose outcome is unknown is found */
  async #replace(
    entry: KeyedEntry | undefined,
    items: readonly Item[],
    written: { name: string; version: string | undefined },
  ): Promise<boolean> {
    const ends = items.map(([, , until]) => until);
    const next = items.length === 0 ? undefined : { value: textOf(items), ms: Math.max(1, Math.max(...ends) - (await this.#now())) };
    try {
      return (await this.#store.swap(this.#key, entry?.version, next)) !== undefined;
    } catch (error) {
      const found = await this.read(written.name).catch(() => undefined);
      if (written.version !== undefined && found?.version === written.version) return true;
      throw error;
    }
  }

  async names(): Promise<readonly string[]> {
    return itemsIn(await this.#entry(), await this.#now()).map(([name]) => name);
  }

  async clear(): Promise<void> {
    for (;;) {
      const entry = await this.#entry();
      if (entry === undefined || (await this.#store.swap(this.#key, entry.version, undefined)) !== undefined) return;
    }
  }

  async #entry(): Promise<KeyedEntry | undefined> {
    return this.#store.read(this.#key);
  }

  async #now(): Promise<number> {
    const clock = clockOf(this.#store);
    await clock.refresh();
    return clock.now();
  }
}

function keptOf(items: readonly Item[], name: string): KeptText | undefined {
  const item = items.find(([own]) => own === name);
  return item && { version: item[1], text: JSON.stringify(item[3]) };
}

function busyError(): McpError {
  return new McpError(ErrorCode.InternalError, "What is kept of this user is changed by too many others at once. Call again later", {
    reason: "stateBusy",
  });
}
