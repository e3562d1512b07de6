/**
 * Values that follow the code through `await`: the interface of `#async-context`, and its fallback for runtimes without such
 * contexts (browsers, some workers). On Node, Bun and Deno `#async-context` is `node/async-context.ts`.
 */
import type { MaybePromise } from "./maybe-promise.ts";

/** Runs a function in the context that a message was sent from, as `AsyncLocalStorage.snapshot()` does. */
export type RunInContext = <T>(fn: () => T) => T;

/** A separate value for each piece of work, however many run at the same time. */
export interface TrackedContext<T> {
  /** Runs `work`; inside it {@link current} is `value`. */
  run<R>(value: T, work: () => MaybePromise<R>): MaybePromise<R>;
  /** The value of the innermost `run` that this code is part of; undefined outside. */
  readonly current: T | undefined;
}

/** Captures the current context; undefined if the runtime has no contexts, as here. */
export function captureContext(): RunInContext | undefined {
  return undefined;
}

/** Without the runtime's help, the value is visible only in the part of `work` before its first `await`. */
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
