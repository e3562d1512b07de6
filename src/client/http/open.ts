/**
 * Opens connections to a server at a URL, and says what a failure to do so means (requirements B4).
 *
 * Streamable HTTP comes first; HTTP+SSE, the transport of 2024-11-05, only when the handshake itself was refused.
 */
import type { Authorizer } from "../../auth/login/authorizer.ts";
import { LinkedAbort } from "../../base/abort.ts";

import { ErrorCode, LimitExceededError, McpError, RequestTimeoutError, ConnectionLostError } from "../../jsonrpc/mcp-error.ts";
import { systemClock } from "../../base/clock.ts";
import type { Dispatcher } from "../../dispatch/dispatcher.ts";
import { JsonRpcDispatcher, type JsonRpcDispatcherOptions } from "../../dispatch/json-rpc-dispatcher.ts";
import { codecFor } from "../../wire/revisions.ts";
import type { ConnectOptions } from "../options.ts";
import { Authorization } from "./authorization.ts";
import { Endpoint } from "./endpoint.ts";
import { statusOf } from "./errors.ts";
import { HttpDispatcher } from "./dispatcher.ts";
import { userHeaders } from "./headers.ts";
import { httpLimits, type HttpServerParameters } from "./options.ts";
import { setPatientTimer } from "../patient-timer.ts";
import { forgetVerdict, rememberVerdict, verdictKey, verdictOn } from "./known-families.ts";
import type { Opener } from "../route.ts";

/** Milliseconds a server has to name its endpoint on an HTTP+SSE stream. */
const SSE_TIMEOUT = 10_000;

/** @throws TypeError for a URL that cannot be used, RangeError for a limit that is none */
export function httpOpener(server: HttpServerParameters): Opener {
  const endpoint = new Endpoint(server.url, server.fetch);
  httpLimits(server);
  const key = verdictKey(endpoint.url, server.headers, server.auth);
  const way = { server, endpoint, key, authorizer: server.auth?.authorizerFor(endpoint.url) };
  return verdictOn(key) === "sse" ? sseOpener(way) : streamableOpener(way);
}

/** What every way to reach one server has in common; its authorizer too, so that nobody logs in twice. */
interface Way {
  readonly server: HttpServerParameters;
  readonly endpoint: Endpoint;
  /** Of its verdict. */
  readonly key: string;
  readonly authorizer: Authorizer | undefined;
}

function streamableOpener(way: Way): Opener {
  const { server, endpoint, key, authorizer } = way;
  const remembered = verdictOn(key) === "stateful";
  return {
    skipsProbe: remembered,
    isOutage: (error) => isOutage(error, endpoint),
    open: (options) => Promise.resolve(new HttpDispatcher(server, options, authorizer)),
    agreed(stateless): void {
      if (stateless) forgetVerdict(key);
      else rememberVerdict(key, "stateful");
    },
    instead(error, revision): Opener | undefined {
      if (isUnauthorized(error)) return undefined;
      if (remembered) {
        forgetVerdict(key);
        return streamableOpener(way);
      }
      return refusesHandshake(error, revision) ? sseOpener(way, error) : undefined;
    },
  };
}

/** @param refusal what Streamable HTTP failed with: the better error where HTTP+SSE fails as well */
function sseOpener(way: Way, refusal?: unknown): Opener {
  const { key } = way;
  return {
    skipsProbe: true,
    async open(options, signal): Promise<Dispatcher> {
      try {
        return await openSse(way, options, signal);
      } catch (error) {
        signal?.throwIfAborted();
        throw isUnauthorized(error) ? error : (refusal ?? error);
      }
    },
    agreed: () => rememberVerdict(key, "sse"),
    instead(): Opener | undefined {
      forgetVerdict(key);
      return refusal === undefined ? streamableOpener(way) : undefined;
    },
  };
}

async function openSse(
  { server, authorizer }: Way,
  options: JsonRpcDispatcherOptions,
  signal: AbortSignal | undefined,
): Promise<Dispatcher> {
  const { openSseTransport } = await import("./sse-transport.ts");
  const clock = options.clock ?? systemClock;
  const authorization = authorizer && new Authorization(authorizer, () => clock.now());
  const endpoint = new Endpoint(server.url, server.fetch, authorization);
  const late = new LinkedAbort(signal);
  const stopTimer = setPatientTimer(clock, SSE_TIMEOUT, authorization?.heldUntil, () =>
    late.abort(new ConnectionLostError(`${endpoint.name} named no endpoint within ${SSE_TIMEOUT} ms`, "unknown")),
  );
  try {
    const transport = await openSseTransport(endpoint, {
      headers: userHeaders(server.headers),
      maxResponseBytes: httpLimits(server).maxResponseBytes,
      signal: late.signal,
      ...(options.onError && { onError: options.onError }),
    });
    return new JsonRpcDispatcher(transport, options);
  } finally {
    late.unlink();
    stopTimer();
  }
}

/** It was reached and wants somebody else: there is nothing to find out by asking in another way. */
function isUnauthorized(error: unknown): boolean {
  const status = statusOf(error);
  return status === 401 || status === 403;
}

/** Statuses that are about the caller or the moment, not about what the server speaks (B4.5). */
const NO_EVIDENCE: ReadonlySet<number> = new Set([401, 403, 407, 408, 413, 425, 429, 431, 451]);

/** Whether a failed probe says nothing about the revision. */
function isOutage(error: unknown, endpoint: Endpoint): boolean {
  if (!McpError.isMcpError(error) || error instanceof RequestTimeoutError || error instanceof LimitExceededError) return true;
  // A browser does not tell a server that is down from one whose CORS rules do not know our headers (B4.6).
  if (error instanceof ConnectionLostError) return !endpoint.isForeign;
  const status = statusOf(error);
  return status !== undefined && (status < 400 || status >= 500 || NO_EVIDENCE.has(status));
}

const STATELESS_ERRORS: ReadonlySet<number> = new Set([
  ErrorCode.HeaderMismatch,
  ErrorCode.MissingRequiredClientCapability,
  ErrorCode.UnsupportedProtocolVersion,
]);

/** Whether `initialize` failed in the way of a server that knows nothing but HTTP+SSE (B4.4). */
function refusesHandshake(error: unknown, revision: ConnectOptions["revision"]): boolean {
  const status = statusOf(error);
  if (status === undefined || !McpError.isMcpError(error) || STATELESS_ERRORS.has(error.code)) return false;
  const mayBeOldest = revision === undefined || revision === "stateful" || codecFor(revision)?.hasHttpSse;
  return mayBeOldest && (status === 400 || status === 404 || status === 405);
}
