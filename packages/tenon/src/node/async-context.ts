/**
 * `#async-context` on Node, Bun and Deno: asynchronous contexts by `AsyncLocalStorage`.
 *
 * A tracked context is enabled only while something runs in it, because on Node 20 and 22 tracking slows every promise of
 * the process.
 */
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import type { RunInContext, TrackedContext } from "../base/async-context.ts";
import { isPromise, type MaybePromise } from "../base/maybe-promise.ts";

/** Returns a function that runs others in the current context, with the current values of every `AsyncLocalStorage`. */
export function captureContext(): RunInContext {
  // `AsyncLocalStorage.snapshot()` does the same from Node 20.5 on.
  const here = new AsyncResource("tenon.message");
  return (fn) => here.runInAsyncScope(fn);
}

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
