/** `connect()`: opens a connection, negotiates the revision with the server, and returns a client. */
import { assertKnown } from "../base/known-options.ts";
import { connectOptionKeys, OF_A_TARGET } from "./option-keys.ts";
import { systemClock } from "../base/clock.ts";
import { reportTo } from "../base/report-to.ts";
import type { Servable } from "../dispatch/acceptor.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import { assertDuration } from "../base/number-options.ts";
import { clientLimits } from "../dispatch/limits.ts";
import { isSupportedVersion, SUPPORTED_PROTOCOL_VERSIONS } from "../protocol/versions.ts";
import type { ToolsOf } from "../session/tools/typed-tools.ts";
import { CACHEABLE_METHODS, ResponseCache } from "./call/response-cache.ts";
import { Client } from "./client.ts";
import { negotiate } from "./negotiate.ts";
import type { ConnectOptions } from "./options.ts";
import type { Failure, Route, RouteOptions } from "./route.ts";
import { TASK_HEADERS } from "../protocol/methods.ts";
import { isExtensionList } from "./session-options.ts";
import { routeTo, type Target } from "./target.ts";

/**
 * Connects to a server in this process, and types `client.call` by the server's tools (docs/clients/typed-calls.md). The client
 * is ready for calls when the promise resolves; everything is closed if it rejects. This is the way within a process; in tests use
 * `testClient` of `tenon/testing`.
 * @throws McpError if the connection cannot be opened (its `cause` may be what `lifespan` threw); `signal.reason` if the caller abandons it
 * @throws RangeError if a revision is unknown or a time limit is out of range
 * @example
 * ```ts
 * import { connect } from "tenon/client";
 * import { McpServer } from "tenon/server";
 *
 * const server = new McpServer({ name: "sums", version: "1.0.0" });
 * server.tool("hello", {}, () => "Hello");
 * // Or a URL, or a program: connect("https://example.com/mcp"), connect({ command: "node", args: ["server.js"] })
 * await using client = await connect(server);
 * console.log((await client.callTool("hello")).text); // Hello
 * ```
 */
export function connect<Server extends Servable>(target: Server, options?: ConnectOptions): Promise<Client<ToolsOf<Server>>>;
/**
 * Connects to a server: at a URL, in this process, a program to start (`{ command, args }`), or an open transport. The client is
 * ready for calls when the promise resolves; everything is closed if it rejects. `connect<typeof server>(url)` types
 * `client.call` by the server's tools (docs/clients/typed-calls.md).
 * @throws McpError or the error of the program if the server cannot be reached; `signal.reason` if the caller abandons it
 * @throws TypeError if `target` is not a target; RangeError if a revision is unknown or a time limit is out of range
 */
export function connect<Server extends Servable = Servable>(target: Target, options?: ConnectOptions): Promise<Client<ToolsOf<Server>>>;
export async function connect(target: Target, options: ConnectOptions = {}): Promise<Client> {
  assertKnown("connect()", options, connectOptionKeys(), OF_A_TARGET);
  options.signal?.throwIfAborted();
  checkOptions(options);
  for (let route = await routeTo(target, options.auth); ;) {
    const outcome = await attempt(route, options);
    if (outcome instanceof Client) return outcome;
    const fallback = options.signal?.aborted
      ? undefined
      : (route.fallbackAfter?.(outcome) ?? (await route.discover?.(outcome.error, options)));
    if (fallback === undefined) throw outcome.error;
    route = fallback;
  }
}

function checkOptions({ revision, timeout, maxTotalTimeout, probeTimeout }: ConnectOptions): void {
  if (revision !== undefined && revision !== "stateful" && !isSupportedVersion(revision)) {
    throw new RangeError(`Option "revision" must be one of ${SUPPORTED_PROTOCOL_VERSIONS.join(", ")}, "stateful", not ${String(revision)}`);
  }
  for (const [name, ms] of Object.entries({ timeout, maxTotalTimeout, probeTimeout })) if (ms !== undefined) assertDuration(name, ms);
}

/** Connects over one route. Closes everything if that fails. */
async function attempt(route: Route, options: ConnectOptions): Promise<Client | Failure> {
  const { revision } = options;
  let dispatcher: Dispatcher | undefined;
  try {
    dispatcher = await route.open(routeOptions(options), options.signal);
    const client = new Client(dispatcher, options);
    await client.connect();
    const closed = await negotiate(client, { ...options, skipsProbe: route.skipsProbe, isOutage: route.isOutage });
    if (closed === undefined) return await opened(client, route, options);
    await dispatcher.close();
    return { error: closed, closedByProbe: true, revision };
  } catch (error) {
    await dispatcher?.close();
    return { error, closedByProbe: false, revision };
  }
}

function routeOptions(all: ConnectOptions): RouteOptions {
  const { signal: _, ...options } = all;
  const extensions = isExtensionList(options.extensions) ? options.extensions : [];
  // A client that only declares extensions may call the methods of the official one for tasks.
  const headerNames = isExtensionList(options.extensions)
    ? new Map(extensions.flatMap((extension) => [...extension.headerNames]))
    : TASK_HEADERS;
  const limits = clientLimits(options.limits);
  return { ...options, limits, onError: (error) => reportTo(options.onError, error), respondToMalformed: false, headerNames };
}

/** Finishes a connection whose revision is agreed. */
async function opened(client: Client, route: Route, { revision, cacheResponses, clock = systemClock }: ConnectOptions): Promise<Client> {
  const { connection, inbox, pipeline } = client;
  if (revision === undefined) route.onRevisionAgreed?.(connection.codec.stateless);
  if (connection.codec.stateless && cacheResponses !== false) pipeline.use(new ResponseCache(inbox, clock).middleware, CACHEABLE_METHODS);
  await client.applyLogLevel();
  return client;
}
