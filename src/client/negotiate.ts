/**
 * Finds out which revision a server speaks, and opens the conversation in it.
 *
 * A stateless revision is tried first, with `server/discover`. A valid result settles it, and so does an error that only a
 * stateless server sends. Any other error, silence, or a server that closes the connection means the handshake of the
 * stateful revisions. Over HTTP, silence and the other failures that `isOutage` names say nothing about the server: they
 * go to the caller.
 */
import { ConnectionClosedError, ErrorCode, McpError, ProtocolViolationError, RequestTimeoutError } from "../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { SERVER_INFO_KEY } from "../protocol/meta-keys.ts";
import type { DiscoverResult, InitializeResult } from "../protocol/lifecycle.ts";
import type { Implementation } from "../protocol/capabilities.ts";
import { UnsupportedVersionError } from "../protocol/errors.ts";
import {
  LATEST_HANDSHAKE_VERSION,
  isStatelessVersion,
  STATEFUL_VERSIONS,
  STATELESS_VERSIONS,
  type ProtocolVersion,
  type StatefulVersion,
  type StatelessVersion,
} from "../protocol/versions.ts";
import type { Codec } from "../wire/codec.ts";
import { codecFor } from "../wire/revisions.ts";
import type { CallOptions } from "./call/outgoing-request.ts";
import type { ServerConnection } from "./connection.ts";
import { unlessAborted } from "../base/abort.ts";

/** Milliseconds a server has to answer the probe. */
export const DEFAULT_PROBE_TIMEOUT = 5_000;

/** What opening the conversation takes. */
export interface OpenOptions {
  /** Abandons it. The server is not told: the specification does not let it be cancelled. */
  signal?: AbortSignal;
  /** Milliseconds to wait for the answer. Default: the connection's. */
  timeout?: number;
}

export interface NegotiateOptions extends OpenOptions {
  /** Speak this one or fail; `"stateful"`: any that a handshake agrees on. Default: the server is asked. */
  revision?: ProtocolVersion | "stateful";
  /** Milliseconds: see {@link DEFAULT_PROBE_TIMEOUT}. */
  probeTimeout?: number;
  /** Whether the server is known to want the handshake. Default false. */
  skipsProbe?: boolean;
  /** Whether a failed probe says nothing about the revision. Default: silence and a lost connection do say something. */
  isOutage?: ((error: unknown) => boolean) | undefined;
}

/** The session that is opened. */
interface OpeningSession {
  readonly connection: ServerConnection;
  readonly pipeline: { open(codec: Codec, method: string, params: JsonObject, options: CallOptions): Promise<JsonObject> };
}

/**
 * Settles the revision of a connection. Resolves with an error if the server closed the connection when it was asked: then a
 * new connection has to begin with the handshake.
 * @throws McpError, or `signal.reason`
 */
export async function negotiate(session: OpeningSession, options: NegotiateOptions): Promise<ConnectionClosedError | undefined> {
  const { revision, skipsProbe = false } = options;
  if (revision !== undefined && isStatelessVersion(revision)) await discover(session, options, { version: revision });
  else if (revision !== undefined || skipsProbe) await handshake(session, options);
  else {
    const family = await probe(session, options);
    if (family instanceof ConnectionClosedError) return family;
    if (family === "stateful") await handshake(session, options);
  }
  return undefined;
}

/** Whether a revision needs a handshake, or each request stands for itself. */
type Family = "stateless" | "stateful";

async function probe(session: OpeningSession, options: NegotiateOptions): Promise<Family | ConnectionClosedError> {
  const { isOutage, probeTimeout = isOutage === undefined ? DEFAULT_PROBE_TIMEOUT : undefined } = options;
  try {
    await discover(session, { ...options, ...(probeTimeout !== undefined && { timeout: probeTimeout }) }, { isProbe: true });
    return "stateless";
  } catch (error) {
    options.signal?.throwIfAborted();
    if (isOutage?.(error)) throw error;
    // By class: a server may send the same codes.
    if (isOutage === undefined && error instanceof RequestTimeoutError) return "stateful";
    if (isOutage === undefined && error instanceof ConnectionClosedError) return error;
    return familyOf(session, error, options);
  }
}

