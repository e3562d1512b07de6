/**
 * How many requests of one caller run at once on a connection over HTTP that others use too: half of those that the connection has pending
 * (`limits.maxConcurrentRequests` of the server's entry). Further ones of that caller wait in line, so a server that answers one caller late,
 * or never, has room for all others. Callers of whom only the address is known are one caller for each address.
 */
import { onAbort, type Abortable } from "../../base/abort.ts";

interface Line {
  running: number;
  /** What begins the requests that wait, in order. */
  readonly waiting: Set<() => void>;
}

interface Turn {
  readonly caller: string;
  /** Requests that the connection has pending at most. */
  readonly maxPending: number;
  /** Takes the request out of the line. */
  readonly abort: Abortable | undefined;
}

export class CallerTurns {
  readonly #lines = new Map<string, Line>();

  /** Runs `send` when it is the caller's turn, mostly at once. @throws what `send` throws; the reason of `abort` if it aborts before */
  async run<Result>({ caller, maxPending, abort }: Turn, send: () => Promise<Result>): Promise<Result> {
    const line = this.#lines.get(caller) ?? { running: 0, waiting: new Set() };
    this.#lines.set(caller, line);
    if (line.running < Math.max(1, Math.floor(maxPending / 2))) line.running++;
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

/** @throws the reason of `abort`, also if it has aborted before */
async function turnIn({ waiting }: Line, abort: Abortable | undefined): Promise<void> {
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
