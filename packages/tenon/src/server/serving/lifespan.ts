/** The shared resource of all requests of a server, such as a database: opened when the server first serves, disposed of when it closes. */
import { Late } from "../../base/late.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";

type Disposer = (() => unknown) | undefined;

export class ServerLifespan<T> {
  readonly #open: () => MaybePromise<T>;
  /** Those who have opened it: its server, and each server that has mounted that one. The last one to leave disposes of it. */
  readonly #holders = new Set<object>();
  #late: Late<T> | undefined;
  #opened: MaybePromise<T> | undefined;

  /** @param open called by the first {@link open}, and again after a failure */
  constructor(open: () => MaybePromise<T>) {
    this.#open = open;
  }

  /** The resource; undefined before it is open and after it is disposed of. */
  get value(): T | undefined {
    return this.#late?.loaded;
  }

  /** Opens the resource, once for concurrent callers. @throws the error of `open` */
  async open(holder: object): Promise<void> {
    this.#holders.add(holder);
    this.#late ??= new Late(async () => this.#open());
    await (this.#opened = this.#late.get());
  }

  /** Disposes of the resource with its last holder, if it has `Symbol.asyncDispose` or `Symbol.dispose`. Does nothing if opening it failed. */
  async dispose(holder: object): Promise<void> {
    if (!this.#holders.delete(holder) || this.#holders.size > 0) return;
    const opened = this.#opened;
    this.#late = this.#opened = undefined;
    const value = await Promise.resolve(opened).catch(() => undefined);
    const { [Symbol.asyncDispose]: later, [Symbol.dispose]: now } = (value ?? {}) as { readonly [each: symbol]: Disposer }; // any value may have them
    await (later ?? now)?.call(value);
  }
}
