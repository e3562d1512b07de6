/**
 * `toNodeHandler()`: the endpoint as a listener of Node's HTTP server and of frameworks on top of it.
 *
 * The HTTP code is loaded with the first request, so that a server on stdio does not load it.
 */
import { assertKnown } from "../../base/known-options.ts";
import { nodeHttpOptionKeys, type NodeHttpOptions } from "./http-endpoint.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import { acceptorOf, isServable, type Acceptor, type Servable } from "../../dispatch/acceptor.ts";
import { assertAtLeast } from "../../base/number-options.ts";
import { assertClientAddress, assertHttpOptions } from "../../server/http/settings.ts";
import type { ReadRequest } from "./http-request.ts";
import type { NodeEdge, serveRequest } from "./serve-request.ts";

/**
 * A handler for `node:http` and for frameworks on top of it: `createServer(handler)` or `app.all("/mcp", handler)`. If a framework has
 * read the body, pass it as the third argument: `handler(request.raw, reply.raw, request.body)`. A function there is ignored.
 */
export interface NodeHandler {
  /** Handles one request. Never throws: errors become responses, or are reported to `onError`. */
  (request: IncomingMessage, response: ServerResponse, body?: unknown): void;
  /** Refuses new requests, gives running ones `ms` milliseconds to end (default 25 000), ends streams cleanly, then closes. */
  drain(ms?: number): Promise<void>;
  /** Ends everything at once. */
  close(): Promise<void>;
}

/**
 * Serves `server` to requests of every revision. The handler holds the sessions, so use one handler for all requests. The server
 * begins with the first request; call `server.begin()` to begin earlier, for example to continue tasks of another process.
 *
 * Security: requests for other hosts than this machine are refused unless `allowedHosts` names them.
 * @throws TypeError, RangeError if an option has a wrong value
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { McpServer } from "tenon/server";
 * import { toNodeHandler } from "tenon/node";
 *
 * const server = new McpServer({ name: "sums", version: "1.0.0" });
 * const handler = toNodeHandler(server); // also for Express: app.all("/mcp", handler)
 * const http = createServer(handler).listen(0, "127.0.0.1");
 * http.on("listening", () => {
 *   console.log(http.listening); // true
 *   http.close();
 * });
 * ```
 */
export function toNodeHandler(given: Servable, options: NodeHttpOptions = {}): NodeHandler {
  if (!isServable(given)) throw new TypeError("toNodeHandler needs a server");
  const server = acceptorOf(given);
  assertKnown("toNodeHandler()", options, nodeHttpOptionKeys());
  assertNodeOptions(options, server);
  let loading: Promise<LoadedEdge> | undefined;
  const load = (): Promise<LoadedEdge> => (loading ??= loadEdge(server, options));
  const listener = (request: IncomingMessage, response: ServerResponse, body?: unknown): void => {
    if (body !== undefined && typeof body !== "function") (request as ReadRequest).body = body;
    load().then(
      ({ edge, serveRequest }) => serveRequest(edge, request, response),
      (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
    );
  };
  return Object.assign(listener, {
    drain: async (ms?: number) => (await load()).edge.endpoint.drain(ms),
    close: async () => (await load()).edge.endpoint.close(),
  });
}

interface LoadedEdge {
  readonly edge: NodeEdge;
  readonly serveRequest: typeof serveRequest;
}

async function loadEdge(server: Acceptor, options: NodeHttpOptions): Promise<LoadedEdge> {
  const { createEdge, serveRequest } = await import("./serve-request.ts");
  return { edge: createEdge(server, options), serveRequest };
}

/** @throws TypeError, RangeError if an option has a wrong value */
export function assertNodeOptions(options: NodeHttpOptions, server: Acceptor): void {
  assertHttpOptions(options, server);
  assertClientAddress(options.clientAddress);
  assertAtLeast("limits.minBodyRate", options.limits?.minBodyRate ?? 0, 0);
}
