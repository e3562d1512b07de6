/** The connections in a group, and watching for changes on them. */
import type { ChangeStream } from "../client/listen/change-stream.ts";
import type { ListenFilter } from "../client/listen/changes.ts";
import { Client } from "../client/client.ts";
import type { ClientSession } from "../client/session.ts";
import { listenOn } from "../client/listen/listen.ts";

/** A connection in a group: a `Client`, or a {@link ClientSession} that was opened by hand and is lent. */
export type GroupSession = ClientSession;

/** Opens streams of changes. */
export type Listen = (filter: ListenFilter) => Promise<ChangeStream>;

/** How to watch for changes on a session. What is counted for its streams is shared with those the user has opened. */
export function listenerOf(session: GroupSession): Listen {
  return session instanceof Client ? (filter) => session.listen(filter) : listenOn(session);
}
