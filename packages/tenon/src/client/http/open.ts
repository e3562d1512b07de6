/**
 * Opens connections to a server at a URL, and decides what a failure means for the next attempt.
 *
 * Streamable HTTP comes first. HTTP+SSE, the transport of 2024-11-05, is tried only if the server refuses the handshake
 * itself.
 */
import type { Authorizer } from "../../auth/login/authorizer.ts";
import { LinkedAbort } from "../../base/abort.ts";
import { ErrorCode, LimitExceededError, McpError, RequestTimeoutError, ConnectionLostError } from "../../jsonrpc/mcp-error.ts";
import { systemClock } from "../../base/clock.ts";
import type { Dispatcher } from "../../dispatch/dispatcher.ts";
import { JsonRpcDispatcher, type JsonRpcDispatcherOptions } from "../../dispatch/json-rpc-dispatcher.ts";
import { codecFor } from "../../wire/revisions.ts";
import { Authorization } from "./authorization.ts";
import { Endpoint } from "./endpoint.ts";
import { HttpStatusError, isReceived, statusOf } from "./errors.ts";
import { speaksOfLoss } from "./session/forgotten.ts";
import { HttpDispatcher } from "./dispatcher.ts";
import { userHeaders } from "./headers.ts";
import { HTTP_SERVER_KEYS, httpLimits, type HttpServerParameters } from "./options.ts";
import { Pauses } from "../../dispatch/pauses.ts";
import { familyKey, knownFamilies } from "./known-families.ts";
import { assertTarget } from "../assert-target.ts";
import type { DiscoverSettings, Failure, Route } from "../route.ts";

/** Milliseconds a server has to name its endpoint on an HTTP+SSE stream. */
const SSE_TIMEOUT = 10_000;

/**
 * @param isDiscovered whether a catalog named the server
 * @throws TypeError if the URL cannot be used, or an option does not exist; RangeError if a limit is out of range
 */
export function routeToUrl(server: HttpServerParameters, isDiscovered = false): Route {
  assertTarget("the target { url }", server, HTTP_SERVER_KEYS);
  const endpoint = new Endpoint(server.url, server.fetch);
  httpLimits(server);
  const key = familyKey(endpoint.url, server);
  const target = { server, endpoint, key, authorizer: server.auth?.authorizerFor(endpoint.url), isDiscovered };
  return knownFamilies.get(key) === "sse" ? sseRoute(target) : streamableRoute(target);
}

/** The parts that all routes to one server share. They share the authorizer, so that the user logs in once. */
interface HttpTarget {
  readonly server: HttpServerParameters;
  readonly endpoint: Endpoint;
  readonly key: string;
  readonly authorizer: Authorizer | undefined;
  /** Whether a catalog named the server. Then no other catalog is looked for. */
  readonly isDiscovered: boolean;
}

function streamableRoute(target: HttpTarget): Route {
  const { server, endpoint, key, authorizer } = target;
  const isKnown = knownFamilies.get(key) === "stateful";
  return {
    skipsProbe: isKnown,
    isOutage: (error) => isOutage(error, endpoint),
    open: (options) => Promise.resolve(new HttpDispatcher(server, options, authorizer)),
    onRevisionAgreed(stateless): void {
      if (stateless) knownFamilies.delete(key);
      else knownFamilies.set(key, "stateful");
    },
    fallbackAfter({ error, revision }): Route | undefined {
      if (isUnauthorized(error)) return undefined;
      if (isKnown) {
        knownFamilies.delete(key);
        return streamableRoute(target);
      }
      return refusesHandshake(error, revision) ? sseRoute(target, error) : undefined;
    },
    discover: (error, settings) => discover(target, error, settings),
  };
}

/** @param refusal the error of Streamable HTTP. It is thrown if HTTP+SSE fails as well, with that error as its cause */
function sseRoute(target: HttpTarget, refusal?: unknown): Route {
  const { key } = target;
  return {
    skipsProbe: true,
    async open(options, signal): Promise<Dispatcher> {
      try {
        return await openSse(target, options, signal);
      } catch (error) {
        signal?.throwIfAborted();
        throw isUnauthorized(error) || refusal === undefined ? error : withSecond(refusal, error);
      }
    },
    onRevisionAgreed: () => knownFamilies.set(key, "sse"),
    fallbackAfter(): Route | undefined {
      knownFamilies.delete(key);
      return refusal === undefined ? streamableRoute(target) : undefined;
    },
    discover: (error, settings) => discover(target, error, settings),
  };
}

