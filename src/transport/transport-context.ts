/** What is known of a message's transport and of its sender. */
import type { AuthInfo } from "../auth/resource-server/auth-info.ts";
import type { JsonObject } from "../jsonrpc/message.ts";

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
  /** The rules that the transport applies to a request before it is served; absent if there are none, as on stdio and in process. */
  readonly policy?: RequestPolicy | undefined;
}

/** What one request requires of its client. */
export interface Requirements {
  /** The scopes that the client's token must have. */
  readonly scopes: readonly string[];
  /** The JSON Schema of the arguments, which says which of them a transport repeats beside the message. Default: none. */
  readonly inputSchema?: JsonObject | undefined;
}

/** Enforces the requirements of a request. Security: it also checks a request that a middleware has changed. */
export interface RequestPolicy {
  /**
   * Returns only if the request meets its requirements. @throws McpError -32600 if the client's token lacks a scope, -32020 if the
   * transport repeats other arguments than the message has
   */
  check(required: Requirements): void;
}
