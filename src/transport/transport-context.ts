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
   * Holds whoever asks to these scopes, and to those of what is asked for; absent where there are no tokens.
   * @throws McpError -32600
   */
  requireScopes?(scopes: readonly string[], method: string, params: JsonObject): void;
  /**
   * Holds the arguments of a tool call to what the transport repeats of them beside the message, as their schema says;
   * absent where it repeats nothing. @throws McpError -32020
   */
  checkArguments?(inputSchema: JsonObject, args: unknown): void;
}
