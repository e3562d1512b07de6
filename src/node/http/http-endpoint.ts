/** An endpoint with a server of its own: how it is to be served, and what there is of it then. */
import type { IncomingMessage } from "node:http";
import type { ClientAddress, HttpLimits, HttpOptions } from "../../server/http/options.ts";

/** The option `limits` of an endpoint on Node. */
export interface NodeHttpLimits extends HttpLimits {
  /** Bytes a second, on average, that a body must come in at once 5 s have passed; 408 below. Default 1 024; 0 for any. */
  minBodyRate: number;
}

/** Options of {@link toNodeHandler}: those of an endpoint, how slowly a body may come, and where the client's address stands. */
export interface NodeHttpOptions extends HttpOptions {
  /**
   * The address that tells clients without a principal apart for `sessions.maxPerPrincipal` and the other shares. Default: that of the
   * connection. Behind a proxy name the header that the proxy writes, such as `"x-forwarded-for"` (its last entry counts), or give a
   * function. Security: a client can send any header, so that it must not reach this server past the proxy.
   */
  clientAddress?: ClientAddress<IncomingMessage>;
  /** Sizes, counts, times and rates that bound the endpoint. Default: see each limit. */
  limits?: Partial<NodeHttpLimits>;
}

/** Options of {@link serveHttp}: those of an endpoint, and where and how it listens. All times are in milliseconds. */
export interface ServeHttpOptions extends NodeHttpOptions {
  /** The TCP port. Default 3000; 0 for any that is free. */
  port?: number;
  /** The address to bind. Default `127.0.0.1`. Security: any that others can reach needs `allowedHosts`. */
  host?: string;
  /** The path of the endpoint. Default `/mcp`; others are answered with 404. */
  path?: string;
  /** Serves `GET /livez` (200 while the process runs) and `GET /readyz` (503 once it drains). Default false. */
  health?: boolean;
  /** How long the server waits for a client to send. Default: see each time. */
  timeouts?: HttpTimeouts;
}

/** The option `timeouts` of {@link serveHttp}. All times are in milliseconds. */
export interface HttpTimeouts {
  /** Milliseconds in which the head of a request must have come; 408 after. Default 10 000. */
  headers?: number;
  /** Milliseconds in which a whole request must have come; 408 after. Default 30 000. */
  request?: number;
  /** Milliseconds a connection may be idle. Default 5 000. */
  keepAlive?: number;
}

/** An endpoint that listens: what {@link serveHttp} resolves with. */
export interface HttpEndpoint {
  /** Where it is: `http://127.0.0.1:3000/mcp`. */
  readonly url: string;
  /** The TCP port it is bound to. */
  readonly port: number;
  /** Refuses what is new, lets what runs end within `ms` milliseconds (default 25 000), ends streams in good order, then closes. */
  drain(ms?: number): Promise<void>;
  /** Ends everything at once. Idempotent. */
  close(): Promise<void>;
}
