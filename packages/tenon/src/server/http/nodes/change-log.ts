/**
 * Changes of lists and resources, in one order for all nodes. A change at one node is written to the log once, however many sessions there
 * are; each node reads the log and notifies its own clients.
 */
import { jsonIn } from "../../../jsonrpc/parse-json.ts";
import { randomId } from "../../../base/bytes.ts";
import { OneAtATime } from "../../../base/one-at-a-time.ts";
import { Repeating, type Clock } from "../../../base/clock.ts";
import type { ClusterStores } from "../../../storage/shared-stores.ts";
import type { EventPage } from "../../../storage/event-log.ts";
import type { Acceptor, ChangeRelay, MissedChange, SharedChange } from "../../../dispatch/acceptor.ts";
import type { Dispatcher } from "../../../dispatch/dispatcher.ts";
import { isJsonObject } from "../../../jsonrpc/message.ts";
import { UnwrittenChanges, type ChangeBatch } from "./unwritten-changes.ts";

const AT = { session: "changes", stream: "log" };
const TOPIC = "changes";
/** Milliseconds for which the log is kept. */
const KEPT_MS = 7 * 24 * 60 * 60_000;
/** Milliseconds between two looks at the log without a hint. */
const LOOK_MS = 3_000;
const PAGE = 256;
/** Pages that the changes of a returning client may have, before it must read everything again. */
const MAX_PAGES = 8;
/** What a client receives if the changes that it missed are not kept any more. */
const EVERYTHING: SharedChange = { kind: "everything" };
const CURSOR = /^\d{1,15}$/;

const KINDS: ReadonlySet<string> = new Set(["tools", "prompts", "resources", "resource", "everything"]);

function textOf(change: SharedChange, batch: string): string {
  return JSON.stringify({ ...change, batch });
}

interface WrittenChange {
  readonly change: SharedChange;
  /** Missing in what an earlier version wrote. */
  readonly batch?: string;
}

/** A kind that only later versions know, and an entry that is damaged, can be a change of anything. */
function writtenIn(data: string): WrittenChange {
  const written: unknown = jsonIn(data);
  if (!isJsonObject(written)) return { change: EVERYTHING };
  const { batch, ...change } = written as object as SharedChange & { batch?: unknown }; // checked here
  const isKnown = KINDS.has(change.kind) && (change.kind !== "resource" || typeof change.uri === "string");
  return { change: isKnown ? change : EVERYTHING, ...(typeof batch === "string" && { batch }) };
}

/** One change on its way to the clients of this node. */
export interface Delivery {
  /** Its number in the log. */
  readonly number: number;
  /** The session that it is delivered to; undefined if it is new, and for all. */
  readonly only: Dispatcher | undefined;
}

export interface ChangeLogOptions {
  readonly stores: Pick<ClusterStores, "events" | "bus">;
  readonly server: Acceptor;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
  readonly left: AbortSignal;
}

export class ChangeLog implements ChangeRelay {
  /** The number of the last change that this node has delivered. */
  position = 0;
  /** The change that is being delivered right now. */
  delivering: Delivery | undefined;
  readonly #options: ChangeLogOptions;
  #stop: (() => void) | undefined;
  #stopGaps: (() => void) | undefined;
  /** Reads what is new. */
  readonly #reading = new OneAtATime(() => this.#read());
  readonly #looks: Repeating;
  readonly #unwritten: UnwrittenChanges;
  /** The last batch that this node has begun to write, and the position before it. */
  #begun: { readonly key: string; readonly after: number } | undefined;
  #stopped = false;