/** What an error says about the server. Only three codes are a stateless server's, never any other. */
async function familyOf(session: OpeningSession, error: unknown, options: NegotiateOptions): Promise<Family> {
  if (!McpError.isMcpError(error)) throw error;
  if (error.code === ErrorCode.UnsupportedProtocolVersion) {
    const supported = isJsonObject(error.data) ? error.data["supported"] : undefined;
    if (!Array.isArray(supported)) return "stateful";
    const version = STATELESS_VERSIONS.find((known) => supported.includes(known));
    if (version !== undefined) return discover(session, options, { version }).then(() => "stateless");
    if (STATEFUL_VERSIONS.some((known) => supported.includes(known))) return "stateful";
    throw error;
  }
  if (error.code === ErrorCode.HeaderMismatch || error.code === ErrorCode.MissingRequiredClientCapability) throw error;
  return "stateful";
}

/** How a stateless server is asked. */
interface Discovery {
  /** The revision to speak. Default: the newest stateless one. */
  readonly version?: StatelessVersion;
  /** Whether the server may not know the question: then an error without an id is its response. */
  readonly isProbe?: boolean;
}

/** Asks a stateless server what it can do, and speaks that revision from now on. */
export async function discover(
  { connection, pipeline }: OpeningSession,
  { signal, timeout }: OpenOptions,
  { version = STATELESS_VERSIONS[0], isProbe = false }: Discovery = {},
): Promise<DiscoverResult> {
  const codec = codecFor(version);
  const params = codec.encodeRequest("server/discover", {}, connection.identity)!;
  const raw = await pipeline.open(codec, "server/discover", params, {
    cancelOnAbandon: false,
    takesErrorWithoutId: isProbe,
    ...(timeout !== undefined && { timeout }),
    ...(signal && { signal }),
  });
  const result = codec.decodeResult("server/discover", raw) as DiscoverResult; // just checked
  if (!result.supportedVersions.includes(version)) throw new UnsupportedVersionError(result.supportedVersions, version);
  const info = serverInfoOf(result);
  const { capabilities, instructions } = result;
  connection.agree(codec, { capabilities, ...(info && { info }), ...(instructions !== undefined && { instructions }) });
  return result;
}

/** Who the server is: in `_meta`, and in older drafts at the top. */
function serverInfoOf(result: JsonObject): Implementation | undefined {
  const info = isJsonObject(result["_meta"]) ? (result["_meta"][SERVER_INFO_KEY] ?? result["serverInfo"]) : result["serverInfo"];
  return isJsonObject(info) && typeof info["name"] === "string" && typeof info["version"] === "string"
    ? (info as Implementation)
    : undefined; // the two members it must have
}

/** `initialize`, then `notifications/initialized`. Never cancelled on the wire: the specification forbids it. */
export async function handshake({ connection, pipeline }: OpeningSession, options: NegotiateOptions): Promise<InitializeResult> {
  const only = options.revision === "stateful" ? undefined : options.revision;
  const wanted = only ?? LATEST_HANDSHAKE_VERSION;
  const offer = codecFor(wanted);
  const { info, capabilities } = connection.identity;
  const params = {
    protocolVersion: wanted,
    capabilities: offer.encodeClientCapabilities(capabilities),
    clientInfo: offer.encodeImplementation(info!),
  };
  const { signal, timeout } = options;
  const raw = await pipeline.open(offer, "initialize", params, {
    cancelOnAbandon: false,
    ...(signal && { signal }),
    ...(timeout !== undefined && { timeout }),
  });
  const version = agreedVersion(raw["protocolVersion"], only);
  const codec = codecFor(version);
  const result = codec.decodeResult("initialize", raw) as InitializeResult; // just checked
  const { instructions } = result;
  const { capabilities: offered, serverInfo: server } = result;
  connection.agree(codec, { capabilities: offered, info: server, ...(instructions !== undefined && { instructions }) });
  connection.initializeResult = result;
  await unlessAborted(connection.dispatcher.notify("notifications/initialized"), signal);
  return result;
}

/** @throws ProtocolViolationError for a revision this side does not speak, or for another than the one asked for */
function agreedVersion(answered: unknown, wanted: ProtocolVersion | undefined): StatefulVersion {
  const version = STATEFUL_VERSIONS.find((known) => known === answered);
  if (version === undefined || (wanted !== undefined && version !== wanted)) {
    const only = wanted === undefined ? "" : ` (option "revision" asks for ${wanted})`;
    throw new ProtocolViolationError(`Unsupported protocol version from the server: ${String(answered)}${only}`);
  }
  return version;
}
