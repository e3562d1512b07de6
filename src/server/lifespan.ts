/** What all requests of a server share: opened once, when it first serves, and disposed of when it closes. */
import { isPromise, type MaybePromise } from "../base/maybe-promise.ts";

export class LifespanHolder<T> {
  /** What was opened; undefined before and after. */
  value: T | undefined;
  readonly #open: (() => MaybePromise<T>) | undefined;
  #opening: Promise<void> | undefined;

  constructor(open: (() => MaybePromise<T>) | undefined) {
    this.#open = open;
  }

  /** Opens it unless it is open; after a failure the next call tries again. */
  open(): Promise<void> {
    if (this.#open === undefined) return Promise.resolve();
    this.#opening ??= this.#start(this.#open).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #start(open: () => MaybePromise<T>): Promise<void> {
    const opened = open();
    this.value = isPromise(opened) ? await opened : opened;
  }

  /** Disposes of it, once. */
  async close(): Promise<void> {
    if (this.#opening === undefined) return;
    await this.#opening.catch(() => undefined); // whoever opened it was told
    const { value } = this;
    this.#opening = undefined;
    this.value = undefined;
    await dispose(value);
  }
}

async function dispose(value: unknown): Promise<void> {
  if (typeof value !== "object" || value === null) return;
  const { [Symbol.asyncDispose]: asyncDispose, [Symbol.dispose]: syncDispose } = value as Partial<AsyncDisposable & Disposable>;
  if (asyncDispose) await asyncDispose.call(value);
  else syncDispose?.call(value);
}
