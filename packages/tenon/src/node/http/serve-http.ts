/**
 * `serveHttp()`: serves over HTTP with Node's own server.
 *
 * The HTTP code is loaded when it is called, so that a server on stdio does not load it.
 */
import { devHost, type DevHost } from "../../base/dev-host.ts";
import { assertKnown } from "../../base/known-options.ts";
import { serveHttpOptionKeys, type HttpEndpoint, type ServeHttpOptions } from "./http-endpoint.ts";
import { acceptorOf, isServable, type Acceptor, type Servable } from "../../dispatch/acceptor.ts";
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import { isLoopback } from "../../server/http/endpoint/guard.ts";
import { assertNodeOptions } from "./http-handler.ts";
import { assertListenOptions } from "./listen-options.ts";

/**
 * Serves `server` over HTTP to clients of every revision. Resolves when it listens and the server has begun: its lifespan is open
 * and its extensions run, also before the first request. In a file that `tenon dev` runs it serves the connections of `tenon dev`, on
 * its port and without these options. With `workers` the program runs in that many processes: see {@link ServeHttpOptions.workers}.
 *
 * @throws McpUsageError if other machines can reach the address and `allowedHosts` is missing; TypeError, RangeError if an option
 * has a wrong value
 * @throws Error with Node's `code` if it cannot listen, or what the server's `lifespan` throws; then the port or the socket is closed again
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
export async function serveHttp(given: Servable, options: ServeHttpOptions = {}): Promise<HttpEndpoint> {
  const { host = "127.0.0.1" } = options;
  if (!isServable(given)) throw new TypeError("serveHttp needs a server");
  const server = acceptorOf(given);
  assertKnown("serveHttp()", options, serveHttpOptionKeys());
  assertListenOptions(options);
  if (!isLoopback(host) && options.allowedHosts === undefined) {
    throw new McpUsageError(`Binding ${host} makes the server reachable from elsewhere: name the hosts it is reached by in "allowedHosts"`);
  }
  assertNodeOptions(options, server);
  const dev = devHost();
  if (dev !== undefined) return servedBy(dev, server);
  if (options.workers !== undefined) {
    const served = await (await import("../workers/serve-workers.ts")).serveWithWorkers(server, options);
    if (served !== undefined) return served;
  }
  const { listenHttp } = await import("./http-server.ts");
  return listenHttp(server, options);
}

const nothing = async (): Promise<void> => undefined;

/** The endpoint belongs to `tenon dev`, which ends it. */
function servedBy(dev: DevHost, server: Acceptor): HttpEndpoint {
  void dev.serve(server);
  return { url: dev.url, port: Number(new URL(dev.url).port), drain: nothing, close: nothing, [Symbol.asyncDispose]: nothing };
}
