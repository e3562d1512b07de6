/** The interface between the parts of an HTTP client. `HttpDispatcher` implements it. */
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
import type { Reading } from "../../wire/deviations.ts";

/** The session as messages and streams see it. It is empty on stateless revisions. */
export interface CurrentSession {
  readonly id: string | undefined;
  /** Resolves when opening a new session has ended, with or without success. Undefined while none is opened. */
  readonly renewing: Promise<void> | undefined;
  /** Takes the result of `initialize`. @throws ProtocolViolationError if the session id is invalid */
  opened(handshake: JsonObject | undefined, id: string | null, result: JsonObject): void;
  /** Looks at a later response of the session. */
  check(response: HttpResponse): void;
  /** Handles that the server no longer knows a session. Returns the error for the request. */
  lost(id: string, cause: McpError): SessionLostError;
  /** Whether a request of that session, or of none, is refused before a user is asked to log in for it. */
  asksNobody(id: string | undefined): boolean;
  /**
   * Handles the refusal of a request of a session: finds out whether the server has forgotten it. Returns the error for the request.
   * @param response undefined if the error came with a success status
   */
  refused(id: string, failure: McpError, response?: HttpResponse): Promise<McpError>;
  /** What helps against an error that {@link refused} returned: a new session, or asking the user to log in. */
  remedyFor(error: McpError): "session" | "login" | undefined;
  /** Opens the standing GET stream. `pace` is how many milliseconds the server took to accept the end of the handshake. */
  standBy(pace: number): Promise<void>;
  standByLater(): void;
}

export interface HttpConnection {
  readonly endpoint: Endpoint;
  readonly limits: HttpClientLimits;
  readonly clock: Clock;
  /** What it does with responses that deviate from the transport's rules. */
  readonly reading: Reading;
  /** Pauses the time limits of calls while this side keeps the server waiting. */
  readonly pauses: Pauses;
  readonly limiter: Limiter;
  readonly session: CurrentSession;
  readonly headers: ConnectionHeaders;
  readonly tools: HttpTools;
  readonly closing: boolean;
  /** Pending requests that are not calls. Closing the client aborts them. */
  readonly open: Set<Pick<AbortController, "abort">>;
  /** Whether sending the request twice has the same effect as sending it once. */
  isRepeatable(request: JSONRPCRequest): boolean;
  /** Makes a call for the client itself, without repeating it. */
  call(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  /** Sends a notification and waits until the server has accepted it. */
  tellServer(method: string): Promise<void>;
  /**
   * Delivers a message. @throws ProtocolViolationError after too many malformed messages in a row
   * @param related the call on whose response it came
   */
  deliver(incoming: Incoming, related?: RequestId): void;
  failCall(id: RequestId, error: unknown): void;
  /** Milliseconds until a call times out if nothing comes. */
  timeLeft(id: RequestId): number;
  finished(call: { readonly id: RequestId }): void;
  report(error: unknown): void;
}
