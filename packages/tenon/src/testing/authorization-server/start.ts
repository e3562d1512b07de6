/** Starts a {@link TestAuthorizationServer}, on a port of this machine or without one. Its code is loaded on first use. */
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import type { HttpResponse } from "../../server/http/http-message.ts";
import type { TestAuthorizationServer } from "./test-authorization-server.ts";
import type { TestAuthorizationServerOptions } from "./options.ts";

/** Options of `startAuthorizationServer()`. */
export interface StartAuthorizationServerOptions extends TestAuthorizationServerOptions {
  /** The TCP port. Default 0: any that is free. */
  port?: number;
  /** The name in the issuer: `127.0.0.1` (default), `localhost` or `::1`. Other addresses are refused. */
  host?: "127.0.0.1" | "localhost" | "::1";
  /** The path of the issuer: `/tenant1`. Default none. */
  path?: string;
}

/** An authorization server that listens until it is closed. */
export interface RunningAuthorizationServer extends TestAuthorizationServer, AsyncDisposable {
  /** Ends every connection. Idempotent. */
  close(): Promise<void>;
}

/** The response while the server starts: its issuer needs the port, so the port opens first. */
const NOT_READY: Promise<HttpResponse> = Promise.resolve({ status: 503, headers: [] });
const HOSTS: readonly string[] = ["127.0.0.1", "localhost", "::1"];

/**
 * Makes an authorization server without a port: clients in this process use its `fetch`. So its issuer may be `https:` with a reserved
 * name (`https://login.example`).
 *
 * @throws McpUsageError if other machines could reach the issuer, or `NODE_ENV` is `production`
 * @throws TypeError if the issuer is not a URL, or an option is unknown
 */
export async function createTestAuthorizationServer(
  issuer: string,
  options: TestAuthorizationServerOptions = {},
): Promise<TestAuthorizationServer> {
  const { TestAuthorizationServer } = await import("./test-authorization-server.ts");
  return new TestAuthorizationServer(issuer, options);
}

/**
 * Starts an authorization server for tests and local work; it is ready when the promise resolves.
 *
 * Security: it grants every request. It listens on this machine only.
 * @throws McpUsageError if other machines could reach the host, or `NODE_ENV` is `production`
 * @throws TypeError if an option is unknown; Node's error if it cannot listen
 */
export async function startAuthorizationServer(options: StartAuthorizationServerOptions = {}): Promise<RunningAuthorizationServer> {
  const { port = 0, host = "127.0.0.1", path = "", ...rest } = options;
  if (!HOSTS.includes(host)) {
    throw new McpUsageError(
      `The authorization server is for tests and local work: "host" must be ${HOSTS.join(", ")}, not ${JSON.stringify(host)}`,
    );
  }
  const [{ TestAuthorizationServer }, { listenOnLoopback }] = await Promise.all([
    import("./test-authorization-server.ts"),
    import("../../node/http/listen-on-loopback.ts"),
  ]);
  const name = host === "::1" ? "[::1]" : host;
  // Checks the options and the environment before the port opens.
  void new TestAuthorizationServer(`http://${name}${path}`, rest);
  const ready: { server?: TestAuthorizationServer } = {};
  const listener = await listenOnLoopback((request) => ready.server?.handle(request) ?? NOT_READY, {
    port,
    host: host === "::1" ? host : "127.0.0.1",
  });
  const server = new TestAuthorizationServer(`http://${name}:${listener.port}${path}`, rest);
  ready.server = server;
  const close = (): Promise<void> => listener.close();
  return Object.assign(server, { close, [Symbol.asyncDispose]: close });
}
