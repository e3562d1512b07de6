/** The shared resource of all requests of a server, such as a database: opened when the server first serves, disposed of when it closes. */
import { Late } from "../base/late.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";

type Disposer = (() => unknown) | undefined;

export class ServerLifespan<T> {
  #late: Late<T> | undefined;
  #opened: MaybePromise<T> | undefined;

  /** @param open called by the first {@link open}, and again after a failure */
  constructor(open: () => MaybePromise<T>) {
    this.#late = new Late(async () => open());
  }

  /** The resource; undefined before it is open and after it is disposed of. */
  get value(): T | undefined {
    return this.#late?.loaded;
  }

  /** Opens the resource, once for concurrent callers. @throws the error of `open` */
  async open(): Promise<void> {
    await (this.#opened = this.#late?.get());
  }

  /** Disposes of the resource if it has `Symbol.asyncDispose` or `Symbol.dispose`. Does nothing if opening it failed. */
  async dispose(): Promise<void> {
    const opened = this.#opened;
    this.#late = this.#opened = undefined;
    const value = await Promise.resolve(opened).catch(() => undefined);
    const { [Symbol.asyncDispose]: later, [Symbol.dispose]: now } = (value ?? {}) as { readonly [each: symbol]: Disposer }; // any value may have them
    await (later ?? now)?.call(value);
  }
}
