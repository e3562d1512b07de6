/**
 * The endpoint as a function of the web's own `Request` and `Response`: for workers, Deno, Bun, and every framework
 * that speaks them.
 *
 * What HTTP takes is loaded with the first request: a server that is served otherwise does not pay for it.
 */
import { assertKnown } from "../base/known-options.ts";
import { httpOptionKeys } from "./http/option-keys.ts";
import { isAcceptor, type Acceptor } from "../dispatch/acceptor.ts";
import type { HttpOptions } from "./http/options.ts";
import { assertHttpOptions } from "./http/settings.ts";

export type { HttpOptions } from "./http/options.ts";

/** A function for `export default { fetch }`. It keeps sessions: use one for all requests. */
export type FetchHandler = (request: Request) => Promise<Response>;

/**
 * Serves `server` to requests of every revision, at whatever path it is called for. The server begins to serve with the first request;
 * call `server.begin()` to let it begin before, such as with tasks that another process has left.
 *
 * Requests for hosts that are not this machine are refused unless `allowedHosts` names them.
 *
 * Security: a JSON answer is handed to the runtime as one text. Whether the client reads it cannot be seen here, so that `limits.maxStalled`
 * and `limits.maxUnsent` hold for streams only: the runtime, or a proxy before it, must limit how long a response may take.
 * @throws TypeError, RangeError for options that are none
 * @example
 * ```ts
 * import { connect } from "tenon/client";
 * import { createFetchHandler, McpServer } from "tenon/server";
 *
 * const server = new McpServer({ name: "sums", version: "1.0.0" });
 * server.tool("hello", {}, () => "Hello");
 * const fetch = createFetchHandler(server); // in a worker: export default { fetch }
 * await using client = await connect({ url: "http://localhost/mcp", fetch: (url, init) => fetch(new Request(url, init)) });
 * console.log((await client.callTool("hello")).text); // Hello
 * ```
 */
export function createFetchHandler(server: Acceptor, options: HttpOptions = {}): FetchHandler {
  if (!isAcceptor(server)) throw new TypeError("createFetchHandler needs a server");
  assertKnown("createFetchHandler()", options, httpOptionKeys());
  assertHttpOptions(options);
  let handler: Promise<FetchHandler> | undefined;
  return async (request) => {
    handler ??= import("./http/fetch-handler.ts").then(({ serveFetch }) => serveFetch(server, options));
    return (await handler)(request);
  };
}