/** The error of Streamable HTTP, with what happened when HTTP+SSE was tried next. An error of the server itself keeps its text. */
function withSecond(refusal: unknown, second: unknown): unknown {
  if (!(refusal instanceof HttpStatusError)) return refusal;
  const { status, message, data } = refusal;
  const isSame = statusOf(second) === status;
  const more = isSame || !(second instanceof Error) ? "" : `. HTTP+SSE, which was tried next, failed, too: ${second.message}`;
  const { body } = data as { readonly body?: string }; // its constructor sets it
  return new HttpStatusError(status, message + more, body, { cause: second });
}

/** The route to the server that the catalog of a domain names. Tried once, and only for a URL that names nothing but a domain. */
async function discover(
  { server, endpoint: { url }, isDiscovered }: HttpTarget,
  error: unknown,
  { discover: how = true, signal }: DiscoverSettings,
): Promise<Route | undefined> {
  const status = statusOf(error);
  const isDomain = !isDiscovered && url.pathname === "/" && url.search === "";
  if (how === false || !isDomain || (status !== 404 && status !== 405)) return undefined;
  const { discoverServer } = await import("./discovery.ts");
  const found = await discoverServer(server, how === true ? {} : how, signal);
  signal?.throwIfAborted();
  return found && routeToUrl(found, true);
}

/** Opens HTTP+SSE, which is loaded with the first server that needs it. */
async function openSse(
  { server, authorizer }: HttpTarget,
  options: JsonRpcDispatcherOptions,
  signal: AbortSignal | undefined,
): Promise<Dispatcher> {
  const { openSseTransport } = await import("./sse-transport.ts");
  const pauses = new Pauses(options.clock ?? systemClock);
  const endpoint = new Endpoint(server.url, server.fetch, authorizer && new Authorization(authorizer, pauses));
  const late = new LinkedAbort(signal);
  const stopTimer = pauses.startTimer(SSE_TIMEOUT, () =>
    late.abort(new ConnectionLostError(`${endpoint.name} named no endpoint within ${SSE_TIMEOUT} ms`, "unknown")),
  );
  try {
    const transport = await openSseTransport(endpoint, {
      headers: userHeaders(server.headers),
      ...httpLimits(server),
      signal: late.signal,
      ...(options.onError && { onError: options.onError }),
    });
    return new JsonRpcDispatcher(transport, options);
  } finally {
    late.unlink();
    stopTimer();
  }
}

/** Whether the server refuses this user. Another transport would not help. */
function isUnauthorized(error: unknown): boolean {
  const status = statusOf(error);
  return status === 401 || status === 403;
}

/** Statuses that depend on the caller or the moment and say nothing about the server's revision. */
const INCONCLUSIVE_STATUSES: ReadonlySet<number> = new Set([401, 403, 407, 408, 413, 425, 429, 431, 451]);

/** Statuses of a server, or of what stands before it, that may answer otherwise a moment later. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

/**
 * Whether a failed probe says nothing about the revision. A JSON-RPC error does under any status, because a server sent it that has
 * read the probe; so does a server that misses a session or does not implement the method.
 */
function isOutage(error: unknown, endpoint: Endpoint): boolean {
  if (!McpError.isMcpError(error) || error instanceof RequestTimeoutError || error instanceof LimitExceededError) return true;
  // A browser reports the same error if the server is down and if its CORS rules do not allow these headers.
  if (error instanceof ConnectionLostError) return !endpoint.isForeign;
  const status = statusOf(error);
  if (status === undefined || PASSING_STATUSES.has(status)) return status !== undefined;
  if (status === 501 || isReceived(error) || speaksOfLoss(error)) return false;
  return status < 400 || status >= 500 || INCONCLUSIVE_STATUSES.has(status);
}

const STATELESS_ERRORS: ReadonlySet<number> = new Set([
  ErrorCode.HeaderMismatch,
  ErrorCode.MissingRequiredClientCapability,
  ErrorCode.UnsupportedProtocolVersion,
]);

/** Whether `initialize` failed as it does at a server that has only HTTP+SSE (MCP 2025-11-25, Transports, Backwards Compatibility). */
function refusesHandshake(error: unknown, revision: Failure["revision"]): boolean {
  const status = statusOf(error);
  if (status === undefined || !McpError.isMcpError(error) || STATELESS_ERRORS.has(error.code)) return false;
  const mayBeOldest = revision === undefined || revision === "stateful" || codecFor(revision)?.hasHttpSse;
  return mayBeOldest && (status === 400 || status === 404 || status === 405);
}
