/** What all requests of a server share: opened once, when it first serves, and disposed of when it closes. */
import type { MaybePromise } from "../base/maybe-promise.ts";

export class LifespanHolder<T> {
  /** What was opened; undefined before and after. */
  value: T | undefined;
  #opening: Promise<void> | undefined;

  /** Opens it unless it is open; after a failure the next call tries again. */
  open(create: () => MaybePromise<T>): Promise<void> {
    this.#opening ??= this.#start(create).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #start(create: () => MaybePromise<T>): Promise<void> {
    this.value = await create();
  }

  /** Disposes of it, once. */
  async close(): Promise<void> {
    await this.#opening?.catch(() => undefined); // whoever opened it was told
    const { value } = this;
    this.#opening = this.value = undefined;
    await dispose(value);
  }
}

type Disposer = (() => unknown) | undefined;

async function dispose(value: unknown): Promise<void> {
  const { [Symbol.asyncDispose]: later, [Symbol.dispose]: now } = (value ?? {}) as { readonly [each: symbol]: Disposer }; // of any value
  await (later ?? now)?.call(value);
}
