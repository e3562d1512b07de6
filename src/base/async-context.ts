/**
 * What is carried along through `await`: the interface of `#async-context`, and what it is where the runtime carries nothing
 * (browsers, some workers). On Node, Bun and Deno `#async-context` is `node/async-context.ts`.
 */
import type { MaybePromise } from "./maybe-promise.ts";

/** Runs a function in the context another one was sent from: what `AsyncLocalStorage.snapshot()` makes (SM-09, CV-12). */
export type RunInContext = <T>(fn: () => T) => T;

/** A value of its own for each piece of work, however many run at the same time. */
export interface TrackedContext<T> {
  /** Runs `work`, inside of which {@link current} is `value`. */
  run<R>(value: T, work: () => MaybePromise<R>): MaybePromise<R>;
  /** The value of the innermost `run` that this code is part of, while it lasts. */
  readonly current: T | undefined;
}

/** Runs functions in the context of this moment; undefined if the runtime has no contexts, as here. */
export function captureContext(): RunInContext | undefined {
  return undefined;
}

/** Without the runtime's help a value is known only in the part of `work` before its first `await`. */
export function createTrackedContext<T>(): TrackedContext<T> {
  let current: T | undefined;
  return {
    run(value, work) {
      const before = current;
      current = value;
      try {
        return work();
      } finally {
        current = before;
      }
    },
    get current() {
      return current;
    },
  };
}
