/** How a test gets an {@link AuthorizationServer}: on a port of this machine, or without any. It loads with the first one. */
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import type { HttpResponse } from "../../server/http/http-message.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import type { AuthorizationServerOptions } from "./options.ts";

/** Options of `startAuthorizationServer()`. */
export interface StartAuthorizationServerOptions extends AuthorizationServerOptions {
  /** The TCP port. Default 0: any that is free. */
  port?: number;
  /** The name in the issuer: `127.0.0.1` (default), `localhost` or `::1`. Nothing else can be bound. */
  host?: "127.0.0.1" | "localhost" | "::1";
  /** The path of the issuer: `/tenant1`. Default none. */
  path?: string;
}

/** An authorization server that listens until it is closed. */
export interface RunningAuthorizationServer extends AuthorizationServer, AsyncDisposable {
  /** Ends every connection. Idempotent. */
  close(): Promise<void>;
}

/** For who comes between the port and the server behind it, whose issuer names the port. */
const NOT_READY: Promise<HttpResponse> = Promise.resolve({ status: 503, headers: [] });
const HOSTS: readonly string[] = ["127.0.0.1", "localhost", "::1"];

/**
 * An authorization server that listens nowhere: clients in this process reach it through its `fetch`. So its issuer may
 * be `https:`, on a name that is nobody's (`https://login.example`).
 *
 * @throws McpUsageError for an issuer that others could reach, and where `NODE_ENV` is `production`
 * @throws TypeError for an issuer that is none, and for options there are none of
 */
export async function createAuthorizationServer(issuer: string, options: AuthorizationServerOptions = {}): Promise<AuthorizationServer> {
  const { AuthorizationServer } = await import("./authorization-server.ts");
  return new AuthorizationServer(issuer, options);
}

/**
 * Starts an authorization server for tests and local work; it is ready when the promise resolves.
 *
 * Security: it grants everything to everybody. It listens on this machine alone.
 * @throws McpUsageError for a host that others could reach, and where `NODE_ENV` is `production`
 * @throws TypeError for options there are none of; Error as Node's where it cannot listen
 */
export async function startAuthorizationServer(options: StartAuthorizationServerOptions = {}): Promise<RunningAuthorizationServer> {
  const { port = 0, host = "127.0.0.1", path = "", ...rest } = options;
  if (!HOSTS.includes(host)) {
    throw new McpUsageError(
      `The authorization server is for tests and local work: "host" must be ${HOSTS.join(", ")}, not ${JSON.stringify(host)}`,
    );
  }
  const [{ AuthorizationServer }, { listenOnLoopback }] = await Promise.all([
    import("./authorization-server.ts"),
    import("../../node/http/listen-on-loopback.ts"),
  ]);
  const name = host === "::1" ? "[::1]" : host;
  // Before anything listens: options that are none, and production, are found out here.
  void new AuthorizationServer(`http://${name}${path}`, rest);
  const ready: { server?: AuthorizationServer } = {};
  const listener = await listenOnLoopback((request) => ready.server?.handle(request) ?? NOT_READY, {
    port,
    host: host === "::1" ? host : "127.0.0.1",
  });
  const server = new AuthorizationServer(`http://${name}:${listener.port}${path}`, rest);
  ready.server = server;
  const close = (): Promise<void> => listener.close();
  return Object.assign(server, { close, [Symbol.asyncDispose]: close });
}