  constructor(options: ChangeLogOptions) {
    this.#options = options;
    this.#looks = new Repeating(options.clock, LOOK_MS, () => {
      this.#reading.run();
      return !this.#stopped;
    });
    this.#unwritten = new UnwrittenChanges({ ...options, write: (batch) => this.#write(batch) });
  }

  /** Begins at the end of the log. @throws StoreUnavailableError */
  async start(): Promise<void> {
    const { stores, server } = this.#options;
    this.position = await this.#end();
    this.#stop = await stores.bus.subscribe(TOPIC, () => this.#reading.run());
    this.#stopGaps = stores.bus.onGap(() => this.#reading.run());
    server.shared?.shareChanges?.(this);
    if (!this.#stopped) this.#looks.start();
  }

  // ---- for the server ----

  publish(changes: readonly SharedChange[]): Promise<void> {
    return this.#unwritten.add(changes);
  }

  async #write({ key, changes }: ChangeBatch): Promise<void> {
    const { events, bus } = this.#options.stores;
    if (!(await this.#isWritten(key))) await events.add(AT, { key, data: changes.map((change) => textOf(change, key)), ms: KEPT_MS });
    await bus.publish(TOPIC, "");
  }

  /**
   * Whether an earlier attempt has written the batch, although the store did not say so. The log itself knows only the keys of its last
   * additions, and after an outage all nodes add at once.
   */
  async #isWritten(key: string): Promise<boolean> {
    if (this.#begun?.key !== key) {
      this.#begun = { key, after: this.position };
      return false;
    }
    for (let at = this.#begun.after; ;) {
      const page = await this.#options.stores.events.read(AT, at, PAGE);
      if (typeof page === "string") return false; // the log is lost, or so much was added that this cannot be known
      for (const { number, data } of page.events) {
        if (writtenIn(data).batch === key) return true;
        at = number;
      }
      if (at >= page.last || page.events.length === 0) return false;
    }
  }

  get cursor(): string {
    return String(this.position);
  }

  async resume(cursor: string, begin: (missed: readonly MissedChange[] | undefined) => void): Promise<void> {
    const missed = new Map<string, MissedChange>();
    let at = CURSOR.test(cursor) ? Number(cursor) : Infinity;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const page = await this.#page(at);
      if (page === undefined) break;
      for (const { number, data } of page.events) {
        const { change } = writtenIn(data);
        const name = JSON.stringify(change);
        missed.delete(name); // a repeated change moves to its last number
        missed.set(name, { change, cursor: String((at = number)) });
      }
      // No `await` may come between this comparison and the call.
      if (at >= page.last && at >= this.position) return begin([...missed.values()]);
    }
    begin(undefined);
  }

  /** Undefined if the changes after a number are not known. */
  async #page(after: number): Promise<EventPage | undefined> {
    if (after === Infinity) return undefined;
    try {
      const page = await this.#options.stores.events.read(AT, after, PAGE);
      return typeof page === "string" || page.last < after ? undefined : page;
    } catch (error) {
      this.#options.report(error);
      return undefined;
    }
  }

  // ---- for clients of stateful revisions ----

  /** The number of the last change. Makes the log if it is not there. */
  async #end(): Promise<number> {
    const last = await this.#options.stores.events.add(AT, { key: randomId(), data: [], ms: KEPT_MS });
    return last === "gone" ? 0 : last; // no node drops the log
  }

  async #read(): Promise<void> {
    if (this.#stopped) return;
    try {
      this.position = await this.#deliverAfter(this.position);
    } catch (error) {
      this.#options.report(error); // the next look tries again
    }
  }

  /** Delivers to all sessions what is new. A failure is reported, and leaves this node behind. */
  async catchUp(): Promise<void> {
    this.#reading.run();
    await this.#reading.whenDone();
  }

  /** Delivers the changes after `position` to one session, and returns the number of the last one. @throws StoreUnavailableError */
  replay(position: number, session: Dispatcher): Promise<number> {
    return this.#deliverAfter(position, session);
  }

  /** Tells one session that anything may have changed. */
  deliverEverything(session: Dispatcher): void {
    this.#deliver(this.position, EVERYTHING, session);
  }

  async #deliverAfter(position: number, only?: Dispatcher): Promise<number> {
    for (let at = position; ;) {
      const page = await this.#options.stores.events.read(AT, at, PAGE);
      if (typeof page === "string" || page.last < at || (page.events.length === 0 && page.last > at)) {
        // Some changes are not kept any more, or the engine has lost them all.
        at = await this.#end();
        if (only !== undefined && at < this.position) this.#deliver(at, EVERYTHING, undefined); // the clients of this node have lost them too
        this.#deliver(at, EVERYTHING, only);
        return at;
      }
      for (const { number, data } of page.events) this.#deliver((at = number), writtenIn(data).change, only);
      if (at >= page.last) return at;
    }
  }

  #deliver(number: number, change: SharedChange, only: Dispatcher | undefined): void {
    if (only === undefined) this.position = number;
    this.delivering = { number, only };
    try {
      this.#options.server.shared?.deliverChange?.(change, only);
    } finally {
      this.delivering = undefined;
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#stop?.();
    this.#stopGaps?.();
    this.#looks.stop();
    this.#options.server.shared?.shareChanges?.(undefined);
  }
}
