/**
 * How many requests of one caller run at once on a connection over HTTP that others use too: half of those that the connection has pending
 * (`limits.maxConcurrentRequests` of the server's entry). Further ones of that caller wait in line, so a server that answers one caller late,
 * or never, has room for all others. Callers of whom only the address is known are one caller for each address.
 */
import { onAbort, type Abortable } from "../../base/abort.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { PassingMap } from "../../base/passing.ts";

interface Line {
  running: number;
  /** What begins the requests that wait, in order. */
  waiting?: Set<() => void>;
}

interface Turn {
  readonly caller: string;
  /** Requests that the connection has pending at most. */
  readonly maxPending: number;
  /** Takes the request out of the line. */
  readonly abort: Abortable | undefined;
}

export class CallerTurns {
  readonly #lines = new PassingMap<string, Line>();

  /**
   * Begins the turn of a request: mostly at once, else when the returned promise resolves. A turn that began needs an {@link end}.
   * @throws the reason of `abort` if it aborts before
   */
  begin({ caller, maxPending, abort }: Turn): MaybePromise<void> {
    const line = this.#lines.get(caller);
    if (line === undefined) this.#lines.set(caller, { running: 1 });
    else if (line.running < Math.max(1, Math.floor(maxPending / 2))) line.running++;
    else return turnIn((line.waiting ??= new Set()), abort);
    return undefined;
  }

  /** Gives the turn to the next request of the caller. */
  end(caller: string): void {
    const line = this.#lines.get(caller)!; // the turn began
    for (const begin of line.waiting ?? []) {
      line.waiting!.delete(begin);
      return begin();
    }
    if (--line.running === 0) this.#lines.delete(caller);
  }
}

/** @throws the reason of `abort`, also if it has aborted before */
async function turnIn(waiting: Set<() => void>, abort: Abortable | undefined): Promise<void> {
  abort?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const begin = (): void => {
      stop?.();
      resolve();
    };
    const stop =
      abort &&
      onAbort(abort, () => {
        if (waiting.delete(begin)) reject(abort.reason as Error);
      });
    waiting.add(begin);
  });
}
