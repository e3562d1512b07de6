/**
 * What is going on right now, carried along through `await`: `#tracked-context` on Node, Bun and Deno.
 *
 * The runtime is told to keep track only while something runs: on Node 20 and 22 that slows every promise of the process.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import type { TrackedContext } from "../session/tracked-context.ts";

class NodeContext<T> implements TrackedContext<T> {
  readonly #storage = new AsyncLocalStorage<T>();
  #running = 0;

  run<R>(value: T, work: () => MaybePromise<R>): MaybePromise<R> {
    this.#running++;
    let done: MaybePromise<R>;
    try {
      done = this.#storage.run(value, work);
    } catch (error) {
      this.#left();
      throw error;
    }
    if (isPromise(done)) return done.finally(() => this.#left());
    this.#left();
    return done;
  }

  get current(): T | undefined {
    return this.#running === 0 ? undefined : this.#storage.getStore();
  }

  #left(): void {
    if (--this.#running === 0) this.#storage.disable();
  }
}

export function createTrackedContext<T>(): TrackedContext<T> {
  return new NodeContext<T>();
}
