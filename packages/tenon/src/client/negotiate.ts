/**
 * Finds out which revision a server speaks, and opens the connection in it.
 *
 * A stateless revision is tried first, with `server/discover`. A valid result settles it, and so does an error that only a
 * stateless server sends. After any other error, a timeout, or a closed connection, the client begins the handshake of the
 * stateful revisions. Over HTTP, a timeout and the other failures that `isOutage` names say nothing about the server, so
 * they are thrown to the caller.
 */
import { ConnectionClosedError, ErrorCode, McpError, RequestTimeoutError } from "../jsonrpc/mcp-error.ts";
import { reportTo } from "../base/report-to.ts";
import { isJsonObject } from "../jsonrpc/message.ts";
import { isStatelessVersion, STATEFUL_VERSIONS, STATELESS_VERSIONS, type ProtocolVersion } from "../protocol/versions.ts";
import { statusOf } from "./http/errors.ts";
import { discover, handshake, type OpeningSession, type OpenOptions } from "./opening.ts";

/** Milliseconds a server has to answer the probe. */
export const DEFAULT_PROBE_TIMEOUT = 5_000;
const UNAUTHORIZED = 401;

export interface NegotiateOptions extends OpenOptions {
  /** The only revision to speak; `"stateful"`: any that has a handshake. Default: the server is probed. */
  revision?: ProtocolVersion | "stateful";
  /** Milliseconds: see {@link DEFAULT_PROBE_TIMEOUT}. */
  probeTimeout?: number;
  /** Whether the server is known to want the handshake. Default false. */
  skipsProbe?: boolean;
  /** Whether a failed probe says nothing about the revision. Default: a timeout and a lost connection mean a stateful server. */
  isOutage?: ((error: unknown) => boolean) | undefined;
  /** Called if the client falls back to a stateful revision because the probe timed out. */
  onError?: (error: Error) => void;
}

/**
 * Agrees on the revision of a connection. Resolves with an error if the server closed the connection at the probe; then a new
 * connection has to begin with the handshake.
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

/** Whether a revision has a handshake (`stateful`) or not (`stateless`). */
type Family = "stateless" | "stateful";

async function probe(session: OpeningSession, options: NegotiateOptions): Promise<Family | ConnectionClosedError> {
  const { isOutage, probeTimeout = isOutage === undefined ? DEFAULT_PROBE_TIMEOUT : undefined } = options;
  try {
    await discover(session, { ...options, ...(probeTimeout !== undefined && { timeout: probeTimeout }) }, { isProbe: true });
    return "stateless";
  } catch (error) {
    options.signal?.throwIfAborted();
    if (isOutage?.(error)) throw namingTheOption(error);
    // Tested by class, because a server may send the same codes.
    if (isOutage === undefined && error instanceof RequestTimeoutError) {
      reportTo(options.onError, toFallbackReport(error));
      return "stateful";
    }
    if (isOutage === undefined && error instanceof ConnectionClosedError) return error;
    return familyOf(session, error, options);
  }
}

/**
 * Adds to the error of a probe what a user can do if the server is not down, but dislikes the probe. The error stays the same object,
 * because others know its status.
 */
function namingTheOption(error: unknown): unknown {
  const status = statusOf(error);
  const isRefusal = status !== undefined && status !== UNAUTHORIZED;
  if (isRefusal || error instanceof RequestTimeoutError)
    (error as Error).message += ' (if only "server/discover" fails, set the option "revision" to "stateful")';
  return error;
}

/** Tells the operator why the server is spoken to in an older revision. */
function toFallbackReport(error: RequestTimeoutError): McpError {
  const { method, timeoutMs } = error;
  const message = `The server did not respond to "server/discover" within ${timeoutMs} ms (option "probeTimeout"): the client tries an older revision`;
  return new McpError(error.code, message, { method, timeoutMs }, { cause: error });
}

/** Finds the family by the error of a probe. Only a stateless server sends these three codes. */
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
