/**
 * The endpoint as a listener of Node's own HTTP server, and of every framework that hands its requests on.
 *
 * What HTTP takes is loaded with the first request: a server on stdio does not pay for it.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { isAcceptor, type Acceptor } from "../dispatch/acceptor.ts";
import type { HttpHandler } from "../server/http/handler.ts";
import { assertHttpOptions, type HttpOptions } from "../server/http/options.ts";
import type { ReadRequest } from "./http-request.ts";
import type { serveRequest } from "./serve-request.ts";

/**
 * `app.all("/mcp", handler)`, `createServer(handler)`, or `handler(request.raw, reply.raw, request.body)` where a
 * framework has read the body: the third argument is that body, unless it is a function.
 */
export interface NodeHandler {
  (request: IncomingMessage, response: ServerResponse, body?: unknown): void;
  /** Refuses what is new, lets what runs end within `ms`, ends streams in good order, then closes. */
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
export function toNodeHandler(server: Acceptor, options: HttpOptions = {}): NodeHandler {
  if (!isAcceptor(server)) throw new TypeError("toNodeHandler needs a server");
  assertHttpOptions(options);
  let loading: Promise<Loaded> | undefined;
  const load = (): Promise<Loaded> => (loading ??= loadHandler(server, options));
  const listener = (request: IncomingMessage, response: ServerResponse, body?: unknown): void => {
    if (body !== undefined && typeof body !== "function") (request as ReadRequest).body = body;
    load().then(
      ({ handler, serveRequest }) => serveRequest(handler, request, response),
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
  readonly serveRequest: typeof serveRequest;
}

async function loadHandler(server: Acceptor, options: HttpOptions): Promise<Loaded> {
  const [{ HttpHandler }, { serveRequest }] = await Promise.all([import("../server/http/handler.ts"), import("./serve-request.ts")]);
  return { handler: new HttpHandler(server, options), serveRequest };
}
