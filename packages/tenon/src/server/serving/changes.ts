/**
 * Tells listeners that a list or a resource changed, and that the server closes.
 *
 * Equal changes are coalesced: the first is sent at the end of the current turn; the others within the interval are sent together at its
 * end. The listeners are open `subscriptions/listen` streams, possibly thousands. They do not share an `AbortSignal`, because a signal
 * warns of a leak from the eleventh listener on.
 */
import { type Clock, type Timer, unref } from "../../base/clock.ts";
import type { ChangeRelay } from "../../dispatch/acceptor.ts";
import type { Change } from "../features/change.ts";

export type ChangeListener = (change: Change) => void;

/** What a listener learns besides changes. */
export interface ListenerEvents {
  readonly onClose?: () => void;
  /** Changes were lost, so everything may have changed. */
  readonly onLost?: () => void;
}

/** Milliseconds within which equal changes are coalesced. */
export const COALESCE_MS = 50;

/** Most concerns of one change; with more, it is for all callers. */
const MAX_CONCERNS = 100;

/** Two equal changes as one, for the callers of both. */
function joined(before: Change | undefined, change: Change): Change {
  if (before === undefined || change.kind === "resource" || before.kind === "resource") return change;
  const { kind } = change;
  const concerns = before.concerns && change.concerns && [...before.concerns, ...change.concerns];
  return concerns === undefined || concerns.length > MAX_CONCERNS ? { kind } : { kind, concerns };
}

export class Changes {
  readonly #clock: Clock;
  readonly #listeners = new Map<ChangeListener, ListenerEvents>();
  /** Publishes to the servers of all processes; absent if there is only this one. */
  relay: ChangeRelay | undefined;
  readonly #waiting = new Map<string, Change>();
  /** The end of the current interval, in milliseconds of the clock. */
  #next = -Infinity;
  #timer: Timer;
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the server has closed. A listener that subscribes later gets no `onClose` call. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Calls `listener` with each change from now on. Returns a function that stops it, and what `events` has. */
  subscribe(listener: ChangeListener, events: ListenerEvents = {}): () => void {
    this.#listeners.set(listener, events);
    return () => this.#listeners.delete(listener);
  }

  /** Calls every `onClose`. Idempotent. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const { onClose } of [...this.#listeners.values()]) onClose?.();
  }

  publish(change: Change): void {
    if (this.#listeners.size === 0 && this.relay === undefined) return;
    const key = change.kind === "resource" ? `resource ${change.uri}` : change.kind;
    this.#waiting.set(key, joined(this.#waiting.get(key), change));
    if (this.#clock.now() < this.#next) return;
    this.#open();
    queueMicrotask(() => this.#flush());
  }

  /**
   * Starts an interval. The clock is compared as well, because a worker drops a timer with the request that set it; then the next change
   * ends the interval.
   */
  #open(): void {
    this.#next = this.#clock.now() + COALESCE_MS;
    this.#clock.clearTimer(this.#timer);
    this.#timer = this.#clock.setTimer(COALESCE_MS, () => this.#end());
    unref(this.#timer);
  }

  #end(): void {
    this.#next = -Infinity;
    if (this.#waiting.size === 0) return;
    this.#open();
    this.#flush();
  }

  #flush(): void {
    const changes = [...this.#waiting.values()];
    this.#waiting.clear();
    const { relay } = this;
    if (relay === undefined) return this.deliver(changes);
    // Rules of visibility are functions: every process applies its own when the change arrives.
    const shared = changes.map((change) => (change.kind === "resource" ? change : { kind: change.kind }));
    // If no process will ever learn of it from the relay, the clients of this one still do.
    relay.publish(shared).catch(() => this.deliver(changes));
  }

  /** Calls every listener, without coalescing. */
  deliver(changes: readonly Change[]): void {
    for (const change of changes) for (const listener of this.#listeners.keys()) listener(change);
  }

  /** Calls every `onLost`. */
  lost(): void {
    for (const { onLost } of this.#listeners.values()) onLost?.();
  }
}
