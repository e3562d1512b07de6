/**
 * A cancel that may come. It is an `AbortSignal` only for those who need one: a signal with a listener costs more than the rest of a
 * call, and most calls are never cancelled.
 */

export interface AbortListener {
  /** It has aborted. Must not throw. */
  handleEvent(): void;
}

export class LazyAbort {
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  #listeners: Set<AbortListener> | undefined;

  get aborted(): boolean {
    return this.#aborted !== undefined;
  }

  get reason(): unknown {
    return this.#aborted?.reason;
  }

  /** Aborts with it. Made at its first use. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  throwIfAborted(): void {
    if (this.#aborted !== undefined) throw this.#aborted.reason;
  }

  /** Aborts. Only the first reason counts; the default is the one that an `AbortSignal` has. */
  abort(reason: unknown = new DOMException("This operation was aborted", "AbortError")): void {
    if (this.#aborted !== undefined) return;
    this.#aborted = { reason };
    for (const listener of this.#listeners ?? []) listener.handleEvent();
    this.#listeners = undefined;
    this.#controller?.abort(reason);
  }

  /** Calls `listener` once when it aborts, and never if it has aborted already. */
  addListener(listener: AbortListener): void {
    if (this.#aborted === undefined) (this.#listeners ??= new Set()).add(listener);
  }

  removeListener(listener: AbortListener): void {
    this.#listeners?.delete(listener);
  }
}
