/** Whose a task is: the principal's, or, where nobody has made sure who asks, the session's it came from (N10, TK-19, R4). */
import { randomId } from "../../../base/random-id.ts";
import type { Connection } from "../../../session/connection.ts";
import type { RequestContext } from "../../../session/request-context.ts";

const sessions = new WeakMap<Connection, string>();

/**
 * The same text for the same owner. Requests without principal and session have one in common: between them nothing but
 * the id tells who may see a task, and it cannot be guessed.
 */
export function ownerOf({ principal, codec, connection }: RequestContext): string {
  if (principal !== undefined) return `principal ${principal}`;
  if (codec.stateless) return SHARED_OWNER;
  let session = sessions.get(connection);
  if (session === undefined) sessions.set(connection, (session = randomId()));
  return `session ${session}`;
}

export const SHARED_OWNER = "";
