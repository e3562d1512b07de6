/**
 * Questions that a server asks its client as tasks (2025-11-25): `experimentalTasks(ctx.session)`.
 *
 * The feature was experimental in 2025-11-25 and is gone in the next revision, so this API may change. Most handlers should use
 * `ctx.elicit` and `ctx.sample`, which work on every revision.
 */
import { sleep, systemClock } from "../../../base/clock.ts";
import type { RequestOptions } from "../../../dispatch/dispatcher.ts";
import { ErrorCode, McpError } from "../../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import type { ClientTasksCapability } from "../../../protocol/capabilities.ts";
import type { ElicitRequestFormParams, ElicitResult } from "../../../protocol/elicitation.ts";
import type { CreateMessageRequestParams, CreateMessageResult, CreateMessageResultWithTools } from "../../../protocol/sampling.ts";
import type { GetTaskResult, Task } from "../../../protocol/tasks.ts";
import { assertSamplingTools, assertToolResultBalance } from "../../../session/sampling-rules.ts";
import type { ServerSession } from "../../../session/server-session.ts";
import { hasCapabilities } from "../../../session/client-capabilities.ts";
import { LENIENT } from "../../../wire/deviations.ts";
import { codecFor } from "../../../wire/revisions.ts";
import { TaskCancelledError } from "../client/task-errors.ts";
import { hasEnded } from "../store/task-record.ts";

/** How often a task of the client is polled, and when polling stops. */
export interface PollTaskOptions {
  /** Stops polling; the task continues. */
  signal?: AbortSignal;
  /** Milliseconds between two polls if the client names no interval. Default 500. */
  defaultInterval?: number;
}

/** Options of a request that the client runs as a task. */
export interface AsTaskOptions extends RequestOptions {
  /** Milliseconds the client should keep the task. Default 60 000. */
  ttl?: number;
}

/** The requests that can be tasks, with their results. */
interface TaskResults {
  /** The user's answer. */
  "elicitation/create": ElicitResult;
  /** The model's answer. */
  "sampling/createMessage": CreateMessageResultWithTools;
}

const TTL = 60_000;
const POLL_INTERVAL = 500;
const MIN_POLL_INTERVAL = 50;
const MAX_POLL_INTERVAL = 60_000;

const NEVER: AbortSignal = new AbortController().signal;

/** Tasks of a client, seen from the server. Made by {@link experimentalTasks}; may change without notice. */
export class ExperimentalServerSessionFeatures {
  readonly #session: ServerSession;

  /** @internal */
  constructor(session: ServerSession) {
    this.#session = session;
  }

  /** Gets the state of a task of the client. @throws McpError -32602 if the client does not know the task */
  getTask(taskId: string, options?: RequestOptions): Promise<GetTaskResult> {
    return this.#session.request("tasks/get", { taskId }, options) as Promise<GetTaskResult>; // checked by the codec
  }

