/** What is known of a message's transport and of its sender. */
import type { AuthInfo } from "../auth/resource-server/auth-info.ts";
import type { JsonObject, RequestId } from "../jsonrpc/message.ts";

/** The connection that a request came in on: `ctx.transport` of a handler. */
export interface TransportContext {
  /** The transport's name: `"stdio"`, `"http"`, `"direct"` and so on. */
  readonly kind: string;
  /** A header of the HTTP request, by its name in lower case; absent on other transports. */
  header?(name: string): string | undefined;
  /** The authenticated client, if the transport authenticates. */
  readonly auth?: AuthInfo | undefined;
  /** The principal: one string per authenticated client, unique among them. */
  readonly principal?: string | undefined;
  /**
   * The client's network address as limits count it: an IPv4 address, or the /64 network of an IPv6 address. Undefined if the transport
   * does not know it. Security: it tells clients apart for limits, and proves nothing about them.
   */
  readonly address?: string | undefined;
  /** The server's host and port as its URL has them; only on a client that connects over HTTP. */
  readonly endpoint?: ServerEndpoint | undefined;
  /** @internal The call of a client over HTTP on whose response a request of the server came; absent if it came otherwise. */
  readonly related?: RequestId | undefined;
  /** The rules that the transport applies to a request before it is served; absent if there are none, as on stdio and in process. */
  readonly requirements?: RequirementCheck | undefined;
}

/** Where a server listens. */
export interface ServerEndpoint {
  /** A host name or an IP address. */
  readonly address: string;
  /** The port, also if the URL leaves it out. */
  readonly port: number;
}

/** Where the server of a URL listens. */
export function endpointOf({ hostname, port, protocol }: URL): ServerEndpoint {
  return { address: hostname.replace(/^\[(.*)\]$/, "$1"), port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port) };
}

/** Whose share of a limit a request counts against: its principal, or else its address. Undefined if nothing tells its client apart. */
export function shareOf({ principal, address }: { principal?: string | undefined; address?: string | undefined }): string | undefined {
  return principal ?? (address === undefined ? undefined : `address ${address}`);
}

/** What one request requires of its client. */
export interface Requirements {
  /** The scopes that the client's token must have. */
  readonly scopes: readonly string[];
  /** The JSON Schema of the arguments, which says which of them a transport repeats beside the message. Default: none. */
  readonly inputSchema?: JsonObject | undefined;
}

/** Enforces the requirements of a request. Security: it also checks a request that a middleware has changed. */
export interface RequirementCheck {
  /**
   * Returns only if the request meets its requirements. @throws McpError -32600 if the client's token lacks a scope, -32020 if the
   * transport repeats other arguments than the message has
   */
  check(required: Requirements): void;
}
