/**
 * How many notifications handlers may send in one turn of the event loop. Without it a handler that awaits each step of its
 * progress never yields while the transport keeps up: such an `await` is over in the same turn, and no other request is read.
 *
 * The count is one for all handlers of the process, and there is no clock: a step takes a few microseconds.
 */

/** What a few milliseconds bring. */
const MAX_STEPS = 1_000;

let steps = 0;

/** The share of one request. It waits on its own: a runtime may drop what was scheduled for another one. */
export class TurnBudget {
  #nextTurn: Promise<void> | undefined;

  /** Counts one notification. Resolves in the next turn if this one has had many; undefined if it has not. */
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
