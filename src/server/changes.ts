/**
 * Tells whoever listens that something on the server changed: a list, or one resource.
 *
 * Equal changes are coalesced: the first goes out at the end of the current turn, those that follow within the
 * interval go out together when it is over (U3).
 */
import type { Clock } from "../dispatch/clock.ts";

export type ListKind = "tools" | "prompts" | "resources";
export type Change = { readonly kind: ListKind } | { readonly kind: "resource"; readonly uri: string };
export type ChangeListener = (change: Change) => void;

/** Milliseconds during which equal changes are one. */
export const COALESCE_MS = 50;

export class Changes {
  readonly #clock: Clock;
  readonly #listeners = new Set<ChangeListener>();
  readonly #waiting = new Map<string, Change>();
  #scheduled = false;

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
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    const changes = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#scheduled = changes.length > 0;
    if (!this.#scheduled) return;
    for (const change of changes) for (const listener of this.#listeners) listener(change);
    unref(this.#clock.setTimer(COALESCE_MS, () => this.#flush()));
  }
}

/** A timer nobody waits for must not keep a process alive. */
function unref(timer: unknown): void {
  if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function") timer.unref();
}