  /**
   * Gets the result of a task, checked as a result of `method`. Resolves when the task has ended.
   * @throws McpError the error of the task
   */
  async getTaskResult<M extends keyof TaskResults>(taskId: string, method: M, options?: RequestOptions): Promise<TaskResults[M]> {
    const result = await this.#session.request("tasks/result", { taskId }, options);
    const codec = codecFor(this.#session.protocolVersion)!; // a session always has one
    return codec.decodeResult(method, result, undefined, LENIENT) as TaskResults[M]; // just checked
  }

  /** Yields each polled state of a task, up to and including the final one. The client chooses the interval. */
  async *pollTask(
    taskId: string,
    { signal = NEVER, defaultInterval = POLL_INTERVAL }: PollTaskOptions = {},
  ): AsyncGenerator<Task, void, undefined> {
    for (;;) {
      const task = await this.getTask(taskId, { signal });
      yield task;
      if (hasEnded(task)) return;
      const { pollInterval = defaultInterval } = task;
      await sleep(systemClock, Math.min(Math.max(pollInterval, MIN_POLL_INTERVAL), MAX_POLL_INTERVAL), signal);
    }
  }

  /**
   * Asks the user to fill in a form, as a task of the client.
   * @throws McpError -32600 if the client does not support it, or the error of the task; TaskCancelledError
   */
  async elicitAsTask(params: Omit<ElicitRequestFormParams, "mode" | "task">, options: AsTaskOptions = {}): Promise<ElicitResult> {
    requireTaskAugmentedElicitation(this.#session.clientCapabilities.tasks);
    return this.#ask("elicitation/create", { mode: "form", ...params }, options);
  }

  /** Asks the client's model, as a task of the client. @throws as {@link elicitAsTask} */
  createMessageAsTask(
    params: Omit<CreateMessageRequestParams, "task"> & { tools?: undefined; toolChoice?: undefined },
    options?: AsTaskOptions,
  ): Promise<CreateMessageResult>;
  /** Asks the client's model, which may call tools, as a task of the client. @throws as {@link elicitAsTask} */
  createMessageAsTask(params: Omit<CreateMessageRequestParams, "task">, options?: AsTaskOptions): Promise<CreateMessageResultWithTools>;
  async createMessageAsTask(params: CreateMessageRequestParams, options: AsTaskOptions = {}): Promise<CreateMessageResultWithTools> {
    const { clientCapabilities } = this.#session;
    requireTaskAugmentedSampling(clientCapabilities.tasks);
    assertSamplingTools(clientCapabilities, params);
    assertToolResultBalance(params.messages);
    return this.#ask("sampling/createMessage", params, options);
  }

  async #ask<M extends keyof TaskResults>(
    method: M,
    params: JsonObject,
    { ttl = TTL, ...options }: AsTaskOptions,
  ): Promise<TaskResults[M]> {
    const { signal = NEVER } = options;
    const created = await this.#session.request(method, { ...params, task: { ttl } }, options);
    // A client may ignore `task` and return the result itself.
    if (created["task"] === undefined) return created as TaskResults[M]; // checked by the codec
    const { taskId } = created["task"] as Task; // checked by the codec
    try {
      for await (const { status, statusMessage } of this.pollTask(taskId, { signal })) {
        if (status === "cancelled") throw new TaskCancelledError(taskId, statusMessage);
      }
      return await this.getTaskResult(taskId, method, options);
    } catch (error) {
      if (signal.aborted) this.#session.request("tasks/cancel", { taskId }).catch(() => undefined); // the task may have ended
      throw error;
    }
  }
}

const made = new WeakMap<ServerSession, ExperimentalServerSessionFeatures>();

/** Gets the task functions of a session: the same object for each call. */
export function experimentalTasks(session: ServerSession): ExperimentalServerSessionFeatures {
  let features = made.get(session);
  if (features === undefined) made.set(session, (features = new ExperimentalServerSessionFeatures(session)));
  return features;
}

/** Whether a client supports these requests as tasks. `list` and `cancel` are not checked. */
export function checkTasksCapability(required: ClientTasksCapability, have: ClientTasksCapability): boolean {
  return hasCapabilities({ tasks: have }, { tasks: required });
}

/** Requires that the client supports forms as tasks. @throws McpError -32600 if it does not */
export function requireTaskAugmentedElicitation(have: ClientTasksCapability | undefined): void {
  if (!checkTasksCapability({ requests: { elicitation: { create: {} } } }, have ?? {})) throw unsupported("elicitation");
}

/** Requires that the client supports sampling as a task. @throws McpError -32600 if it does not */
export function requireTaskAugmentedSampling(have: ClientTasksCapability | undefined): void {
  if (!checkTasksCapability({ requests: { sampling: { createMessage: {} } } }, have ?? {})) throw unsupported("sampling");
}

function unsupported(what: string): McpError {
  return new McpError(ErrorCode.InvalidRequest, `Client does not support task-augmented ${what}`);
}
