/**
 * The members of the official `Client` that this layer calls or reads, and that its types call private.
 *
 * The package depends on exactly one release of the official one, so they are known to be there.
 */
import type {
  ClientCapabilities,
  Implementation,
  JSONRPCErrorResponse,
  JSONRPCRequest,
  JSONRPCResultResponse,
  Notification,
  RequestId,
} from "mcp-sdk-v1/types.js";

/** What the layer uses of an official `Client`. */
export interface OfficialClientParts {
  readonly _clientInfo: Implementation;
  readonly _capabilities: ClientCapabilities;
  readonly _notificationHandlers: ReadonlyMap<string, unknown>;
  readonly fallbackNotificationHandler?: ((notification: Notification) => Promise<void>) | undefined;
  readonly _requestHandlerAbortControllers: ReadonlyMap<RequestId, AbortController>;
  /** The callers that wait for responses, by the id of their request. Each takes an error of this side, too. */
  readonly _responseHandlers: Map<RequestId, (response: JSONRPCResultResponse | JSONRPCErrorResponse | Error) => void>;
  readonly _progressHandlers: Map<RequestId, unknown>;
  _cleanupTimeout(id: RequestId): void;
  /** Ends what belongs to a connection, and calls `onclose`. */
  _onclose(): void;
  /** Runs the handler of a question, and sends its response to the transport. */
  _onrequest(request: JSONRPCRequest): void;
}
