/** `connect()`: opens a connection, finds out which revision the server speaks, and hands over a client. */
import type { JsonObject } from "../jsonrpc/message.ts";
import { systemClock } from "../dispatch/clock.ts";
import { assertDuration } from "../dispatch/limits.ts";
import { StrayErrorResponse } from "../dispatch/stray-error.ts";
import { isSupportedVersion, SUPPORTED_PROTOCOL_VERSIONS } from "../protocol/versions.ts";
import { answerServer, callbacksOf } from "./answering.ts";
import { Client } from "./client.ts";
import { identityOf } from "./identity.ts";
import { Inbox } from "./inbox.ts";
import { ClientLink } from "./link.ts";
import { negotiate, ProbeEndedConnection } from "./negotiate.ts";
import type { ConnectOptions } from "./options.ts";
import type { Opener } from "./opener.ts";
import { openerFor, type Target } from "./target.ts";

/**
 * Connects to a server: at a URL, in this process, a program to start (`{ command, args }`), or an open transport.
 * The client is ready for calls when the promise resolves; nothing is left behind when it rejects.
 * @throws McpError or the error of the program where there is no server to talk to; `signal.reason` when abandoned
 * @throws TypeError for something that is no target, RangeError for a revision nobody speaks or a time that is none
 */
export async function connect(target: Target, options: ConnectOptions = {}): Promise<Client> {
  options.signal?.throwIfAborted();
  checkOptions(options);
  for (let opener = await openerFor(target); ;) {
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
  const report = reporter(options);
  const inbox = new Inbox(options, report);
  const stray = new AbortController();
  const onError = (error: Error): void => {
    if (error instanceof StrayErrorResponse) stray.abort(error);
    report(error);
  };
  const { signal: _, ...rest } = options;
  const dispatcher = await opener.open({ ...rest, onError, answerMalformed: false }, options.signal);
  const link = new ClientLink(dispatcher, identityOf(options), options.clock ?? systemClock, callbacksOf(options));
  link.use(...(options.middleware ?? []));
  const closed = dispatcher.run(
    (request) => answerServer(link, report, request),
    (method: string, params: JsonObject | undefined) => inbox.deliver(link, method, params),
  );
  try {
    await negotiate(link, { ...options, stray: stray.signal, isOutage: opener.isOutage }, opener.skipsProbe);
    if (options.revision === undefined) opener.agreed?.(link.codec.stateless);
    const client = new Client(link, inbox, closed, options, report);
    if (link.codec.stateless && options.cacheResponses !== false) {
      const { ResponseCache } = await import("./response-cache.ts");
      client.use(new ResponseCache(inbox, options.clock ?? systemClock).middleware);
    }
    if (options.logLevel && link.server.capabilities.logging) await client.setLoggingLevel(options.logLevel);
    return client;
  } catch (error) {
    await dispatcher.close();
    throw error;
  }
}

/** Tells the user's `onError`; one that throws changes nothing. */
function reporter({ onError }: ConnectOptions): (error: unknown) => void {
  return (error) => {
    try {
      onError?.(error instanceof Error ? error : new Error(String(error)));
    } catch {
      // Nobody is left to tell.
    }
  };
}
