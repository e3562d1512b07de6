/**
 * Finds whose a kept value is: a user's, one program's of the user, or a session's.
 *
 * All that is kept of one user lies together, so that it is limited together and can be forgotten together.
 */
import { jsonIn } from "../jsonrpc/parse-json.ts";
import { randomId } from "../base/bytes.ts";
import { isSameIssuer } from "../auth/issuer-name.ts";
import { McpUsageError } from "../jsonrpc/mcp-error.ts";
import type { Connection } from "../session/connection.ts";
import type { RequestContext } from "../session/request-context.ts";

/** Whose a value is: see the option `per` of `state()`. */
export type StatePer = "user" | "session" | "client";

/** A user for {@link userOf}: the principal of a context, or what names the user in tokens. */
export type UserName =
  | string
  | {
      /** The authorization server that issues the user's tokens. */
      readonly issuer: string;
      /** The user there. */
      readonly subject: string;
    };

export interface Owner {
  /** Names all that belongs to one user; without a user, to one session. */
  readonly user: string;
  /** Distinguishes the owners of one user. */
  readonly part: string;
}

/** Transports whose other end was started by the user, or is this program. */
const OF_THIS_MACHINE: ReadonlySet<string> = new Set(["stdio", "streams", "direct", "memory"]);

/** Whether a request comes from this machine, and not over a network. */
export function isOfThisMachine({ transport }: RequestContext): boolean {
  return OF_THIS_MACHINE.has(transport.kind);
}

/** All calls that reach a program over its own pipes are of one user. */
export const LOCAL_USER = "local";

/** @throws McpUsageError if nothing tells whose it is; it says what to do */
export function ownerOf(context: RequestContext, per: StatePer, what: string, hint = ', or keep it per: "session"'): Owner {
  const { principal } = context;
  if (per === "session") {
    const part = `session ${sessionOf(context, what)}`;
    return { user: principal === undefined ? part : userOf(principal), part };
  }
  const user = userIn(context);
  if (user !== undefined) return { user, part: per === "user" || principal === undefined ? per : `client ${principal}` };
  throw new McpUsageError(
    `${what} belongs to a ${per}, and this request has none: it came without a login. Give the endpoint "auth", such as bearer() or apiKeys()${per === "user" ? hint : ""}`,
  );
}

/** The user of a request; undefined if it came over a network without a login. */
export function userIn(context: RequestContext): string | undefined {
  if (context.principal !== undefined) return userOf(context.principal);
  return isOfThisMachine(context) ? LOCAL_USER : undefined;
}

/** Whether two names of users, as {@link userOf} writes them, are of one user: an issuer may be spelled with a slash at its end. */
export function isSameUser(one: string, other: string): boolean {
  if (one === other) return true;
  const [[issuer, subject], [otherIssuer, otherSubject]] = [partsOf(one), partsOf(other)];
  if (typeof issuer !== "string" || typeof otherIssuer !== "string" || typeof subject !== "string") return false;
  return isSameIssuer(issuer, otherIssuer) && subject === otherSubject;
}

/** Whether a user, as {@link userOf} writes it, is one of an issuer. */
export function isUserOf(user: string, issuer: string): boolean {
  const [own] = partsOf(user);
  return typeof own === "string" && isSameIssuer(own, issuer);
}

/** Names a user without the program that the user came with. */
export function userOf(name: UserName): string {
  if (typeof name !== "string") return JSON.stringify([name.issuer, name.subject]);
  const [issuer, subject, ...others] = partsOf(name);
  return subject === undefined || subject === null || others.length !== 1 ? name : JSON.stringify([issuer, subject]);
}

/** The members of a principal; none if middleware has set a principal of its own. */
function partsOf(principal: string): readonly unknown[] {
  const parts = jsonIn(principal);
  return Array.isArray(parts) ? parts : [];
}

const connectionIds = new WeakMap<Connection, string>();

/** @throws McpUsageError on a revision or an endpoint without sessions */
function sessionOf({ codec, connection, transport }: RequestContext, what: string): string {
  const { dispatcher } = connection;
  const isGone = codec.stateless || transport.kind === "task" || ("sessionId" in dispatcher && dispatcher.sessionId === undefined);
  if (!isGone) return dispatcher.sessionId ?? connectionName(connection);
  const why = codec.stateless ? `revision ${codec.version} has no sessions` : "this request belongs to none";
  throw new McpUsageError(
    `${what} belongs to a session, and ${why}. Keep it per: "user", or let the tool return an id that it takes as an argument`,
  );
}

/** The name of a connection that is one session by itself, and so has no id of its own. */
export function connectionName(connection: Connection): string {
  const known = connectionIds.get(connection);
  if (known !== undefined) return known;
  const id = randomId();
  connectionIds.set(connection, id);
  return id;
}
