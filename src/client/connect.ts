/** `connect()`: opens a connection, finds out which revision the server speaks, and hands over a client. */
import { systemClock } from "../base/clock.ts";
import { reportTo } from "../base/report-to.ts";
import type { Acceptor } from "../dispatch/acceptor.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import { assertDuration, CLIENT_REQUEST_RATE } from "../dispatch/limits.ts";
import { isSupportedVersion, SUPPORTED_PROTOCOL_VERSIONS } from "../protocol/versions.ts";
import type { ToolsOf } from "../session/typed-tools.ts";
import { CACHEABLE_METHODS, ResponseCache } from "./call/response-cache.ts";
import { Client } from "./client.ts";
import { negotiate } from "./negotiate.ts";
import type { ConnectOptions } from "./options.ts";
import type { Failure, Route, RouteOptions } from "./route.ts";
import { areUsed } from "./session-options.ts";
import { routeTo, type Target } from "./target.ts";

/**
 * Connects to a server in this process, whose tools the compiler then knows: `client.call` (docs/clients/typed-calls.md). The client is ready
 * for calls when the promise resolves; nothing is left behind when it rejects.
 * @throws McpError where the two do not come together, such as one whose `cause` is what `lifespan` threw; `signal.reason` when abandoned
 * @throws RangeError for a revision nobody speaks or a time that is none
 */
export function connect<Server extends Acceptor>(target: Server, options?: ConnectOptions): Promise<Client<ToolsOf<Server>>>;
/**
 * Connects to a server: at a URL, in this process, a program to start (`{ command, args }`), or an open transport.
 * The client is ready for calls when the promise resolves; nothing is left behind when it rejects. With the type of the server its
 * tools are known to the compiler: `connect<typeof server>(url)`, then `client.call` (docs/clients/typed-calls.md).
 * @throws McpError or the error of the program where there is no server to talk to; `signal.reason` when abandoned
 * @throws TypeError for something that is no target, RangeError for a revision nobody speaks or a time that is none
 */
export function connect<Server extends Acceptor = Acceptor>(target: Target, options?: ConnectOptions): Promise<Client<ToolsOf<Server>>>;
export async function connect(target: Target, options: ConnectOptions = {}): Promise<Client> {
  options.signal?.throwIfAborted();
  checkOptions(options);
  for (let route = await routeTo(target, options.auth); ;) {
    const outcome = await attempt(route, options);
    if (outcome instanceof Client) return outcome;
    const fallback = options.signal?.aborted ? undefined : route.fallbackAfter?.(outcome);
    if (fallback === undefined) throw outcome.error;
    route = fallback;
  }
}

/** @throws RangeError */
function checkOptions({ revision, timeout, maxTotalTimeout, probeTimeout }: ConnectOptions): void {
  if (revision !== undefined && revision !== "stateful" && !isSupportedVersion(revision)) {
    throw new RangeError(`Option "revision" must be one of ${SUPPORTED_PROTOCOL_VERSIONS.join(", ")}, "stateful", not ${String(revision)}`);
  }
  for (const [name, ms] of Object.entries({ timeout, maxTotalTimeout, probeTimeout })) if (ms !== undefined) assertDuration(name, ms);
}

/** Connects over one route. Leaves nothing behind if that fails. */
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

function routeOptions(given: ConnectOptions): RouteOptions {
  const { signal: _, ...options } = given;
  const extensions = areUsed(options.extensions) ? options.extensions : [];
  const headerNames = new Map(extensions.flatMap((extension) => [...extension.headerNames]));
  const { maxRequestRate = CLIENT_REQUEST_RATE } = options;
  return { ...options, maxRequestRate, onError: (error) => reportTo(options.onError, error), respondToMalformed: false, headerNames };
}

/** What is left to do when the revision is settled. */
async function opened(client: Client, route: Route, { revision, cacheResponses, clock = systemClock }: ConnectOptions): Promise<Client> {
  const { connection, inbox, pipeline } = client;
  if (revision === undefined) route.onRevisionAgreed?.(connection.codec.stateless);
  if (connection.codec.stateless && cacheResponses !== false) pipeline.use(new ResponseCache(inbox, clock).middleware, CACHEABLE_METHODS);
  await client.applyLogLevel();
  return client;
}
