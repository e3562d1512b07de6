/** What is known of the transport a message came in on, and of whoever sent it. */
import type { AuthInfo } from "../auth/resource-server/auth-info.ts";
import type { JsonObject } from "../jsonrpc/message.ts";

/** What is known of the connection a request came in on (DI-04): `ctx.transport` of a handler. */
export interface TransportContext {
  /** The transport's name: `"stdio"`, `"http"`, `"direct"` and so on. */
  readonly kind: string;
  /** A header of the HTTP request it came in, by its name in lower case; absent on other transports. */
  header?(name: string): string | undefined;
  /** Who asks, where the transport has made sure of it. */
  readonly auth?: AuthInfo | undefined;
  /** Who asks, as one name that tells any two apart. */
  readonly principal?: string | undefined;
  /**
   * The client's network address as limits count it: an IPv4 address, or the /64 network of an IPv6 address. Undefined if the transport
   * does not know it. Security: it tells clients apart for limits, and proves nothing about them.
   */
  readonly address?: string | undefined;
  /** What the transport requires of a request before it is answered; absent if it requires nothing, as on stdio and in process. */
  readonly policy?: RequestPolicy | undefined;
}

/** Whose share of a limit a request counts against: its principal, or else its address. Undefined if nothing tells its client apart. */
export function shareOf({ principal, address }: { principal?: string | undefined; address?: string | undefined }): string | undefined {
  return principal ?? (address === undefined ? undefined : `address ${address}`);
}

/** What one request requires of its client. */
export interface Requirements {
  /** The scopes that the client's token must have. */
  readonly scopes: readonly string[];
  /** The JSON Schema of the arguments, which says what a transport repeats of them beside the message. Default: it repeats nothing. */
  readonly inputSchema?: JsonObject | undefined;
}

/** Holds a request to what it requires. Security: what a middleware makes of a request is held to it as well. */
export interface RequestPolicy {
  /** Goes on only if the request meets what it requires. @throws McpError -32600 if the client's token lacks a scope, -32020 if the transport repeats other arguments than the message has */
  check(required: Requirements): void;
}
