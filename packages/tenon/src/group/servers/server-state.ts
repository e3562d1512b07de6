/** The status of a server of a group, as users see it and as the group keeps it. */
import type { Implementation } from "../../protocol/capabilities.ts";
import type { GroupSession } from "../../upstream/session.ts";

/**
 * `connecting`: the group tries to connect. `connected`: its components are in the maps. `waiting`: it was lost or did not
 * connect, and will be tried again soon. `broken`: it failed too often in a row, and is tried again after half a minute.
 * `closed`: it is not tried again by itself.
 */
export type ServerState = "connecting" | "connected" | "waiting" | "broken" | "closed";

/** The status of one server of a group: a snapshot. */
export interface ServerStatus {
  /** Its name in the group. */
  readonly name: string;
  /** Its state; its components can be used while it is `connected`. */
  readonly state: ServerState;
  /** When the state began. */
  readonly since: Date;
  /** The last error; undefined if none occurred since it connected. */
  readonly error: Error | undefined;
  /** Failed attempts in a row. */
  readonly failures: number;
  /** The session, while it is connected. */
  readonly session: GroupSession | undefined;
  /** The name and version that it declared when it last connected. Not verified. */
  readonly serverInfo: Implementation | undefined;
}

/** Keeps the state of one server, since when it is in it, and its last error. */
export class StatusRecord {
  /** Whether the group has the server. Changes are announced only then. */
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
