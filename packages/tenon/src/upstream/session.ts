/** The sessions in a group, and watching for changes on them. */
import type { ChangeStream } from "../client/listen/change-stream.ts";
import type { ListenFilter } from "../client/listen/changes.ts";
import { Client } from "../client/client.ts";
import type { ClientSession } from "../client/session.ts";
import { listenOn } from "../client/listen/listen.ts";
import type { CallOptions } from "../client/call/outgoing-request.ts";
import type { JsonObject } from "../jsonrpc/message.ts";

/** A session in a group: a `Client` that the group opened, or a {@link ClientSession} that the user opened. */
export type GroupSession = ClientSession;

export type Listen = (filter: ListenFilter) => Promise<ChangeStream>;

/** Returns a function that opens streams on a session. A `Client` shares its subscriptions with the user's own streams. */
export function listenerOf(session: GroupSession): Listen {
  return session instanceof Client ? (filter) => session.listen(filter) : listenOn(session);
}

/** Requests one page of a list, as the session reads it. */
export async function pageOf(session: GroupSession, method: string, params: JsonObject, options: CallOptions): Promise<JsonObject> {
  const lists = {
    "tools/list": () => session.listTools(params, options),
    "prompts/list": () => session.listPrompts(params, options),
    "resources/list": () => session.listResources(params, options),
    "resources/templates/list": () => session.listResourceTemplates(params, options),
  } as const;
  return { ...(await lists[method as keyof typeof lists]()) }; // the methods of the table of kinds
}
