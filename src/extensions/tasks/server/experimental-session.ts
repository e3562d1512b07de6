/**
 * What a server can ask of its client as a task (2025-11-25): `experimentalTasks(ctx.session)` (checklist TK-06…TK-13).
 *
 * It was experimental, is gone in the next revision, and may change here: hence the name. Most handlers want
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
import { codecFor } from "../../../wire/revisions.ts";
import { TaskCancelledError } from "../client/task-errors.ts";
import { hasEnded } from "../store/task-record.ts";

/** How a task of the client is looked at until it has ended. */
export interface PollTaskOptions {
  /** Stops looking; the task itself goes on. */
  signal?: AbortSignal;
  /** Milliseconds between two looks, where the client does not say. Default 500. */
  defaultInterval?: number;
}

/** Options of a request that the client is to answer as a task. */
export interface AsTaskOptions extends RequestOptions {
  /** Milliseconds the client should keep the task. Default 60 000. */
  ttl?: number;
}

/** What can be asked as a task, and the result it has. */
interface TaskResults {
  /** What the user did. */
  "elicitation/create": ElicitResult;
  /** What the model said. */
  "sampling/createMessage": CreateMessageResultWithTools;
}

const TTL = 60_000;
const POLL_INTERVAL = 500;
/** What is made of an interval that is too short or too long. */
const MIN_POLL_INTERVAL = 50;
const MAX_POLL_INTERVAL = 60_000;

const NEVER: AbortSignal = new AbortController().signal;

/** May change without notice. Made by {@link experimentalTasks}. */
export class ExperimentalServerSessionFeatures {
  readonly #session: ServerSession;

  /** @internal */
  constructor(session: ServerSession) {
    this.#session = session;
  }

  /** How a task of the client stands (TK-07). @throws McpError -32602 for one it does not know */
  getTask(taskId: string, options?: RequestOptions): Promise<GetTaskResult> {
    return this.#session.request("tasks/get", { taskId }, options) as Promise<GetTaskResult>; // checked by the codec
  }

  /**
   * What the task came to, checked as an answer to `method` (TK-08). The client answers when the task has ended.
   * @throws McpError what it failed with
   */
  async getTaskResult<M extends keyof TaskResults>(taskId: string, method: M, options?: RequestOptions): Promise<TaskResults[M]> {
    const result = await this.#session.request("tasks/result", { taskId }, options);
    const codec = codecFor(this.#session.protocolVersion)!; // a session always has one
    return codec.decodeResult(method, result) as TaskResults[M]; // just checked
  }

  /** Each state of a task until it has ended, the last one included; the time between two looks is the client's (TK-09). */
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
   * Asks the user to fill in a form, as a task of the client (TK-10).
   * @throws McpError -32600 for a client that does not take that, or what the task failed with; TaskCancelledError
   */
  async elicitAsTask(params: Omit<ElicitRequestFormParams, "mode" | "task">, options: AsTaskOptions = {}): Promise<ElicitResult> {
    requireTaskAugmentedElicitation(this.#session.clientCapabilities.tasks);
    return this.#ask("elicitation/create", { mode: "form", ...params }, options);
  }

  /** Lets the client's model answer, as a task of the client (TK-11). @throws as {@link elicitAsTask} */
  createMessageAsTask(
    params: Omit<CreateMessageRequestParams, "task"> & { tools?: undefined; toolChoice?: undefined },
    options?: AsTaskOptions,
  ): Promise<CreateMessageResult>;
  /** Lets the client's model answer that may call tools, as a task of the client. @throws as {@link elicitAsTask} */
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
    // A client that takes no tasks after all has answered (N1).
    if (created["task"] === undefined) return created as TaskResults[M]; // checked by the codec
    const { taskId } = created["task"] as Task; // checked by the codec
    try {
      for await (const { status, statusMessage } of this.pollTask(taskId, { signal })) {
        if (status === "cancelled") throw new TaskCancelledError(taskId, statusMessage);
      }
      return await this.getTaskResult(taskId, method, options);
    } catch (error) {
      if (signal.aborted) this.#session.request("tasks/cancel", { taskId }).catch(() => undefined); // nobody waits for it
      throw error;
    }
  }
}

const made = new WeakMap<ServerSession, ExperimentalServerSessionFeatures>();

/** What `session` can do with tasks of its client: the same object every time (TK-06). */
export function experimentalTasks(session: ServerSession): ExperimentalServerSessionFeatures {
  let features = made.get(session);
  if (features === undefined) made.set(session, (features = new ExperimentalServerSessionFeatures(session)));
  return features;
}

/** Whether a client takes these requests as tasks; presence, level by level. `list` and `cancel` are not looked at (TK-12). */
export function checkTasksCapability(required: ClientTasksCapability, have: ClientTasksCapability): boolean {
  return hasCapabilities({ tasks: have }, { tasks: required });
}

/** Goes on only where a client answers forms as tasks. @throws McpError -32600 (TK-13) */
export function requireTaskAugmentedElicitation(have: ClientTasksCapability | undefined): void {
  if (!checkTasksCapability({ requests: { elicitation: { create: {} } } }, have ?? {})) throw unsupported("elicitation");
}

/** Goes on only where a client lets its model answer as a task. @throws McpError -32600 (TK-13) */
export function requireTaskAugmentedSampling(have: ClientTasksCapability | undefined): void {
  if (!checkTasksCapability({ requests: { sampling: { createMessage: {} } } }, have ?? {})) throw unsupported("sampling");
}

function unsupported(what: string): McpError {
  return new McpError(ErrorCode.InvalidRequest, `Client does not support task-augmented ${what}`);
}
