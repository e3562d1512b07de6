/**
 * Serving over HTTP with Node's own server: `serveHttp(server)`.
 *
 * What HTTP takes is loaded when it is called: a server on stdio does not pay for it.
 */
import { isAcceptor, type Acceptor } from "../dispatch/acceptor.ts";
import { McpUsageError } from "../jsonrpc/mcp-error.ts";
import { isLoopback } from "../server/http/guard.ts";
import { assertNodeOptions, type NodeHttpOptions } from "./http-handler.ts";

export interface ServeHttpOptions extends NodeHttpOptions {
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

/**
 * Serves `server` over HTTP to clients of every revision. Resolves when it listens.
 *
 * @throws McpUsageError for an address that others can reach without `allowedHosts`
 * @throws Error as Node's where it cannot listen
 */
export async function serveHttp(server: Acceptor, options: ServeHttpOptions = {}): Promise<HttpEndpoint> {
  const { host = "127.0.0.1" } = options;
  if (!isAcceptor(server)) throw new TypeError("serveHttp needs a server");
  if (!isLoopback(host) && options.allowedHosts === undefined) {
    throw new McpUsageError(`Binding ${host} makes the server reachable from elsewhere: name the hosts it is reached by in "allowedHosts"`);
  }
  assertNodeOptions(options);
  const { listenHttp } = await import("./http-server.ts");
  return listenHttp(server, options);
}
