/**
 * How many notifications handlers may send in one turn of the event loop. Without it, a handler that awaits each progress
 * notification never yields while the transport accepts them at once: such an `await` ends in the same turn, and no other request
 * is read.
 *
 * All handlers of the process share one count, and there is no clock: a notification takes a few microseconds.
 */

/** Notifications of a few milliseconds. */
const MAX_STEPS = 1_000;

let steps = 0;

/** The share of one request. It waits on its own: a runtime may drop what was scheduled for another one. */
export class TurnBudget {
  #nextTurn: Promise<void> | undefined;

  /** Counts one notification. Resolves in the next turn if this turn has had too many; undefined otherwise. */
  spend(): Promise<void> | undefined {
    if (++steps < MAX_STEPS || typeof setImmediate !== "function") return undefined;
    return (this.#nextTurn ??= new Promise((resolve) => {
      setImmediate(() => {
        steps = 0;
        this.#nextTurn = undefined;
        resolve();
      });
    }));
  }
}
