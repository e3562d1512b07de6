/** The methods that are about the connection itself: the handshake, `server/discover`, `ping` and the log level. */
import type { JsonObject } from "../jsonrpc/message.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import type { Implementation, ServerCapabilities } from "../protocol/capabilities.ts";
import type { DiscoverResult, InitializeRequestParams, InitializeResult } from "../protocol/lifecycle.ts";
import type { LoggingLevel } from "../protocol/logging.ts";
import { LATEST_HANDSHAKE_VERSION, STATEFUL_VERSIONS, STATELESS_VERSIONS } from "../protocol/versions.ts";
import type { RequestContext } from "../session/request-context.ts";
import { codecFor } from "../wire/revisions.ts";

/** What a server says of itself. */
export interface ServerDescription {
  /** How it is named to clients. */
  readonly info: Implementation;
  /** What every client is told at first. */
  readonly facts: () => { readonly capabilities: ServerCapabilities; readonly instructions?: string };
}

/**
 * Agrees on a revision: the one asked for where it is spoken here, else the newest handshake revision (B1.2). The
 * connection is open as soon as this is answered. @throws McpError -32600 for a second handshake (SS-27)
 */
export function initialize({ info, facts }: ServerDescription, context: RequestContext): InitializeResult {
  const { connection } = context;
  if (connection.state !== "notInitialized") throw new McpError(ErrorCode.InvalidRequest, "This connection is initialized already");
  const params = context.params as InitializeRequestParams; // checked by the codec
  const version = STATEFUL_VERSIONS.find((known) => known === params.protocolVersion) ?? LATEST_HANDSHAKE_VERSION;
  connection.clientParams = params;
  connection.agree(codecFor(version), { info: params.clientInfo, capabilities: params.capabilities });
  const { capabilities, ...said } = facts();
  return { protocolVersion: version, capabilities, serverInfo: info, ...said };
}

/** What a stateless client asks first, if anything. */
export function discover({ facts }: ServerDescription): DiscoverResult {
  return { supportedVersions: STATELESS_VERSIONS, ...facts() };
}

/** From now on the connection gets log messages of that severity and worse. */
export function setLevel(context: RequestContext): JsonObject {
  context.connection.logLevel = context.params["level"] as LoggingLevel; // checked by the codec
  return {};
}
