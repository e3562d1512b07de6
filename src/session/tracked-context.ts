/** What is going on right now, carried along through `await`: the interface, and where `#tracked-context` leads outside Node. */
import type { MaybePromise } from "../base/maybe-promise.ts";

export interface TrackedContext<T> {
  /** Runs `work`, inside of which {@link current} is `value`. */
  run<R>(value: T, work: () => MaybePromise<R>): MaybePromise<R>;
  /** The value of the innermost `run` this code is part of, while it lasts. */
  readonly current: T | undefined;
}

/** Without help of the runtime only the part of `work` before its first `await` can be told. */
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
