/**
 * Serving over HTTP with Node's own server: `serveHttp(server)`.
 *
 * What HTTP takes is loaded when it is called: a server on stdio does not pay for it.
 */
import { assertKnown } from "../../base/known-options.ts";
import { serveHttpOptionKeys } from "./option-keys.ts";
import { isAcceptor, type Acceptor } from "../../dispatch/acceptor.ts";
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import { isLoopback } from "../../server/http/endpoint/guard.ts";
import type { HttpEndpoint, ServeHttpOptions } from "./http-endpoint.ts";
import { assertNodeOptions } from "./http-handler.ts";

/**
 * Serves `server` over HTTP to clients of every revision. Resolves when it listens and the server has begun to serve: its lifespan is
 * open, and its extensions work, whether a request comes or not.
 *
 * @throws McpUsageError for an address that others can reach without `allowedHosts`; TypeError, RangeError for options that are none
 * @throws Error as Node's if it cannot listen, and what the server's `lifespan` throws: then nothing listens any more
 * @example
 * ```ts
 * import { connect } from "tenon/client";
 * import { McpServer } from "tenon/server";
 * import { serveHttp } from "tenon/node";
 *
 * const server = new McpServer({ name: "sums", version: "1.0.0" });
 * server.tool("hello", {}, () => "Hello");
 * const endpoint = await serveHttp(server, { port: 0 }); // or a port of your own
 * const client = await connect(endpoint.url);
 * console.log((await client.callTool("hello")).text); // Hello
 * await client.close();
 * await endpoint.close();
 * ```
 */
export async function serveHttp(server: Acceptor, options: ServeHttpOptions = {}): Promise<HttpEndpoint> {
  const { host = "127.0.0.1" } = options;
  if (!isAcceptor(server)) throw new TypeError("serveHttp needs a server");
  assertKnown("serveHttp()", options, serveHttpOptionKeys());
  if (!isLoopback(host) && options.allowedHosts === undefined) {
    throw new McpUsageError(`Binding ${host} makes the server reachable from elsewhere: name the hosts it is reached by in "allowedHosts"`);
  }
  assertNodeOptions(options);
  const { listenHttp } = await import("./http-server.ts");
  return listenHttp(server, options);
}
