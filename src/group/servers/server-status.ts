/** How a server of a group is. */
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
