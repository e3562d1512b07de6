/**
 * The members of the official `Protocol`, `Server` and `McpServer` that this layer calls or sets, and that their types call private.
 *
 * The package depends on exactly one release of the official one, so they are known to be there.
 */
import type { ServerOptions } from "mcp-sdk-v1/server/index.js";
import type { Transport } from "mcp-sdk-v1/shared/transport.js";
import type {
  ClientCapabilities,
  Implementation,
  JSONRPCErrorResponse,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResultResponse,
  MessageExtraInfo,
  RequestId,
  ServerCapabilities,
} from "mcp-sdk-v1/types.js";

export interface OfficialParts {
  /** Where it sends messages to. */
  _transport: Transport | undefined;
  readonly _serverInfo: Implementation;
  readonly _options: ServerOptions | undefined;
  _clientCapabilities: ClientCapabilities | undefined;
  _clientVersion: Implementation | undefined;
  readonly _capabilities: ServerCapabilities;
  readonly _requestHandlers: ReadonlyMap<string, unknown>;
  readonly _requestHandlerAbortControllers: ReadonlyMap<RequestId, AbortController>;
  /** The callers that wait for responses of the client, by the request's id. */
  readonly _responseHandlers: ReadonlyMap<number, unknown>;
  readonly _progressHandlers: ReadonlyMap<number, unknown>;
  /** Runs the handler of a request, and sends its response to `_transport`. */
  _onrequest(request: JSONRPCRequest, extra?: MessageExtraInfo): void;
  _onnotification(notification: JSONRPCNotification): void;
  _onresponse(response: JSONRPCResultResponse | JSONRPCErrorResponse): void;
  _onprogress(notification: JSONRPCNotification): void;
  _onerror(error: Error): void;
  _onclose(): void;
}

/** What the list of tools is made from. */
export interface OfficialTool {
  readonly enabled: boolean;
  readonly handler?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: unknown;
  readonly execution?: unknown;
  readonly _meta?: unknown;
}

export interface OfficialMcpParts {
  readonly _registeredTools: Readonly<Record<string, OfficialTool>>;
  /** Puts the handlers of tools in place, once. Called with each registration. */
  setToolRequestHandlers(): void;
}
