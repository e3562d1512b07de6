/**
 * The HTTP endpoint as a function from `Request` to `Response`: for workers, Deno, Bun and frameworks with these types.
 *
 * The HTTP code is loaded with the first request, so that servers on other transports do not load it.
 */
import { assertKnown } from "../base/known-options.ts";
import { fetchHandlerOptionKeys } from "./http/option-keys.ts";
import { acceptorOf, isServable, type Servable } from "../dispatch/acceptor.ts";
import type { FetchHandlerOptions } from "./http/options.ts";
import { assertClientAddress, assertHttpOptions } from "./http/settings.ts";

export type { ClientAddress, FetchHandlerOptions, HttpOptions } from "./http/options.ts";

/** A function for `export default { fetch }`. It keeps sessions: use one for all requests. */
export interface FetchHandler {
  /** Handles one request. Never rejects: errors become responses, or are reported to `onError`. */
  (request: Request): Promise<Response>;
  /** Refuses new requests, gives running ones `ms` milliseconds to end (default 25 000), ends streams cleanly, then closes. */
  drain(ms?: number): Promise<void>;
  /** Ends everything at once. */
  close(): Promise<void>;
}

/**
 * Serves `server` to requests of every revision, on any path. The server begins to serve with the first request. Call `server.begin()` to
 * begin earlier, for example to take over the tasks of another process.
 *
 * Requests for hosts that are not this machine are refused unless `allowedHosts` names them.
 *
 * Security: a JSON answer is handed to the runtime as one text. Whether the client reads it cannot be seen here, so that `limits.maxStalled`
 * and `limits.maxUnsent` hold for streams only: the runtime, or a proxy before it, must limit how long a response may take.
 * @throws TypeError, RangeError if an option has a wrong value
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
export function createFetchHandler(given: Servable, options: FetchHandlerOptions = {}): FetchHandler {
  if (!isServable(given)) throw new TypeError("createFetchHandler needs a server");
  const server = acceptorOf(given);
  assertKnown("createFetchHandler()", options, fetchHandlerOptionKeys());
  assertHttpOptions(options, server);
  assertClientAddress(options.clientAddress);
  let loading: Promise<FetchHandler> | undefined;
  const load = (): Promise<FetchHandler> =>
    (loading ??= import("./http/fetch-handler.ts").then(({ serveFetch }) => serveFetch(server, options)));
  return Object.assign(async (request: Request) => (await load())(request), {
    drain: async (ms?: number) => (await load()).drain(ms),
    close: async () => (await load()).close(),
  });
}
