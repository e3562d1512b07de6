/**
 * Posts a message that is not a request. It has no JSON-RPC response: the server accepts it with a 2xx status, or refuses it.
 *
 * A response that does not arrive leaves the server's request open, and the call that it belongs to. So it is sent again: it settles
 * that request once, however often it arrives.
 */
import { sleep } from "../../base/clock.ts";
import { waits } from "../../base/waits.ts";
import { type Outgoing } from "../../jsonrpc/incoming.ts";
import { isBatch, isResponse } from "../../jsonrpc/message.ts";
import { statusOf } from "./errors.ts";
import { toFailure } from "./failed-response.ts";
import { ConnectionLostError, McpError } from "../../jsonrpc/mcp-error.ts";
import { readBeginning } from "./response.ts";
import type { HttpConnection } from "./connection.ts";

/** Milliseconds a server has to accept the message. */
const POST_TIMEOUT = 30_000;

/** How often a response is sent again, and the milliseconds before. */
const [MAX_REPEATS, WAITS] = [12, { first: 100, longest: 2_000, jitter: 0 }];
/** Refusals that may end soon: too many requests, or a server, its engine or a node behind its balancer that is away. */
const PASSING: ReadonlySet<number | undefined> = new Set([429, 502, 503, 504]);

/** Resolves once the server has accepted the message. @throws McpError */
export async function postMessage(connection: HttpConnection, message: Outgoing, body: string): Promise<void> {
  const { id } = connection.session;
  const pauses = waits(WAITS);
  for (;;) {
    try {
      return await postOnce(connection, message, body);
    } catch (error) {
      // The user was not asked to log in, because the session might have been the reason.
      if (McpError.isMcpError(error) && connection.session.remedyFor(error) === "login") return postOnce(connection, message, body);
      const isLost = connection.closing || connection.session.id !== id;
      if (pauses.count === MAX_REPEATS || isLost || !mayBeRepeated(message, error)) throw error;
    }
    await pause(connection, pauses.next());
  }
}

function mayBeRepeated(message: Outgoing, error: unknown): boolean {
  if (isBatch(message) || !isResponse(message)) return false;
  return PASSING.has(statusOf(error)) || error instanceof ConnectionLostError;
}

/** Waits, but not when the client is closed. */
async function pause({ clock, open }: HttpConnection, ms: number): Promise<void> {
  const abort = new AbortController();
  open.add(abort);
  try {
    await sleep(clock, ms, abort.signal);
  } finally {
    open.delete(abort);
  }
}

async function postOnce(connection: HttpConnection, message: Outgoing, body: string): Promise<void> {
  const { endpoint, session, open, clock } = connection;
  const abort = new AbortController();
  const sessionId = session.id;
  const begin = clock.now();
  open.add(abort);
  const stopTimer = connection.pauses.startTimer(POST_TIMEOUT, () =>
    abort.abort(new ConnectionLostError(`${endpoint.name} did not answer`, "unknown")),
  );
  try {
    const init = { method: "POST", headers: await connection.headers.of(message), body, signal: abort.signal };
    const response = await endpoint.send(init, sessionId !== undefined && session.asksNobody(sessionId));
    if (!response.ok) {
      const failure = await toFailure(response, endpoint.name);
      throw sessionId === undefined ? failure : await session.refused(sessionId, failure, response);
    }
    await readBeginning(response, 1024);
    if (isInitialized(message)) await session.standBy(clock.now() - begin);
  } catch (error) {
    // The server may have accepted it nevertheless: its standing stream is opened after its next response.
    if (isInitialized(message)) session.standByLater();
    throw error;
  } finally {
    stopTimer();
    open.delete(abort);
  }
}

function isInitialized(message: Outgoing): boolean {
  return !isBatch(message) && "method" in message && message.method === "notifications/initialized";
}
