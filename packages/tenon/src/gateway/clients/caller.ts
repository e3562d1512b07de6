/**
 * Who calls the gateway: the owner of what servers keep for the call, and the caller's abilities.
 *
 * The principal comes from the endpoint, where `server/http/authorized-client.ts` knows the client of one HTTP request.
 */
import type { AuthInfo } from "../../auth/resource-server/auth-info.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { shareOf } from "../../transport/transport-context.ts";
import { LOCAL, type CredentialsOwner } from "../credentials/caller-auth.ts";
import type { Front } from "./front.ts";
import { ownerAt } from "./owner-names.ts";
import type { Profile, Profiles } from "./profile.ts";

export interface Caller {
  /** The authenticated client. */
  readonly principal: string | undefined;
  /** What its verified token says; undefined without a token. */
  readonly auth: AuthInfo | undefined;
  /** Its connection, if it has one for several requests. */
  readonly session: Front | undefined;
  /** Whether it connects from this machine, as far as can be seen, and has no other name: such callers share programs. */
  readonly isLocal: boolean;
  /** Whether it is the user of this machine: by its transport, or over HTTP by the option `localLogins`. */
  readonly isUser: boolean;
  /** Whether it is the host of a gateway on stdio. */
  readonly isStdio: boolean;
  /** Whose share of a server's connections it uses: its principal's, else its address's. Undefined if neither is known. */
  readonly holder: string | undefined;
  readonly profile: Profile;
}

/** What is the same for all callers. */
interface Callers {
  readonly profiles: Profiles;
  /** Whether clients over HTTP on this machine count as its user. */
  readonly localLogins: boolean;
}

/** Addresses of this machine, as limits count addresses. */
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|0:0:0:0::\/64|::1)$/;
/**
 * Headers that a proxy may add. A client behind a proxy may be anywhere, although its connection comes from this machine. No right comes
 * from their absence: the operator gives it by `localLogins`, and they take it away.
 */
const FORWARDING_HEADERS: readonly string[] = [
  ...["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-server", "via", "cdn-loop"],
  ...["x-real-ip", "x-client-ip", "true-client-ip", "x-cluster-client-ip", "x-envoy-external-address"],
  ...["cf-connecting-ip", "fastly-client-ip", "fly-client-ip"],
];

/** The caller of a request. Over HTTP only a session of a stateful revision is a connection of one client. */
export function callerOf(context: RequestContext, front: Front, { profiles, localLogins }: Callers): Caller {
  const { transport, principal, auth, client, codec } = context;
  const isHttp = transport.kind === "http";
  const isLocal = principal === undefined && (!isHttp || isOfThisMachine(transport));
  return {
    principal,
    auth,
    session: isHttp && codec.stateless ? undefined : front,
    isStdio: transport.kind === "stdio",
    isLocal,
    isUser: isLocal && (!isHttp || localLogins),
    holder: shareOf({ principal, address: transport.address }),
    profile: profiles.of(client.capabilities, codec.stateless),
  };
}

function isOfThisMachine(transport: RequestContext["transport"]): boolean {
  return LOOPBACK.test(transport.address ?? "") && !FORWARDING_HEADERS.some((name) => transport.header?.(name) !== undefined);
}

/** Whose call it is, as one string: for limits, and for what must not be mixed. */
export function ownerOf({ principal, session }: Caller, { transport }: Pick<RequestContext, "transport">): string {
  if (principal !== undefined) return `principal ${principal}`;
  return session === undefined ? ownerAt(transport.address) : `session ${session.id}`;
}

/** Who hears what a server says of a call, as one string: all sessions over HTTP of the user of this machine are one. */
export function hearerOf(caller: Caller, context: Pick<RequestContext, "transport">): string {
  return caller.isUser && context.transport.kind === "http" ? "user" : ownerOf(caller, context);
}

/** Whose credentials a server gets. @throws McpError -32603 if the gateway does not know the caller, or cannot tell it from a local one */
export function credentialsOwnerOf({ principal, auth, isUser }: Caller, server: string): CredentialsOwner {
  if (principal === LOCAL)
    throw noCredentialsError(server, `a caller whose principal is "${LOCAL}" gets no credentials of a client on this machine`);
  if (principal !== undefined) return { principal, auth };
  if (isUser) return { principal: LOCAL, auth: undefined };
  throw noCredentialsError(server, 'this caller has no token (option "auth" of the endpoint; "localLogins" for programs on this machine)');
}

function noCredentialsError(server: string, why: string): McpError {
  const message = `Server "${server}" is not available: its credentials differ by caller, and ${why}`;
  return new McpError(ErrorCode.InternalError, message, { server, reason: "login" });
}
