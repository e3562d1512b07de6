/**
 * An `AbortController` that aborts with other signals too, until it is unlinked.
 *
 * `AbortSignal.any` is as much, but up to Node 22 what it made stays with those of its sources that live on, such as a
 * connection's or one of the user's that never aborts: up to 3 KB each, and whatever its listeners hold.
 */
import { onAbort } from "./abort-listeners.ts";

export class LinkedAbort {
  readonly #abort = new AbortController();
  readonly #links: (() => void)[] = [];

  constructor(...signals: readonly (AbortSignal | undefined)[]) {
    for (const signal of signals) if (signal !== undefined) this.#link(signal);
  }

  #link(signal: AbortSignal): void {
    if (signal.aborted) this.abort(signal.reason);
    else if (!this.signal.aborted) this.#links.push(onAbort(signal, () => this.abort(signal.reason)));
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  abort(reason?: unknown): void {
    this.unlink();
    this.#abort.abort(reason);
  }

  /** What it was made for is over: the others no longer concern it. */
  unlink(): void {
    for (const leave of this.#links.splice(0)) leave();
  }
}
