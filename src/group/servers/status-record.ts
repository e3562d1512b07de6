/** How one server of a group is: its state, since when, and what went wrong last. */
import type { ServerState } from "./server-status.ts";

export class Condition {
  /** Whether anybody knows of the server: one that never joined never changed. */
  isKnown = false;
  error: Error | undefined;
  /** Attempts that failed in a row. */
  failures = 0;
  since: Date = new Date();
  readonly #onChange: (state: ServerState) => void;
  #state: ServerState = "connecting";

  constructor(onChange: (state: ServerState) => void) {
    this.#onChange = onChange;
  }

  get state(): ServerState {
    return this.#state;
  }

  set state(state: ServerState) {
    if (state === this.#state) return;
    this.#state = state;
    this.since = new Date();
    if (this.isKnown) this.#onChange(state);
  }

  joined(): void {
    this.isKnown = true;
    this.error = undefined;
    this.failures = 0;
  }

  failed(error: unknown): void {
    this.error = error instanceof Error ? error : new Error(String(error));
    this.failures++;
  }
}
