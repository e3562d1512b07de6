/**
 * `#async-context` on Node, which Bun and Deno have too: what `AsyncLocalStorage` carries along through `await`.
 *
 * A tracked context tells the runtime to keep track only while something runs: on Node 20 and 22 that slows every promise
 * of the process.
 */
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import type { RunInContext, TrackedContext } from "../base/async-context.ts";
import { isPromise, type MaybePromise } from "../base/maybe-promise.ts";

/** Runs functions in the context of this moment: every `AsyncLocalStorage` then holds what it holds now. */
export function captureContext(): RunInContext {
  // `AsyncLocalStorage.snapshot()` is the same, from Node 20.5 on.
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
