/** Calls back at the end of the current turn of the event loop, so that the messages of one turn are sent in one write. */

export interface Deferred {
  turnEnded(): void;
}

let queue: Deferred[] = [];

/** Queues `deferred` for the end of this turn. One callback runs the whole queue. */
export function atEndOfTurn(deferred: Deferred): void {
  if (queue.push(deferred) === 1) schedule();
}

function schedule(): void {
  if (typeof setImmediate === "function") setImmediate(run);
  // Not a timer: workers drop a timer with the request that set it, and then the queue would never run again.
  else queueMicrotask(run);
}

function run(): void {
  const due = queue;
  queue = [];
  for (const deferred of due) deferred.turnEnded();
}
