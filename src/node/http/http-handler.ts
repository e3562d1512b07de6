/**
 * The endpoint as a listener of Node's own HTTP server, and of every framework that hands its requests on.
 *
 * What HTTP takes is loaded with the first request: a server on stdio does not pay for it.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { isAcceptor, type Acceptor } from "../../dispatch/acceptor.ts";
import { assertAtLeast } from "../../dispatch/limits.ts";
import type { HttpHandler } from "../../server/http/endpoint/endpoint.ts";
import { assertHttpOptions, type HttpOptions } from "../../server/http/options.ts";
import type { ReadRequest } from "./http-request.ts";
import type { serveRequest } from "./serve-request.ts";
import type { SlowBodies } from "./slow-bodies.ts";

/** Options of {@link toNodeHandler}: those of an endpoint, and how slowly a body may come. */
export interface NodeHttpOptions extends HttpOptions {
  /** Bytes a second, on average, that a body must come in at once 5 s have passed; 408 below. Default 1 024; 0 for any. */
  minBodyRate?: number;
}

/**
 * `app.all("/mcp", handler)`, `createServer(handler)`, or `handler(request.raw, reply.raw, request.body)` where a
 * framework has read the body: the third argument is that body, unless it is a function.
 */
export interface NodeHandler {
  /** Answers one request. Never throws: what goes wrong is answered, or told to `onError`. */
  (request: IncomingMessage, response: ServerResponse, body?: unknown): void;
  /** Refuses what is new, lets what runs end within `ms` milliseconds (default 25 000), ends streams in good order, then closes. */
  drain(ms?: number): Promise<void>;
  /** Ends everything at once. */
  close(): Promise<void>;
}

/**
 * Serves `server` to requests of every revision. It keeps sessions: use one handler for all requests.
 *
 * Requests for hosts that are not this machine are refused unless `allowedHosts` names them.
 * @throws TypeError, RangeError for options that are none
 */
export function toNodeHandler(server: Acceptor, options: NodeHttpOptions = {}): NodeHandler {
  if (!isAcceptor(server)) throw new TypeError("toNodeHandler needs a server");
  assertNodeOptions(options);
  let loading: Promise<Loaded> | undefined;
  const load = (): Promise<Loaded> => (loading ??= loadHandler(server, options));
  const listener = (request: IncomingMessage, response: ServerResponse, body?: unknown): void => {
    if (body !== undefined && typeof body !== "function") (request as ReadRequest).body = body;
    load().then(
      ({ handler, slow, serveRequest }) => serveRequest(handler, slow, request, response),
      (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
    );
  };
  return Object.assign(listener, {
    drain: async (ms?: number) => (await load()).handler.drain(ms),
    close: async () => (await load()).handler.close(),
  });
}

interface Loaded {
  readonly handler: HttpHandler;
  readonly slow: SlowBodies;
  readonly serveRequest: typeof serveRequest;
}

async function loadHandler(server: Acceptor, options: NodeHttpOptions): Promise<Loaded> {
  const [{ HttpHandler }, { SlowBodies }, { serveRequest }] = await Promise.all([
    import("../../server/http/endpoint/endpoint.ts"),
    import("./slow-bodies.ts"),
    import("./serve-request.ts"),
  ]);
  const handler = new HttpHandler(server, options);
  return { handler, slow: new SlowBodies(handler.settings.clock, options.minBodyRate), serveRequest };
}

/** @throws TypeError, RangeError for options that are none */
export function assertNodeOptions(options: NodeHttpOptions): void {
  assertHttpOptions(options);
  assertAtLeast("minBodyRate", options.minBodyRate ?? 0, 0);
}
