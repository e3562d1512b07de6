/**
 * Waits for a task on a server: polls its state at the server's interval within bounds, answers its questions, reports its progress, and
 * cancels it if the caller gives up.
 *
 * Polling alone is enough. Notifications, on a `subscriptions/listen` stream or on the connection, only make the next poll come sooner.
 */
import { LinkedAbort, onAbort } from "../../../base/abort.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { ConnectionClosedError, McpError, RequestTimeoutError, ConnectionLostError } from "../../../jsonrpc/mcp-error.ts";
import type { CallToolResult } from "../../../protocol/tools.ts";
import { InputRequiredError } from "../../../client/errors.ts";
import { MAX_TIMER_MS, sleep } from "../../../base/clock.ts";
import type { ClientHost } from "../../../session/extension.ts";
import type { TaskWaitOptions } from "../../../session/tasks.ts";
import { Backoff } from "../../../client/http/session/resumption.ts";
import { statusOf } from "../../../client/http/errors.ts";
import { toRemoteState, type RemoteState } from "./remote-state.ts";
import { TaskAnswers } from "./task-answers.ts";
import { TaskCancelledError } from "./task-errors.ts";
import type { TaskClient } from "./task-client.ts";
import { TaskCallbacks } from "./task-callbacks.ts";

/** Milliseconds between two polls if the server names no interval, and the bounds of the interval. */
const POLL_INTERVAL = 1_000;
const MIN_POLL_INTERVAL = 100;
const MAX_POLL_INTERVAL = 60_000;
/** The timeout of a cancel in the background, in milliseconds. */
const CANCEL_TIMEOUT = 10_000;
/** The reason with which a pause ends early. It is made once, because no code reads it, and an error of each pause would have a stack. */
const WOKEN = new Error("Woken");

export class TaskWait {
  readonly #tasks: TaskClient;
  readonly #taskId: string;
  readonly #options: TaskWaitOptions;
  readonly #abort = new AbortController();
  readonly #answers: TaskAnswers;
  readonly #callbacks: TaskCallbacks;
  /** Ends the sleep between two polls. */
  #wake: () => void = () => undefined;
  /** A state from a notification, newer than the last poll. */
  #told: RemoteState | undefined;
  /** The pending `tasks/result` request, on revisions where questions travel beside it. */
  #result: Promise<CallToolResult> | undefined;

