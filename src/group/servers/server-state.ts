/** The state of a server of a group, as users see it and as the group keeps it. */
import type { Implementation } from "../../protocol/capabilities.ts";
import type { GroupSession } from "../group-session.ts";

/**
 * `connecting`: an attempt is under way. `connected`: its components are in the maps. `waiting`: it was lost or did not
 * connect, and will be tried again soon. `broken`: it failed too often in a row and is left alone for half a minute before
 * one attempt more. `closed`: it will not be tried again by itself.
 */
export type ServerState = "connecting" | "connected" | "waiting" | "broken" | "closed";

/** How one server of a group is doing: a snapshot. */
export interface ServerStatus {
  /** As it was configured. */
  readonly name: string;
  /** Whether its components can be used right now. */
  readonly state: ServerState;
  /** When it came into that state. */
  readonly since: Date;
  /** What went wrong last; undefined while it is connected and since then nothing has. */
  readonly error: Error | undefined;
  /** Attempts that failed in a row. */
  readonly failures: number;
  /** The connection, while there is one. */
  readonly session: GroupSession | undefined;
  /** Who it said it is when it last connected. Not verified. */
  readonly serverInfo: Implementation | undefined;
}

/** The state of one server: since when it is in it, and what went wrong last. */
export class StatusRecord {
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
