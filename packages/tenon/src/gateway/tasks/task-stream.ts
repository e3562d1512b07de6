/**
 * The request on which a server without sessions announces the states of tasks.
 *
 * It stays open. If it is cut off while the connection goes on, it is sent again, with pauses.
 */
import { Backoff } from "../../client/http/session/resumption.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import type { Client } from "../../client/client.ts";
import { isTemporary } from "../../client/listen/stateless.ts";
import { ConnectionClosedError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { SUBSCRIPTION_ID_KEY } from "../../protocol/meta-keys.ts";
import type { ClientIdentity } from "../../wire/codec.ts";

/** Tasks, and the connection on which their server announces them. */
export interface TaskStreamOptions {
  readonly client: Client;
  /** The tasks that are watched now, as their server names them. */
  readonly taskIds: () => readonly string[];
  readonly identity: ClientIdentity;
  readonly clock: Clock;
  /** Called when the server begins to announce them. What was announced before is missed. */
  readonly begun: () => void;
}

let streams = 0;

interface StreamEnd {
  /** What has cut it off; undefined if the server has ended it in order. */
  readonly failure?: Error;
  /** Whether the server announces none of these tasks. */
  readonly isRefused: boolean;
}

/**
 * Listens until `signal` aborts, the connection ends, or the server does not announce the tasks any more.
 * @throws McpError if the server refuses it, or keeps cutting it off
 */
export async function streamTasks(options: TaskStreamOptions, signal: AbortSignal): Promise<void> {
  const { clock } = options;
  const backoff = new Backoff();
  for (;;) {
    const begin = clock.now();
    const { failure, isRefused } = await listenOnce(options, signal);
    if (signal.aborted || isRefused) return;
    if (failure !== undefined && !isTemporary(failure)) {
      if (failure instanceof ConnectionClosedError) return; // another connection begins another stream
      throw failure;
    }
    backoff.lasted(clock.now() - begin);
    const wait = backoff.next();
    if (wait === undefined) {
      if (failure === undefined) return;
      throw failure;
    }
    await sleep(clock, wait, signal);
  }
}

function listenOnce({ client, taskIds, identity, begun }: TaskStreamOptions, signal: AbortSignal): Promise<StreamEnd> {
  const { codec, dispatcher } = client.connection;
  const requestId = `task-stream-${++streams}`;
  const watched = taskIds();
  let isRefused = false;
  const stop = client.inbox.subscribe((method, params) => {
    if (method !== "notifications/subscriptions/acknowledged" || !isOf(requestId, params)) return;
    stop();
    isRefused = !hasTask(params, watched);
    begun();
  });
  const params = codec.encodeRequest("subscriptions/listen", { notifications: { taskIds: watched } }, identity);
  const options = { requestId, signal, timeout: Infinity, maxTotalTimeout: Infinity };
  return dispatcher
    .request("subscriptions/listen", params, options)
    .then(
      () => ({ isRefused }),
      (error: unknown) => ({ failure: error instanceof Error ? error : new Error(String(error)), isRefused }),
    )
    .finally(stop);
}

function isOf(requestId: string, { _meta: meta }: JsonObject): boolean {
  return isJsonObject(meta) && meta[SUBSCRIPTION_ID_KEY] === requestId;
}

function hasTask({ notifications }: JsonObject, wanted: readonly string[]): boolean {
  const taskIds = isJsonObject(notifications) ? notifications["taskIds"] : undefined;
  return Array.isArray(taskIds) && wanted.some((taskId) => taskIds.includes(taskId));
}