  constructor(tasks: TaskClient, taskId: string, options: TaskWaitOptions) {
    this.#tasks = tasks;
    this.#taskId = taskId;
    this.#options = options;
    this.#callbacks = new TaskCallbacks(options, (error) => tasks.host.report(error));
    this.#answers = new TaskAnswers(tasks.host, {
      taskId,
      timeout: options.timeout,
      signal: this.#abort.signal,
      onAnswered: () => this.#wake(),
      onFailed: (error) => this.#abort.abort(error),
    });
  }

  /**
   * @param first the state in the response to the call
   * @throws McpError the error of the task, TaskCancelledError, RequestTimeoutError, InputRequiredError, `signal.reason`
   */
  async run(first?: RemoteState): Promise<CallToolResult> {
    const undo = this.#bound();
    const { signal } = this.#abort;
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
    try {
      if (signal.aborted) throw signal.reason;
      this.#listen();
      return await Promise.race([this.#follow(first), aborted]);
    } catch (error) {
      if (this.#isUnwanted(error)) cancelTask(this.#tasks.host, this.#taskId);
      throw error;
    } finally {
      aborted.catch(() => undefined);
      for (const stop of undo) stop();
      this.#abort.abort(new ConnectionClosedError("The caller no longer waits for the task"));
    }
  }

  /** Sets up everything that can end the wait early. Returns functions that undo it. */
  #bound(): (() => void)[] {
    const { host, maxWait } = this.#tasks;
    const { signal, maxTotalTimeout } = this.#options;
    const giveUp = (): void => this.#abort.abort(signal!.reason);
    const onEnd = (): void => this.#abort.abort(new ConnectionClosedError());
    const ms = maxTotalTimeout ?? maxWait;
    const late = (): RequestTimeoutError =>
      new RequestTimeoutError("tools/call", ms, maxTotalTimeout === undefined ? "maxWait" : "maxTotalTimeout");
    const timer = ms === Infinity ? undefined : host.clock.setTimer(Math.min(ms, MAX_TIMER_MS), () => this.#abort.abort(late()));
    const stopListening = signal && onAbort(signal, giveUp);
    if (signal?.aborted) giveUp();
    return [
      () => host.clock.clearTimer(timer),
      () => stopListening?.(),
      this.#tasks.onEnd(onEnd),
      this.#tasks.subscribe(this.#taskId, (method, params) => this.#hear(method, params)),
    ];
  }

  async #follow(first: RemoteState | undefined): Promise<CallToolResult> {
    for (let state = first ?? (await this.#look()); ; state = await this.#next(state)) {
      this.#callbacks.state(state);
      const { status, statusMessage } = state.task;
      if (status === "cancelled") throw new TaskCancelledError(this.#taskId, statusMessage);
      if (status === "completed" || status === "failed") return this.#outcomeOf(state);
      if (status === "input_required") this.#answer(state);
    }
  }

  /** The state after the poll interval, or earlier if a notification arrives. */
  async #next({ task: { pollInterval = POLL_INTERVAL } }: RemoteState): Promise<RemoteState> {
    const ms = Math.min(Math.max(pollInterval, MIN_POLL_INTERVAL), MAX_POLL_INTERVAL);
    if (this.#told === undefined) {
      const early = new LinkedAbort(this.#abort.signal);
      this.#wake = () => early.abort(WOKEN);
      await sleep(this.#tasks.host.clock, ms, early.signal).catch(() => undefined);
      early.unlink();
      this.#abort.signal.throwIfAborted();
    }
    const told = this.#told;
    this.#told = undefined;
    return told ?? this.#look();
  }

  /** Polls the server. Retries if the connection breaks or the server is busy. @throws McpError */
  async #look(): Promise<RemoteState> {
    const { host } = this.#tasks;
    const backoff = new Backoff();
    for (;;) {
      try {
        return toRemoteState(host.codec, this.#taskId, await this.#request("tasks/get"), host.reading);
      } catch (error) {
        const wait = isPassing(error) ? backoff.next() : undefined;
        if (wait === undefined) throw error;
        await sleep(host.clock, wait, this.#abort.signal);
      }
    }
  }

  #request(method: string, options: { timeout?: number; maxTotalTimeout?: number } = {}): Promise<JsonObject> {
    const { timeout } = this.#options;
    const bounds = { signal: this.#abort.signal, ...(timeout !== undefined && { timeout }), ...options };
    return this.#tasks.host.request(method, { taskId: this.#taskId }, bounds);
  }

  #answer({ inputRequests }: RemoteState): void {
    if (inputRequests !== undefined) return this.#answers.take(inputRequests);
    // The questions arrive as requests while this request is pending. It may take as long as the task.
    if (this.#result !== undefined) return;
    this.#result = this.#fetch({ timeout: Infinity, maxTotalTimeout: Infinity });
    this.#result.then(
      () => this.#wake(),
      () => {
        this.#result = undefined;
      },
    );
  }

  async #outcomeOf({ outcome }: RemoteState): Promise<CallToolResult> {
    if (outcome === undefined) return this.#result ?? this.#fetch();
    if ("error" in outcome) throw outcome.error;
    return outcome.result;
  }

  async #fetch(options?: { timeout?: number; maxTotalTimeout?: number }): Promise<CallToolResult> {
    const { codec, reading } = this.#tasks.host;
    return codec.decodeResult("tools/call", await this.#request("tasks/result", options), undefined, reading) as CallToolResult; // just checked
  }

  // ---- notifications ----

  /** Opens a listen stream on revisions that have no other notifications. If the server has no such stream, polling is enough. */
  #listen(): void {
    const { host } = this.#tasks;
    if (!host.codec.stateless) return;
    const options = { signal: this.#abort.signal, timeout: Infinity, maxTotalTimeout: Infinity };
    host.request("subscriptions/listen", { notifications: { taskIds: [this.#taskId] } }, options).catch(() => undefined);
  }

  #hear(method: string, params: JsonObject): void {
    if (method === "notifications/progress") return this.#callbacks.progress(params);
    try {
      const { codec, reading } = this.#tasks.host;
      this.#told = toRemoteState(codec, this.#taskId, params, reading);
    } catch (error) {
      this.#tasks.host.report(error);
    }
    this.#wake();
  }

  // ---- cancelling ----

  /** Whether the task must be cancelled, because the caller gave up. */
  #isUnwanted(error: unknown): boolean {
    const { signal } = this.#options;
    const isOurs = error instanceof InputRequiredError || (error === this.#abort.signal.reason && error instanceof RequestTimeoutError);
    return signal?.aborted === true || isOurs;
  }
}

/** Cancels a task in the background. */
export function cancelTask(host: ClientHost, taskId: string): void {
  host.request("tasks/cancel", { taskId }, { timeout: CANCEL_TIMEOUT }).catch((error: unknown) => {
    // An MCP error is ignored: the task or the connection has ended.
    if (!McpError.isMcpError(error)) host.report(error);
  });
}

const BUSY: ReadonlySet<number | undefined> = new Set([429, 502, 503, 504]);

/** Whether a later poll may succeed. */
function isPassing(error: unknown): boolean {
  return error instanceof ConnectionLostError || error instanceof RequestTimeoutError || BUSY.has(statusOf(error));
}
