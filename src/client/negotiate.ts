/**
 * Finds out which revision a server speaks, and opens the conversation in it.
 *
 * A stateless revision is tried first, with `server/discover`. A valid result settles it, and so does an error that only a
 * stateless server sends. Any other error, silence, or a server that closes the connection means the handshake of the
 * stateful revisions. Over HTTP, silence and the other failures that `isOutage` names say nothing about the server: they
 * go to the caller.
 */
import { ConnectionClosedError, ErrorCode, McpError, RequestTimeoutError } from "../jsonrpc/mcp-error.ts";
import { isJsonObject } from "../jsonrpc/message.ts";
import { isStatelessVersion, STATEFUL_VERSIONS, STATELESS_VERSIONS, type ProtocolVersion } from "../protocol/versions.ts";
import { discover, handshake, type OpeningSession, type OpenOptions } from "./opening.ts";

/** Milliseconds a server has to answer the probe. */
export const DEFAULT_PROBE_TIMEOUT = 5_000;

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

/**
 * Settles the revision of a connection. Resolves with an error if the server closed the connection when it was asked: then a
 * new connection has to begin with the handshake.
 * @throws McpError, or `signal.reason`
 */
export async function negotiate(session: OpeningSession, options: NegotiateOptions): Promise<ConnectionClosedError | undefined> {
  const { revision, skipsProbe = false } = options;
  if (revision === undefined && !skipsProbe) {
    const family = await probe(session, options);
    if (family instanceof ConnectionClosedError) return family;
    if (family === "stateful") await handshake(session, options);
  } else if (revision === undefined || revision === "stateful") await handshake(session, options);
  else if (isStatelessVersion(revision)) await discover(session, options, { version: revision });
  else await handshake(session, options, revision);
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
