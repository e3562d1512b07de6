/**
 * A Node HTTP server that serves one endpoint: `serveHttp(server)`.
 *
 * It owns the socket: where it is bound, how long a client may take, which paths there are, and how it ends.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isAcceptor, type Acceptor } from "../dispatch/acceptor.ts";
import { McpUsageError } from "../jsonrpc/mcp-error.ts";
import { isLoopback } from "../server/http/guard.ts";
import { HttpHandler } from "../server/http/handler.ts";
import type { HttpOptions } from "../server/http/options.ts";
import { serveRequest } from "./http-handler.ts";

export interface ServeHttpOptions extends HttpOptions {
  /** Default 3000; 0 for any that is free. */
  port?: number;
  /** The address to bind. Default `127.0.0.1`. Security: any other needs `allowedHosts`. */
  host?: string;
  /** The path of the endpoint. Default `/mcp`; others are answered with 404. */
  path?: string;
  /** Serves `GET /livez` (200 while the process runs) and `GET /readyz` (503 once it drains). Default false. */
  health?: boolean;
  /** Milliseconds in which the head of a request must have come. Default 10 000. */
  headersTimeout?: number;
  /** Milliseconds in which a whole request must have come. Default 30 000. */
  requestTimeout?: number;
  /** Milliseconds a connection may be idle. Default 5 000. */
  keepAliveTimeout?: number;
}

export interface HttpEndpoint {
  /** Where it is: `http://127.0.0.1:3000/mcp`. */
  readonly url: string;
  readonly port: number;
  /** Refuses what is new, lets what runs end within `ms` (default 25 000), ends streams in good order, then closes. */
  drain(ms?: number): Promise<void>;
  /** Ends everything at once. Idempotent. */
  close(): Promise<void>;
}

/** Bytes of a request's head, and headers in it. */
const MAX_HEAD_BYTES = 16_384;
const MAX_HEADERS = 100;
/** Connections that may wait to be accepted. */
const BACKLOG = 4_096;

/**
 * Serves `server` over HTTP to clients of every revision. Resolves when it listens.
 *
 * @throws McpUsageError for an address that others can reach without `allowedHosts`
 * @throws Error as Node's where it cannot listen
 */
export async function serveHttp(server: Acceptor, options: ServeHttpOptions = {}): Promise<HttpEndpoint> {
  const { port = 3000, host = "127.0.0.1", path = "/mcp" } = options;
  if (!isAcceptor(server)) throw new TypeError("serveHttp needs a server");
  if (!isLoopback(host) && options.allowedHosts === undefined) {
    throw new McpUsageError(`Binding ${host} makes the server reachable from elsewhere: name the hosts it is reached by in "allowedHosts"`);
  }
  const handler = new HttpHandler(server, options);
  const listener = createServer(serverOptions(options), (request, response) => route(handler, options, path, request, response));
  listener.maxHeadersCount = MAX_HEADERS;
  await listen(listener, port, host);
  const address = listener.address() as AddressInfo; // it listens on a port
  const name = host.includes(":") ? `[${host}]` : host;
  return {
    url: `http://${name}:${address.port}${path}`,
    port: address.port,
    drain: (ms) => drain(listener, handler, ms),
    close: () => close(listener, handler),
  };
}

function serverOptions({ headersTimeout = 10_000, requestTimeout = 30_000, keepAliveTimeout = 5_000 }: ServeHttpOptions): object {
  return {
    headersTimeout,
    requestTimeout,
    keepAliveTimeout,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: MAX_HEAD_BYTES,
    insecureHTTPParser: false,
    noDelay: true,
  };
}

function route(handler: HttpHandler, options: ServeHttpOptions, path: string, request: IncomingMessage, response: ServerResponse): void {
  const url = request.url ?? "";
  if (url === path || (url.startsWith(path) && url[path.length] === "?")) return serveRequest(handler, request, response);
  request.resume();
  const status = options.health === true && request.method === "GET" ? healthOf(handler, url) : undefined;
  response.writeHead(status ?? 404, ["Content-Length", "0", "Cache-Control", "no-store"]).end();
}

function healthOf(handler: HttpHandler, url: string): number | undefined {
  if (url === "/livez") return 200;
  return url === "/readyz" ? (handler.draining ? 503 : 200) : undefined;
}

function listen(listener: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    listener.once("error", reject);
    listener.listen(port, host, BACKLOG, () => {
      listener.off("error", reject);
      resolve();
    });
  });
}

/** The port stays open for a moment longer, so that those who come are told, not cut. */
async function drain(listener: Server, handler: HttpHandler, ms?: number): Promise<void> {
  await handler.drain(ms);
  await close(listener, handler);
}

async function close(listener: Server, handler: HttpHandler): Promise<void> {
  const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
  await handler.close();
  listener.closeIdleConnections();
  // What was said last is given a turn to leave.
  await new Promise((resolve) => setImmediate(resolve));
  listener.closeAllConnections();
  await closed;
}
