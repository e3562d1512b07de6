/**
 * Tells whoever listens that something on the server changed: a list, or one resource.
 *
 * Equal changes are coalesced: the first goes out at the end of the current turn, those that follow within the
 * interval go out together when it is over (U3).
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
  readonly #listeners = new Set<ChangeListener>();
  readonly #waiting = new Map<string, Change>();
  /** When the interval that is open ends, in milliseconds of the clock. */
  #next = -Infinity;
  #timer: Timer;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `listener` with each change from now on. Returns how to stop. */
  subscribe(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
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
    for (const change of changes) for (const listener of this.#listeners) listener(change);
  }
}
