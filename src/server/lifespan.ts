/** What all requests of a server share, such as a database: opened when it first serves, disposed of when it closes. */
import { Late } from "../base/late.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";

type Disposer = (() => unknown) | undefined;

export class ServerLifespan<T> {
  #late: Late<T> | undefined;
  #opened: MaybePromise<T> | undefined;

  /** @param open called by the first {@link open}, and again if it has failed */
  constructor(open: () => MaybePromise<T>) {
    this.#late = new Late(async () => open());
  }

  /** Undefined until it is open, and once it is disposed of. */
  get value(): T | undefined {
    return this.#late?.loaded;
  }

  /** Opens it, once for all who come meanwhile. @throws what opening it failed with */
  async open(): Promise<void> {
    await (this.#opened = this.#late?.get());
  }

  /** Disposes of what was opened, if it has a way to. Does nothing if opening it failed: then the connection was refused. */
  async dispose(): Promise<void> {
    const opened = this.#opened;
    this.#late = this.#opened = undefined;
    const value = await Promise.resolve(opened).catch(() => undefined);
    const { [Symbol.asyncDispose]: later, [Symbol.dispose]: now } = (value ?? {}) as { readonly [each: symbol]: Disposer }; // of any value
    await (later ?? now)?.call(value);
  }
}
