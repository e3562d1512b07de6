/** Calls back once the current turn of the event loop is over: what is said in one turn leaves in one write. */

/** Something that has work left for the end of the turn. */
export interface Deferred {
  turnEnded(): void;
}

let queue: Deferred[] = [];

/** Queues `deferred` for the end of this turn. One callback serves all that is queued. */
export function atEndOfTurn(deferred: Deferred): void {
  if (queue.push(deferred) === 1) schedule();
}

function schedule(): void {
  if (typeof setImmediate === "function") setImmediate(run);
  // Not a timer: workers drop one with the request that set it, and the queue would never be run again.
  else queueMicrotask(run);
}

function run(): void {
  const due = queue;
  queue = [];
  for (const deferred of due) deferred.turnEnded();
}
