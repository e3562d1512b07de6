/**
 * Finds whose a kept result is: the principal's; without one the session's or the connection's.
 *
 * A request over HTTP without a login and without a session has neither. Its link is then the key: each caller that has it can read the
 * result, and it has 256 random bits. So is the link of a task that another process took over and that has no principal.
 */
import type { RequestContext } from "../session/request-context.ts";
import { userOf } from "../state/owner.ts";
import { connectionName } from "../state/owner.ts";

export interface SpillOwner {
  /** Distinguishes the owners: it is part of the key of each result. */
  readonly name: string;
  /** Names all that counts against one limit, and that `forget()` removes. */
  readonly share: string;
}

/** Kinds of transport whose requests may each have a connection of their own. */
const LOOSE: ReadonlySet<string> = new Set(["http", "task"]);
/** The owner of what nothing but its link protects. */
const OF_LINK = "link";

export function ownerOf(context: RequestContext): SpillOwner {
  const { principal } = context;
  if (principal !== undefined) return { name: `principal ${principal}`, share: userOf(principal) };
  const share = context.share ?? "local";
  const session = sessionOf(context);
  return session === undefined ? { name: OF_LINK, share } : { name: `session ${session}`, share: context.share ?? `session ${session}` };
}

/** The owners whose results a request may read: its own, and what only a link protects. */
export function readableBy(context: RequestContext): readonly string[] {
  const { name } = ownerOf(context);
  return name === OF_LINK ? [OF_LINK] : [name, OF_LINK];
}

function sessionOf({ codec, connection, transport }: RequestContext): string | undefined {
  const { dispatcher } = connection;
  if (transport.kind === "task") return undefined;
  if ("sessionId" in dispatcher) return dispatcher.sessionId ?? undefined;
  return codec.stateless && LOOSE.has(transport.kind) ? undefined : connectionName(connection);
}
