/** The owner of a task: the principal, or without authentication the session that it came from. */
import { randomId } from "../../../base/bytes.ts";
import type { Connection } from "../../../session/connection.ts";
import type { RequestContext } from "../../../session/request-context.ts";

const sessions = new WeakMap<Connection, string>();

/**
 * The owner as a string. Requests without principal and session share one owner. For them only the id protects a task, and it cannot be
 * guessed.
 */
export function ownerOf({ principal, codec, connection }: RequestContext): string {
  if (principal !== undefined) return `principal ${principal}`;
  if (codec.stateless) return SHARED_OWNER;
  const { memory } = connection.dispatcher;
  if (memory !== undefined) return `session ${memory.id}`; // other processes serve the session too
  let session = sessions.get(connection);
  if (session === undefined) sessions.set(connection, (session = randomId()));
  return `session ${session}`;
}

export const SHARED_OWNER = "";
