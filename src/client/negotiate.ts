/**
 * Finds out which revision a server speaks and opens the conversation in it (requirements B3, B4, ruling Z3).
 *
 * A stateless revision is tried first with `server/discover`. A valid answer or an error only a stateless server gives
 * settles it; any other error, silence, or a server that leaves means the handshake of the stateful revisions. Over HTTP
 * silence and whatever else `isOutage` names says nothing about the server and is passed on.
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
import { codecFor } from "../wire/revisions.ts";
import type { ClientLink } from "./connection.ts";
import { unlessAborted } from "../base/abort.ts";

/** Milliseconds a server has to answer the probe. */
export const DEFAULT_PROBE_TIMEOUT = 5_000;

/** What opening the conversation takes. */
export interface OpenOptions {
  /** Abandons it. The server is not told: that must not be cancelled (G1). */
  signal?: AbortSignal;
  /** Milliseconds to wait for the answer. Default: the connection's. */
  timeout?: number;
}

export interface NegotiateOptions extends OpenOptions {
  /** Speak this one or fail; `"stateful"`: any that a handshake agrees on. */
  revision?: ProtocolVersion | "stateful";
  /** Milliseconds: see {@link DEFAULT_PROBE_TIMEOUT}. */
  probeTimeout?: number;
  /** Whether a failed probe says nothing about the revision. Default: silence and a lost connection do say something. */
  isOutage?: ((error: unknown) => boolean) | undefined;
}

/** The connection ended while the server was asked: on a fresh one, begin with the handshake. */
export class ProbeEndedConnection extends Error {
  override name = "ProbeEndedConnection";
}

/** Settles the revision of a link. @throws McpError, or `signal.reason`; ProbeEndedConnection where a new connection is needed */
export async function negotiate(link: ClientLink, options: NegotiateOptions, skipProbe = false): Promise<void> {
  const { revision } = options;
  if (revision !== undefined && isStatelessVersion(revision)) return void (await discover(link, options, revision));
  if (revision !== undefined || skipProbe) return void (await handshake(link, options));
  const verdict = await probe(link, options);
  if (verdict === "stateful") await handshake(link, options);
}

type Verdict = "stateless" | "stateful";

async function probe(link: ClientLink, options: NegotiateOptions): Promise<Verdict> {
  try {
    const { probeTimeout = options.isOutage === undefined ? DEFAULT_PROBE_TIMEOUT : undefined } = options;
    await discover(link, options, STATELESS_VERSIONS[0], { timeout: probeTimeout, takesErrorWithoutId: true });
    return "stateless";
  } catch (error) {
    options.signal?.throwIfAborted();
    if (options.isOutage !== undefined) {
      if (options.isOutage(error)) throw error;
      return verdictOf(link, error, options);
    }
    if (error instanceof RequestTimeoutError) return "stateful";
    // By class: a server may answer with the same code.
    if (error instanceof ConnectionClosedError)
      throw new ProbeEndedConnection("The server left when it was asked for its revision", { cause: error });
    return verdictOf(link, error, options);
  }
}

/** What an error says about the server (B3.3, B3.4, B4.2, B4.3). Only three codes are a stateless server's, never any other. */
async function verdictOf(link: ClientLink, error: unknown, options: NegotiateOptions): Promise<Verdict> {
  if (!McpError.isMcpError(error)) throw error;
  if (error.code === ErrorCode.UnsupportedProtocolVersion) {
    const supported = isJsonObject(error.data) ? error.data["supported"] : undefined;
    if (!Array.isArray(supported)) return "stateful";
    const same = STATELESS_VERSIONS.find((version) => supported.includes(version));
    if (same !== undefined) return discover(link, options, same).then(() => "stateless");
    if (STATEFUL_VERSIONS.some((version) => supported.includes(version))) return "stateful";
    throw error;
  }
  if (error.code === ErrorCode.HeaderMismatch || error.code === ErrorCode.MissingRequiredClientCapability) throw error;
  return "stateful";
}

/** What holds for the request to a server that may not be able to read it. */
interface Probing {
  readonly timeout: number | undefined;
  readonly takesErrorWithoutId: boolean;
}

/** Asks a stateless server what it can do, and speaks that revision from now on. */
export async function discover(
  link: ClientLink,
  options: OpenOptions,
  version: StatelessVersion = STATELESS_VERSIONS[0],
  { timeout = options.timeout, takesErrorWithoutId = false }: Partial<Probing> = {},
): Promise<DiscoverResult> {
  const codec = codecFor(version);
  const { signal } = options;
  const raw = await link.open(codec, "server/discover", codec.encodeRequest("server/discover", {}, link.identity)!, {
    cancelOnAbandon: false,
    takesErrorWithoutId,
    ...(timeout !== undefined && { timeout }),
    ...(signal && { signal }),
  });
  const result = codec.decodeResult("server/discover", raw) as DiscoverResult; // just checked
  if (!result.supportedVersions.includes(version)) throw new UnsupportedVersionError(result.supportedVersions, version);
  const info = serverInfoOf(result);
  const { capabilities, instructions } = result;
  link.agree(codec, { capabilities, ...(info && { info }), ...(instructions !== undefined && { instructions }) });
  return result;
}

/** Who answered: in `_meta`, and in older drafts at the top (A1.13). */
function serverInfoOf(result: JsonObject): Implementation | undefined {
  const info = isJsonObject(result["_meta"]) ? (result["_meta"][SERVER_INFO_KEY] ?? result["serverInfo"]) : result["serverInfo"];
  return isJsonObject(info) && typeof info["name"] === "string" && typeof info["version"] === "string"
    ? (info as Implementation)
    : undefined; // the two members it must have
}

/** `initialize`, then `notifications/initialized`. Never cancelled on the wire: the spec forbids it (G1). */
export async function handshake(link: ClientLink, options: NegotiateOptions): Promise<InitializeResult> {
  const only = options.revision === "stateful" ? undefined : options.revision;
  const wanted = only ?? LATEST_HANDSHAKE_VERSION;
  const offer = codecFor(wanted);
  const { info, capabilities } = link.identity;
  const params = {
    protocolVersion: wanted,
    capabilities: offer.encodeClientCapabilities(capabilities),
    clientInfo: offer.encodeImplementation(info!),
  };
  const { signal, timeout } = options;
  const raw = await link.open(offer, "initialize", params, {
    cancelOnAbandon: false,
    ...(signal && { signal }),
    ...(timeout !== undefined && { timeout }),
  });
  const version = agreedVersion(raw["protocolVersion"], only);
  const codec = codecFor(version);
  const result = codec.decodeResult("initialize", raw) as InitializeResult; // just checked
  const { instructions } = result;
  link.agree(codec, { capabilities: result.capabilities, info: result.serverInfo, ...(instructions !== undefined && { instructions }) });
  link.initializeResult = result;
  await unlessAborted(link.dispatcher.notify("notifications/initialized"), signal);
  return result;
}

/** @throws ProtocolViolationError for a revision this side does not speak, or not the one asked for (CS-36) */
function agreedVersion(answered: unknown, wanted: ProtocolVersion | undefined): StatefulVersion {
  const version = STATEFUL_VERSIONS.find((known) => known === answered);
  if (version === undefined || (wanted !== undefined && version !== wanted)) {
    const only = wanted === undefined ? "" : ` (option "revision" asks for ${wanted})`;
    throw new ProtocolViolationError(`Unsupported protocol version from the server: ${String(answered)}${only}`);
  }
  return version;
}
