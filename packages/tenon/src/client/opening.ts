/**
 * The two ways to open a session: `server/discover` on stateless revisions, the handshake on stateful ones. Either sets the
 * revision of the connection. `negotiate.ts` decides between them.
 */
import { unlessAborted } from "../base/abort.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { ErrorCode, McpError, ProtocolViolationError } from "../jsonrpc/mcp-error.ts";
import type { Implementation } from "../protocol/capabilities.ts";
import { UnsupportedVersionError } from "../protocol/errors.ts";
import type { DiscoverResult, InitializeResult } from "../protocol/lifecycle.ts";
import { SERVER_INFO_KEY } from "../protocol/meta-keys.ts";
import {
  LATEST_HANDSHAKE_VERSION,
  nearestStatefulVersion,
  STATEFUL_VERSIONS,
  STATELESS_VERSIONS,
  type StatefulVersion,
  type StatelessVersion,
} from "../protocol/versions.ts";
import type { Codec } from "../wire/codec.ts";
import type { Reading } from "../wire/deviations.ts";
import { codecFor } from "../wire/revisions.ts";
import type { CallOptions } from "./call/outgoing-request.ts";
import type { ServerConnection } from "./connection.ts";

/** Codes with which servers refuse a revision. */
const REFUSALS: ReadonlySet<number> = new Set([ErrorCode.InvalidParams, ErrorCode.InvalidRequest, ErrorCode.UnsupportedProtocolVersion]);

/** Options of opening a session. */
export interface OpenOptions {
  /** Abandons opening. No cancel is sent, because the specification forbids it. */
  signal?: AbortSignal;
  /** Milliseconds to wait for the response. Default: the connection's. */
  timeout?: number;
}

export interface OpeningSession {
  readonly connection: ServerConnection;
  readonly pipeline: {
    open(request: { method: string; params: JsonObject; options: CallOptions }, codec: Codec): Promise<JsonObject>;
  };
}

interface Discovery {
  /** The revision to speak. Default: the newest stateless one. */
  readonly version?: StatelessVersion;
  /** Whether the server may not know the method. Then an error without an id counts as its response. */
  readonly isProbe?: boolean;
}

/** Sends `server/discover`, and sets the revision and the capabilities of the server. */
export async function discover(
  { connection, pipeline }: OpeningSession,
  { signal, timeout }: OpenOptions,
  { version = STATELESS_VERSIONS[0], isProbe = false }: Discovery = {},
): Promise<DiscoverResult> {
  const codec = codecFor(version);
  const params = codec.encodeRequest("server/discover", {}, connection.identity)!;
  const options = {
    cancelOnAbandon: false,
    takesErrorWithoutId: isProbe,
    ...(timeout !== undefined && { timeout }),
    ...(signal && { signal }),
  };
  const raw = await pipeline.open({ method: "server/discover", params, options }, codec);
  const result = codec.decodeResult("server/discover", raw, undefined, connection.reading) as DiscoverResult; // just checked
  if (!result.supportedVersions.includes(version)) throw new UnsupportedVersionError(result.supportedVersions, version);
  const { capabilities, instructions } = result;
  connection.agree(codec, { capabilities, info: serverInfoOf(result), instructions });
  return result;
}

/** The server's name and version: in `_meta`, or in older drafts at the top level. */
function serverInfoOf(result: JsonObject): Implementation | undefined {
  const info = isJsonObject(result["_meta"]) ? (result["_meta"][SERVER_INFO_KEY] ?? result["serverInfo"]) : result["serverInfo"];
  return isJsonObject(info) && typeof info["name"] === "string" && typeof info["version"] === "string"
    ? (info as Implementation)
    : undefined; // the two members it must have
}

/**
 * Opens a session by the handshake. A server that refuses the revision and names another one is asked for that, once. One that names
 * none is asked for each older revision, the newest first.
 * @param only the revision to speak; default: any that has a handshake
 */
export async function handshake(session: OpeningSession, options: OpenOptions, only?: StatefulVersion): Promise<InitializeResult> {
  try {
    return await shakeHands(session, options, only);
  } catch (error) {
    const others = only === undefined ? otherVersions(error) : [];
    for (const [at, other] of others.entries()) {
      try {
        return await shakeHands(session, options, other);
      } catch (second) {
        if (at === others.length - 1 || otherVersions(second).length === 0) throw second;
      }
    }
    throw error;
  }
}

/** `initialize`, then `notifications/initialized`. Never cancelled on the wire: the specification forbids it. */
async function shakeHands(
  { connection, pipeline }: OpeningSession,
  { signal, timeout }: OpenOptions,
  only?: StatefulVersion,
): Promise<InitializeResult> {
  const wanted = only ?? LATEST_HANDSHAKE_VERSION;
  const offer = codecFor(wanted);
  const { info, capabilities } = connection.identity;
  const params = {
    protocolVersion: wanted,
    capabilities: offer.encodeClientCapabilities(capabilities),
    clientInfo: offer.encodeImplementation(info!),
  };
  const options = { cancelOnAbandon: false, ...(signal && { signal }), ...(timeout !== undefined && { timeout }) };
  const raw = await pipeline.open({ method: "initialize", params, options }, offer);
  const version = agreedVersion(raw["protocolVersion"], only, connection.reading);
  const codec = codecFor(version);
  const result = codec.decodeResult("initialize", raw, undefined, connection.reading) as InitializeResult; // just checked
  connection.agree(codec, { capabilities: result.capabilities, info: result.serverInfo, instructions: result.instructions });
  connection.initializeResult = result;
  await unlessAborted(connection.dispatcher.notify("notifications/initialized"), signal);
  return result;
}

/** The revision to speak with a server that answers with one from between the known ones, or from before all of them. */
function nearestVersion(answered: unknown, reading: Reading): StatefulVersion | undefined {
  if (reading.strict || typeof answered !== "string") return undefined;
  const version = nearestStatefulVersion(answered);
  const message = `result.protocolVersion is the unknown revision ${answered}, which is read as ${version}`;
  if (version !== undefined) reading.deviated({ kind: "old-revision", method: "initialize", path: "result.protocolVersion", message });
  return version;
}

/** The revisions to ask for after a refusal: the newest that it names, or all older ones if it is about the revision and names none. */
function otherVersions(error: unknown): readonly StatefulVersion[] {
  if (!McpError.isMcpError(error) || error instanceof ProtocolViolationError || !REFUSALS.has(error.code)) return [];
  const text = `${error.message} ${JSON.stringify(error.data) ?? ""}`;
  const older = STATEFUL_VERSIONS.filter((version) => version !== LATEST_HANDSHAKE_VERSION).toReversed();
  const named = older.find((version) => text.includes(version));
  if (named !== undefined) return [named];
  return /protocol.{0,3}version/i.test(text) ? older : [];
}

/** @throws ProtocolViolationError if this side does not speak the revision, or did not ask for it */
function agreedVersion(answered: unknown, wanted: StatefulVersion | undefined, reading: Reading): StatefulVersion {
  const version = STATEFUL_VERSIONS.find((known) => known === answered) ?? nearestVersion(answered, reading);
  if (version === undefined || (wanted !== undefined && version !== wanted)) {
    const only = wanted === undefined ? "" : ` (option "revision" asks for ${wanted})`;
    throw new ProtocolViolationError(`Unsupported protocol version from the server: ${String(answered)}${only}`);
  }
  return version;
}
