/** Posts a message that is not a request. It has no JSON-RPC response: the server accepts it with a 2xx status, or refuses it. */
import { type Outgoing } from "../../jsonrpc/incoming.ts";
import { isBatch } from "../../jsonrpc/message.ts";
import { toFailure } from "./failed-response.ts";
import { ConnectionLostError } from "../../jsonrpc/mcp-error.ts";
import { readBeginning } from "./response.ts";
import type { HttpConnection } from "./connection.ts";

/** Milliseconds a server has to accept the message. */
const POST_TIMEOUT = 30_000;

/** Resolves once the server has accepted the message. @throws McpError */
export async function postMessage(connection: HttpConnection, message: Outgoing, body: string): Promise<void> {
  const { endpoint, session, open, clock } = connection;
  const abort = new AbortController();
  const sessionId = session.id;
  const begin = clock.now();
  open.add(abort);
  const stopTimer = connection.pauses.startTimer(POST_TIMEOUT, () =>
    abort.abort(new ConnectionLostError(`${endpoint.name} did not answer`, "unknown")),
  );
  try {
    const response = await endpoint.send({ method: "POST", headers: await connection.headers.of(message), body, signal: abort.signal });
    if (!response.ok) {
      const failure = await toFailure(response, endpoint.name);
      throw response.status === 404 && sessionId !== undefined ? session.lost(sessionId, failure) : failure;
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
