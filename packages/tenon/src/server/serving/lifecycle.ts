/** The methods that concern the connection: the handshake, `server/discover`, `ping` and the log level. */
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { ErrorCode, LimitExceededError, McpError } from "../../jsonrpc/mcp-error.ts";
import type { Implementation, ServerCapabilities } from "../../protocol/capabilities.ts";
import type { DiscoverResult, InitializeRequestParams, InitializeResult } from "../../protocol/lifecycle.ts";
import type { LoggingLevel } from "../../protocol/logging.ts";
import { LATEST_HANDSHAKE_VERSION, nearestStatefulVersion, STATELESS_VERSIONS } from "../../protocol/versions.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { codecFor } from "../../wire/revisions.ts";

/** Most characters of what a client says of itself, as JSON: they are kept as long as its session, and there may be 10,000 sessions. */
const MAX_HANDSHAKE = 65_536;

export interface ServerDescription {
  readonly info: Implementation;
  /** The capabilities and instructions that each client gets first. */
  readonly facts: () => { readonly capabilities: ServerCapabilities; readonly instructions?: string };
}

/**
 * Agrees on a revision: the requested one if it is supported, else the newest stateful revision (MCP 2025-11-25, Lifecycle, Version
 * Negotiation); for an older one that is unknown, the nearest that a client so old may know. The connection is open after this. On stdio a
 * later handshake replaces the first, because a bridge may pass the messages of one client after the other to the same program: who comes
 * last is the client. What runs goes on.
 * @throws McpError -32600 for a second handshake on a connection with sessions of its own; LimitExceededError -32602 if a client says too
 * much of itself
 */
export function initialize({ info, facts }: ServerDescription, context: RequestContext): MaybePromise<InitializeResult> {
  const { connection } = context;
  if (connection.state !== "notInitialized" && connection.dispatcher.context?.kind !== "stdio")
    throw new McpError(ErrorCode.InvalidRequest, "This connection is initialized already");
  const params = context.params as InitializeRequestParams; // checked by the codec
  const { length } = JSON.stringify(params);
  if (length > MAX_HANDSHAKE) throw new LimitExceededError("handshake", MAX_HANDSHAKE, length, ErrorCode.InvalidParams);
  const version = nearestStatefulVersion(params.protocolVersion) ?? LATEST_HANDSHAKE_VERSION;
  connection.clientParams = params;
  connection.agree(codecFor(version), { info: params.clientInfo, capabilities: params.capabilities });
  const { capabilities, ...said } = facts();
  const result = { protocolVersion: version, capabilities, serverInfo: info, ...said };
  return andThen(
    connection.keep(() => ({ version, clientParams: { ...params } })),
    () => result,
  );
}

/** The result of `server/discover`, the optional first request of a stateless client. */
export function discover({ facts }: ServerDescription): DiscoverResult {
  return { supportedVersions: STATELESS_VERSIONS, ...facts() };
}

/** Sets the lowest severity of log messages for this connection. */
export function setLevel({ connection, params }: RequestContext): MaybePromise<JsonObject> {
  const logLevel = params["level"] as LoggingLevel; // checked by the codec
  connection.logLevel = logLevel;
  return andThen(
    connection.keep((facts) => ({ ...facts!, logLevel })), // the handshake has made them
    () => ({}),
  );
}
