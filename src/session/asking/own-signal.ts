/** The signal of a handler that may outlive the request it began with: it follows the request the handler works for. */

export class OwnSignal {
  readonly #abort = new AbortController();
  #unlink: (() => void) | undefined;

  constructor(request: AbortSignal) {
    this.follow(request);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** From now on aborts when that request does, and no other. */
  follow(request: AbortSignal): void {
    this.#unlink?.();
    const onAbort = (): void => this.abort(request.reason);
    if (request.aborted) return onAbort();
    request.addEventListener("abort", onAbort, { once: true });
    this.#unlink = (): void => request.removeEventListener("abort", onAbort);
  }

  abort(reason: unknown): void {
    this.#unlink?.();
    this.#unlink = undefined;
    this.#abort.abort(reason);
  }
}
