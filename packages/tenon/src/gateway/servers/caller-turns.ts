/**
 * How many requests of one caller run at once on a connection over HTTP that others use too. Further ones of that caller wait in line: a
 * server that answers one caller late, or never, has room for all others.
 */
import { onAbort, type Abortable } from "../../base/abort.ts";

/** Half of what a connection takes (`limits.maxConcurrentRequests`), if its entry does not say otherwise. */
const MAX_RUNNING = 32;

interface Line {
  running: number;
  /** What begins the requests that wait, in order. */
  readonly waiting: Set<() => void>;
}

export class CallerTurns {
  readonly #lines = new Map<string, Line>();

  /** Runs `send` when it is the caller's turn, mostly at once. @throws what `send` throws; the reason of `abort` if it aborts before */
  async run<Result>(caller: string, abort: Abortable | undefined, send: () => Promise<Result>): Promise<Result> {
    const line = this.#lines.get(caller) ?? { running: 0, waiting: new Set() };
    this.#lines.set(caller, line);
    if (line.running < MAX_RUNNING) line.running++;
    else await turnIn(line, abort);
    try {
      return await send();
    } finally {
      this.#end(caller, line);
    }
  }

  /** Gives the turn to the next request of the caller. */
  #end(caller: string, line: Line): void {
    for (const begin of line.waiting) {
      line.waiting.delete(begin);
      return begin();
    }
    if (--line.running === 0) this.#lines.delete(caller);
  }
}

function turnIn({ waiting }: Line, abort: Abortable | undefined): Promise<void> {
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
