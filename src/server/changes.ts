/**
 * What happens on a server that its listeners hear of: a list or a resource changed, and the server closes.
 *
 * Equal changes are coalesced: the first goes out at the end of the current turn, those that follow within the interval go out
 * together when it is over. The listeners are open `subscriptions/listen` streams, by the thousand, which is why the end is no
 * `AbortSignal`: those are made for a few listeners, and warn of a leak from the eleventh on.
 */
import { type Clock, type Timer, unref } from "../base/clock.ts";

export type ListKind = "tools" | "prompts" | "resources";
export type Change = { readonly kind: ListKind } | { readonly kind: "resource"; readonly uri: string };
export type ChangeListener = (change: Change) => void;

/** The notification of each kind. */
export const LIST_CHANGED: Readonly<Record<ListKind, string>> = {
  tools: "notifications/tools/list_changed",
  prompts: "notifications/prompts/list_changed",
  resources: "notifications/resources/list_changed",
};

/** Milliseconds during which equal changes are one. */
export const COALESCE_MS = 50;

export class Changes {
  readonly #clock: Clock;
  /** The listeners, and what each does when the server closes. */
  readonly #listeners = new Map<ChangeListener, (() => void) | undefined>();
  readonly #waiting = new Map<string, Change>();
  /** When the interval that is open ends, in milliseconds of the clock. */
  #next = -Infinity;
  #timer: Timer;
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the server has closed: then no listener hears of that any more. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Calls `listener` with each change from now on, and `onClose` when the server closes. Returns how to stop both. */
  subscribe(listener: ChangeListener, onClose?: () => void): () => void {
    this.#listeners.set(listener, onClose);
    return () => this.#listeners.delete(listener);
  }

  /** The server closes. Idempotent. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const onClose of [...this.#listeners.values()]) onClose?.();
  }

  publish(change: Change): void {
    if (this.#listeners.size === 0) return;
    this.#waiting.set(change.kind === "resource" ? `resource ${change.uri}` : change.kind, change);
    if (this.#clock.now() < this.#next) return;
    this.#open();
    queueMicrotask(() => this.#flush());
  }

  /**
   * An interval begins. Its end is known by the clock too: a worker drops the timer with the request that set it, and
   * then the next change ends the interval.
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
    for (const change of changes) for (const listener of this.#listeners.keys()) listener(change);
  }
}
