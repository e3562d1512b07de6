/** `connect()`: opens a connection, finds out which revision the server speaks, and hands over a client. */
import { systemClock } from "../base/clock.ts";
import { reportTo } from "../base/report-to.ts";
import type { Acceptor } from "../dispatch/acceptor.ts";
import { assertDuration } from "../dispatch/limits.ts";
import { isSupportedVersion, SUPPORTED_PROTOCOL_VERSIONS } from "../protocol/versions.ts";
import type { ToolsOf } from "../session/typed-tools.ts";
import { Client } from "./client.ts";
import { isList } from "./identity.ts";
import { negotiate, ProbeEndedConnection } from "./negotiate.ts";
import type { ConnectOptions } from "./options.ts";
import type { Opener } from "./route.ts";
import { openerFor, type Target } from "./target.ts";

/**
 * Connects to a server in this process, whose tools the compiler then knows: `client.call` (docs/typed-calls.md). The client is ready
 * for calls when the promise resolves; nothing is left behind when it rejects.
 * @throws McpError where the two do not come together, such as one whose `cause` is what `lifespan` threw; `signal.reason` when abandoned
 * @throws RangeError for a revision nobody speaks or a time that is none
 */
export function connect<Server extends Acceptor>(target: Server, options?: ConnectOptions): Promise<Client<ToolsOf<Server>>>;
/**
 * Connects to a server: at a URL, in this process, a program to start (`{ command, args }`), or an open transport.
 * The client is ready for calls when the promise resolves; nothing is left behind when it rejects. With the type of the server its
 * tools are known to the compiler: `connect<typeof server>(url)`, then `client.call` (docs/typed-calls.md).
 * @throws McpError or the error of the program where there is no server to talk to; `signal.reason` when abandoned
 * @throws TypeError for something that is no target, RangeError for a revision nobody speaks or a time that is none
 */
export function connect<Server extends Acceptor = Acceptor>(target: Target, options?: ConnectOptions): Promise<Client<ToolsOf<Server>>>;
export async function connect(target: Target, options: ConnectOptions = {}): Promise<Client> {
  options.signal?.throwIfAborted();
  checkOptions(options);
  for (let opener = await openerFor(target, options.auth); ;) {
    try {
      return await attempt(opener, options);
    } catch (error) {
      const next = options.signal?.aborted ? undefined : opener.instead?.(error, options.revision);
      if (next === undefined) throw error instanceof ProbeEndedConnection ? error.cause : error;
      opener = next;
    }
  }
}

/** @throws RangeError */
function checkOptions({ revision, timeout, maxTotalTimeout, probeTimeout }: ConnectOptions): void {
  if (revision !== undefined && revision !== "stateful" && !isSupportedVersion(revision)) {
    throw new RangeError(`Option "revision" must be one of ${SUPPORTED_PROTOCOL_VERSIONS.join(", ")}, "stateful", not ${String(revision)}`);
  }
  for (const [name, ms] of Object.entries({ timeout, maxTotalTimeout, probeTimeout })) if (ms !== undefined) assertDuration(name, ms);
}

/** One connection. */
async function attempt(opener: Opener, options: ConnectOptions): Promise<Client> {
  const onError = (error: Error): void => reportTo(options.onError, error);
  const { signal: _, ...rest } = options;
  const extensions = isList(options.extensions) ? options.extensions : [];
  const headerNames = new Map(extensions.flatMap((extension) => [...extension.headerNames]));
  const dispatcher = await opener.open({ ...rest, onError, answerMalformed: false, headerNames }, options.signal);
  const client = new Client(dispatcher, options);
  const { link, inbox } = client;
  try {
    await client.connect();
    await negotiate(link, { ...options, isOutage: opener.isOutage }, opener.skipsProbe);
    if (options.revision === undefined) opener.agreed?.(link.codec.stateless);
    if (link.codec.stateless && options.cacheResponses !== false) {
      const { ResponseCache } = await import("./call/response-cache.ts");
      client.use(new ResponseCache(inbox, options.clock ?? systemClock).middleware);
    }
    await client.applyLogLevel();
    return client;
  } catch (error) {
    await dispatcher.close();
    throw error;
  }
}
