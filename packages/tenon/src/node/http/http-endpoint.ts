/** The options of an endpoint on a Node server, and the endpoint that listens. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { EndpointAuth } from "../../auth/resource-server/endpoint-auth.ts";
import type { OptionKeys } from "../../base/known-options.ts";
import { httpLimitKeys, httpOptionKeys } from "../../server/http/option-keys.ts";
import type { ClientAddress, HttpLimits, HttpOptions } from "../../server/http/options.ts";

/** The option `limits` of an endpoint on Node. */
export interface NodeHttpLimits extends HttpLimits {
  /**
   * Bytes a second, on average, that a body must arrive with after its first 5 s; a slower one gets a 408. Default 1 024; 0 for
   * no minimum.
   */
  minBodyRate: number;
}

/** Options of {@link toNodeHandler}: the options of an endpoint, the minimum rate of a body, and the source of the client's address. */
export interface NodeHttpOptions extends HttpOptions {
  /**
   * The address that tells clients without a principal apart for `sessions.maxPerPrincipal` and the other shares. Default: the one of the
   * connection. Behind a proxy name the header that the proxy writes, such as `"x-forwarded-for"` (its last entry counts), or give a
   * function. Security: a client can send any header, so that it must not reach this server past the proxy.
   */
  clientAddress?: ClientAddress<IncomingMessage>;
  /** Sizes, counts, times and rates that bound the endpoint. Default: see each limit. */
  limits?: Partial<NodeHttpLimits>;
}

/** An `auth` with pages of its own beside the endpoint, such as the pages of `createAuthorizationServer()`. */
export interface NodeEndpointAuth extends EndpointAuth {
  /** Responds to a request for one of its pages; false if the URL is not one. */
  handle?(request: IncomingMessage, response: ServerResponse): boolean;
}

/** Options of {@link serveHttp}: the options of an endpoint, and how it listens. All times are in milliseconds. */
export interface ServeHttpOptions extends NodeHttpOptions {
  /**
   * Who may use this endpoint, such as `bearer({ issuer, audience })` of `tenon/auth`. Default: every request that passes the guard. If it
   * has pages, they are served on the same port.
   */
  auth?: NodeEndpointAuth;
  /**
   * Responds to requests for other paths than the endpoint's, such as pages of your own; false for a 404. Default: all get a 404. Security: these requests
   * pass neither the check of hosts and origins nor `auth`.
   */
  handle?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** The TCP port. Default 3000; 0 for any free port. */
  port?: number;
  /** The address to bind. Default `127.0.0.1`. Security: an address that other machines can reach requires `allowedHosts`. */
  host?: string;
  /**
   * The path of a Unix socket to listen on in the place of a port: at most 107 bytes on Linux and 103 elsewhere; on Windows a named pipe. Default: none.
   * A socket that an ended process has left is replaced, and `close()` removes it. Not together with `port`, `host` and `workers`. Clients use `socketFetch()`.
   */
  socket?: string;
  /**
   * The mode of the socket's file: who may connect. Default `0o600`, only the user of this process; `0o660` for its group too. It holds before anyone can
   * connect. Security: every program that may write to the file is served, unless `auth` asks who it is.
   */
  socketMode?: number;
  /** The path of the endpoint. Default `/mcp`; other paths get a 404. */
  path?: string;
  /** Serves `GET /livez` and `/healthz` (200 while the process runs) and `GET /readyz` (404 once it drains, 503 until `stores` were reached). Default false. */
  health?: boolean;
  /** Milliseconds for which `drain()` still serves new requests while `/readyz` is 404 already, until every balancer has noticed. Default 0. */
  drainDelay?: number;
  /** How long the server waits for a client to send. Default: see each time. */
  timeouts?: HttpTimeouts;
  /**
   * The processes that serve the port: a number from 1 to 1 024, or `"all"` for one for each core. Default 1. This process starts the program
   * again in each, and starts again what ends. They share sessions, streams, tasks, keys and rate limits, in the memory of this process or in
   * `stores`. On Node only. One process all the same in a test (Vitest, Jest, `node:test`), in a thread and in `tenon dev`.
   */
  workers?: "all" | number;
}

/** The option `timeouts` of {@link serveHttp}. All times are in milliseconds. */
export interface HttpTimeouts {
  /** Milliseconds for the head of a request to arrive; then 408. Default 10 000. */
  headers?: number;
  /** Milliseconds for a whole request to arrive; then 408. Default 30 000. */
  request?: number;
  /** Milliseconds a connection may be idle; longer than a proxy keeps it. Default 5 000; 75 000 with `clientAddress`, `stores`, or a `host` for other machines. */
  keepAlive?: number;
}

/** An endpoint that listens: what {@link serveHttp} resolves with. */
export interface HttpEndpoint extends AsyncDisposable {
  /** The URL of the endpoint: `http://127.0.0.1:3000/mcp`. With `socket` it is `http://localhost/mcp`, for a client with `socketFetch()`. */
  readonly url: string;
  /** The TCP port it is bound to; 0 with `socket`. */
  readonly port: number;
  /** The absolute path of the socket that it listens on; undefined for a port. */
  readonly socket?: string;
  /** Refuses new requests, gives running ones `ms` milliseconds to end (default 25 000), ends streams cleanly, then closes. */
  drain(ms?: number): Promise<void>;
  /** Ends everything at once, and leaves the server open: others may serve it too. Idempotent. */
  close(): Promise<void>;
  /**
   * Ends everything at once, and then closes the server that it serves, for `await using`. At the top of a module this happens as soon as
   * the module has run: a program that serves until it is stopped declares its endpoint with `const`, and calls `drain()` on SIGTERM.
   */
  [Symbol.asyncDispose](): Promise<void>;
}

// ---- the names of the options, for the check of what users pass ----

export function nodeHttpOptionKeys(): OptionKeys<NodeHttpOptions> {
  return { ...httpOptionKeys(), clientAddress: 1, limits: { ...httpLimitKeys(), minBodyRate: 1 } };
}

export function serveHttpOptionKeys(): OptionKeys<ServeHttpOptions> {
  const timeouts = { headers: 1, request: 1, keepAlive: 1 } as const;
  const place = { port: 1, host: 1, socket: 1, socketMode: 1, path: 1 } as const;
  return { ...nodeHttpOptionKeys(), ...place, auth: 1, handle: 1, health: 1, drainDelay: 1, workers: 1, timeouts };
}
