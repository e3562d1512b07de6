/** What the parts of an HTTP client need of each other. `HttpDispatcher` has it all. */
import type { Incoming } from "../../jsonrpc/incoming.ts";
import type { JsonObject, JSONRPCRequest, RequestId } from "../../jsonrpc/message.ts";
import type { McpError } from "../../jsonrpc/mcp-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { Pauses } from "../../dispatch/pauses.ts";
import type { RequestOptions } from "../../dispatch/dispatcher.ts";
import type { Endpoint } from "./endpoint.ts";
import type { HttpResponse } from "./fetch.ts";
import type { SessionLostError } from "./errors.ts";
import type { Limiter } from "./limiter.ts";
import type { ConnectionHeaders } from "./headers.ts";
import type { HttpClientLimits } from "./options.ts";
import type { HttpTools } from "./tools.ts";

/** The session as messages and streams see it. On stateless revisions there is nothing in it. */
export interface CurrentSession {
  readonly id: string | undefined;
  /** Resolves once a new session is open or could not be opened; undefined while there is nothing to wait for. */
  readonly renewing: Promise<void> | undefined;
  /** `initialize` was answered. @throws ProtocolViolationError for a session id that is none (C11) */
  opened(handshake: JsonObject | undefined, id: string | null, result: JsonObject): void;
  /** A response in the middle of a session. */
  check(response: HttpResponse): void;
  /** The server does not know the session of a request any more; what that request fails with. */
  lost(id: string, cause: McpError): SessionLostError;
  /** Opens the standing stream. */
  standBy(): Promise<void>;
  standByLater(): void;
}

/** What is known of a call that is under way. */
export interface RunningCall {
  readonly id: RequestId;
}

export interface HttpConnection {
  readonly endpoint: Endpoint;
  readonly limits: HttpClientLimits;
  readonly clock: Clock;
  /** Times that no time limit counts, because this side keeps the server waiting. */
  readonly pauses: Pauses;
  readonly limiter: Limiter;
  readonly session: CurrentSession;
  readonly headers: ConnectionHeaders;
  readonly tools: HttpTools;
  /** Whether the client is closing it. */
  readonly closing: boolean;
  /** What is under way besides calls, to be aborted when the client closes. */
  readonly open: Set<AbortController>;
  /** Whether sending that request twice does no more than sending it once. */
  isRepeatable(request: JSONRPCRequest): boolean;
  /** Makes a call of the client's own, once. */
  call(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  /** Sends a notification and waits until the server has it. */
  tellServer(method: string): Promise<void>;
  /** A message arrived. @throws ProtocolViolationError when too many in a row were none */
  deliver(incoming: Incoming): void;
  failCall(id: RequestId, error: unknown): void;
  /** That call needs nothing more. */
  finished(call: RunningCall): void;
  report(error: unknown): void;
}
