/**
 * A Node HTTP server that serves one endpoint: the part of `serveHttp` that is loaded late.
 *
 * It owns the time limits, the paths, and closing.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Acceptor } from "../../dispatch/acceptor.ts";
import { assertDuration } from "../../base/number-options.ts";
import { nextTurn } from "../../base/turns.ts";
import type { Endpoint } from "../../server/http/endpoint/endpoint.ts";
import { isLoopback } from "../../server/http/endpoint/guard.ts";
import type { HttpEndpoint, HttpTimeouts, ServeHttpOptions } from "./http-endpoint.ts";
import { writeResponse } from "./http-response.ts";
import type { WorkersState } from "../workers/messages.ts";
import { listenAt } from "./listen.ts";
import { createEdge, MAX_HEADERS, serveRequest } from "./serve-request.ts";

/** Most bytes of a request's head. */
const MAX_HEAD_BYTES = 16_384;

/**
 * Listens, and begins the server. @throws Node's error if it cannot listen, or the error of `begin`
 * @param workersOf the workers that serve the same port, if there are several
 */
export async function listenHttp(
  server: Acceptor,
  options: ServeHttpOptions,
  workersOf: () => WorkersState | undefined = () => undefined,
): Promise<HttpEndpoint> {
  const { drainDelay = 0 } = options;
  const edge = createEdge(server, options);
  const { endpoint } = edge;
  const listener = createServer(serverOptions({ keepAlive: keepAliveOf(options), ...options.timeouts }), (request, response) => {
    if (isServed(options, endpoint, request.url ?? "")) serveRequest(edge, request, response);
    else if (options.auth?.handle?.(request, response) !== true && options.handle?.(request, response) !== true)
      answerElsewhere({ endpoint, options, workers: workersOf() }, request, response);
  });
  listener.maxHeadersCount = MAX_HEADERS + 1; // one too many is seen
  const place = await listenAt(listener, options);
  await begin(server, endpoint).catch(async (error: unknown) => {
    await close(listener, endpoint);
    throw error;
  });
  return {
    ...place,
    async drain(ms): Promise<void> {
      assertDuration("drain", ms ?? 0); // before it says that it drains
      await endpoint.leave(drainDelay);
      await drain(listener, endpoint, ms);
    },
    close: () => close(listener, endpoint),
    async [Symbol.asyncDispose](): Promise<void> {
      await close(listener, endpoint);
      await server.close?.();
    },
  };
}

/** Begins the server before the first request, because it may have to continue the work of another process. */
async function begin(server: Acceptor, endpoint: Endpoint): Promise<void> {
  await server.begin?.();
  await endpoint.begin();
}

/** Milliseconds a connection may be idle. A proxy keeps idle connections, and one that the server ends first can take a request with it. */
const [KEEP_ALIVE, KEEP_ALIVE_BEHIND_PROXY] = [5_000, 75_000];

/** Longer if the options say that a proxy or a balancer stands before the server, or that its address is for other machines. */
export function keepAliveOf({ stores, clientAddress, host = "127.0.0.1" }: ServeHttpOptions): number {
  const isBehindProxy = stores !== undefined || clientAddress !== undefined || !isLoopback(host);
  return isBehindProxy ? KEEP_ALIVE_BEHIND_PROXY : KEEP_ALIVE;
}

export function serverOptions({ headers = 10_000, request = 30_000, keepAlive = KEEP_ALIVE }: HttpTimeouts = {}): object {
  return {
    headersTimeout: headers,
    requestTimeout: request,
    keepAliveTimeout: keepAlive,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: MAX_HEAD_BYTES,
    insecureHTTPParser: false,
    noDelay: true,
  };
}

/** Whether the endpoint responds to a URL itself: on its own path, with and without a slash at the end, and the paths of its card and its public documents. */
function isServed({ path = "/mcp", card }: ServeHttpOptions, endpoint: Endpoint, url: string): boolean {
  return (
    isAt(path, url) ||
    isAt(path.endsWith("/") ? path.slice(0, -1) : `${path}/`, url) ||
    endpoint.isPublic(url) ||
    (card !== undefined && isAt(`${path.replace(/\/$/, "")}/server-card`, url))
  );
}

function isAt(path: string, url: string): boolean {
  if (path === "") return false;
  return url === path || (url.startsWith(path) && url[path.length] === "?");
}

interface Elsewhere {
  readonly endpoint: Endpoint;
  readonly options: ServeHttpOptions;
  readonly workers: WorkersState | undefined;
}

function answerElsewhere({ endpoint, options, workers }: Elsewhere, request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  const status = options.health === true && request.method === "GET" ? healthOf(workers ?? endpoint, request.url ?? "") : undefined;
  writeResponse(endpoint, response, { status: status ?? 404, headers: ["Cache-Control", "no-store"] });
}

/** The health of this endpoint; of workers, that of all: one that starts again says nothing of the others. */
function healthOf(served: Endpoint | WorkersState, url: string): number | undefined {
  if (url === "/livez" || url === "/healthz") return 200;
  if (url !== "/readyz") return undefined;
  const isReady = "begun" in served ? served.begun && served.serving > 0 : served.ready;
  // HAProxy cuts the running requests of a server whose check fails with 503, and lets them end after a 404 (`disable-on-404`).
  return served.leaving ? 404 : isReady ? 200 : 503;
}

/** Drains the endpoint before it closes the port, so that new clients get a refusal and no cut connection. */
async function drain(listener: Server, endpoint: Endpoint, ms?: number): Promise<void> {
  await endpoint.drain(ms);
  await close(listener, endpoint);
}

async function close(listener: Server, endpoint: Endpoint): Promise<void> {
  await closeListener(listener, () => endpoint.close());
}

/** Accepts no more connections, waits for `end`, then cuts the remaining connections. */
export async function closeListener(listener: Server, end?: () => Promise<void>): Promise<void> {
  const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
  await end?.();
  listener.closeIdleConnections();
  // The last responses need a turn of the event loop to be sent.
  await nextTurn();
  listener.closeAllConnections();
  await closed;
}
