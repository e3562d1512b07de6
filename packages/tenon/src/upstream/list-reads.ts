/**
 * When the lists of a server are read again: after it has announced a change, and before a client relies on a list whose changes the server
 * does not promise to announce.
 *
 * One read runs at a time, so an older list never replaces a newer one. Changes during a read make one more read.
 */
import { finishesWithin, unref, type Clock, type Timer } from "../base/clock.ts";
import { waits, type WaitsOptions } from "../base/waits.ts";
import type { ListName } from "./listing.ts";

export interface ListReadsOptions {
  readonly clock: Clock;
  /** The lists whose changes the server does not promise to announce. */
  readonly unpromised: readonly ListName[];
  /**
   * Reads lists again. `announced` are the ones whose change the server has announced. Resolves with the lists that could not be read;
   * never rejects.
   */
  readonly read: (lists: ReadonlySet<ListName>, announced: ReadonlySet<ListName>) => Promise<ReadonlySet<ListName>>;
}

/** Milliseconds between the end of a read and the next one, while changes go on. */
const RESTS: WaitsOptions = { first: 100, longest: 10_000 };
/** Reads that are repeated because they failed, before another change. */
const MAX_REPEATS = 3;
/** Milliseconds for which a list without a promise counts as new. */
const NEW_FOR = 3_000;
/** Fewest milliseconds between two reads because of names that no list has. */
const UNKNOWN_PAUSE = 1_000;
/** Most milliseconds that a client waits for a list that is being read. */
const PATIENCE = 2_000;

export class ListReads {
  readonly #options: ListReadsOptions;
  readonly #rests = waits(RESTS);
  #failures = 0;
  #changed = new Set<ListName>();
  #announced = new Set<ListName>();
  /** Lists whose changes the server does not announce. */
  #unannounced: ReadonlySet<ListName>;
  /** Lists that could not be read. They are read again before a client relies on them. */
  #failed: ReadonlySet<ListName>;
  /** The read that runs. */
  #reading: Promise<void> | undefined;
  #rest: Timer;
  #readAt: number;
  #unknownAt = -Infinity;
  #isClosed = false;

  /** @param failed the lists that the first read could not read */
  constructor(options: ListReadsOptions, failed: ReadonlySet<ListName> = new Set()) {
    this.#options = options;
    this.#unannounced = new Set(options.unpromised);
    this.#failed = failed;
    this.#readAt = options.clock.now();
  }

  /** The server refuses to announce changes of these lists, whatever it has promised. */
  unwatched(lists: readonly ListName[]): void {
    this.#unannounced = new Set([...this.#unannounced, ...lists]);
  }

  changed(list: ListName): void {
    this.#announced.add(list);
    this.again(list);
  }

  again(list: ListName): void {
    this.#changed.add(list);
    if (this.#reading === undefined && this.#rest === undefined) void this.#read();
  }

  /** Before a client gets a list. Undefined if there is nothing to wait for. */
  beforeList(): Promise<unknown> | undefined {
    const { clock } = this.#options;
    if (this.#isClosed) return undefined;
    // A change was announced, often by the call whose result the client has just got.
    if (this.#reading !== undefined) return finishesWithin(clock, PATIENCE, this.#reading);
    return clock.now() - this.#readAt < NEW_FOR ? undefined : this.#refresh();
  }

  /** Before a name or a URI is refused that no list has. Undefined if there is nothing to wait for. */
  beforeRefusal(): Promise<unknown> | undefined {
    const now = this.#options.clock.now();
    if (this.#isClosed || now - this.#unknownAt < UNKNOWN_PAUSE) return undefined;
    this.#unknownAt = now;
    return this.#refresh();
  }

  close(): void {
    this.#isClosed = true;
    this.#options.clock.clearTimer(this.#rest);
  }

  #refresh(): Promise<unknown> | undefined {
    const { clock } = this.#options;
    const stale = [...this.#unannounced, ...this.#failed];
    if (stale.length === 0) return undefined;
    for (const list of stale) this.#changed.add(list);
    const read = this.#reading === undefined ? this.#read() : this.#reading.then(() => this.#read());
    return finishesWithin(clock, PATIENCE, read);
  }

  #read(): Promise<void> {
    if (this.#reading !== undefined) return this.#reading; // another caller has begun the one that was wanted
    this.#options.clock.clearTimer(this.#rest);
    this.#rest = undefined;
    if (this.#isClosed || this.#changed.size === 0) return Promise.resolve();
    this.#reading = this.#readChanged().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #readChanged(): Promise<void> {
    const { clock, read } = this.#options;
    const [lists, announced] = [this.#changed, this.#announced];
    this.#changed = new Set();
    this.#announced = new Set();
    const begin = clock.now();
    this.#readAt = begin;
    const failed = await read(lists, announced);
    if (this.#isClosed) return;
    this.#failed = new Set([...[...this.#failed].filter((list) => !lists.has(list)), ...failed]);
    this.#restAfter(clock.now() - begin, failed);
  }

  /**
   * Rests for as long as the read took, so that a server that announces changes without end takes half of the time at most; and longer each
   * time while changes go on.
   */
  #restAfter(took: number, failed: ReadonlySet<ListName>): void {
    this.#failures = failed.size > 0 ? this.#failures + 1 : 0;
    if (this.#failures <= MAX_REPEATS) for (const list of failed) this.#changed.add(list);
    this.#rest = this.#options.clock.setTimer(Math.max(took, this.#rests.next()), () => this.#endRest());
    unref(this.#rest);
  }

  #endRest(): void {
    this.#rest = undefined;
    if (this.#changed.size === 0) {
      this.#rests.reset();
      this.#failures = 0;
    } else {
      void this.#read();
    }
  }
}
