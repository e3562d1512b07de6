/**
 * `tasks/result` of 2025-11-25: waits until the task has ended. Meanwhile the task's questions are sent as requests, and its progress as
 * notifications, on the same channel.
 */
import { LinkedAbort } from "../../../base/abort.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { ConnectionClosedError, ErrorCode, McpError, NoBackChannelError } from "../../../jsonrpc/mcp-error.ts";
import { reviveError } from "../../../protocol/error-revival.ts";
import { nextTaskRequestId } from "../../../protocol/tasks.ts";
import { QuestionFailedError } from "../../../session/question-failed-error.ts";
import type { RequestContext } from "../../../session/request-context.ts";
import type { Codec } from "../../../wire/codec.ts";
import { ownerOf } from "./owner.ts";
import { withAnswer, hasEnded, type TaskQuestion, type TaskRecord } from "../store/task-record.ts";
import { withRelatedTask, type Waiters } from "../run/task-request.ts";
import { taskNotFoundError, type TaskTable } from "../store/task-table.ts";

/** Milliseconds that a user has for an answer. */
const ANSWER_TIMEOUT = 600_000;

export class TaskResults {
  readonly #table: TaskTable;
  readonly #waiters: Waiters;
  readonly #toMcpError: (error: unknown) => McpError;
  /** Questions that were sent, by task and key, so that none is sent twice. */
  readonly #asked = new Set<string>();

  /** @param toMcpError the error that may be stored with the task; the operator gets the rest */
  constructor(table: TaskTable, waiters: Waiters, toMcpError: (error: unknown) => McpError) {
    this.#table = table;
    this.#waiters = waiters;
    this.#toMcpError = toMcpError;
  }

  /** Returns the result of the call. @throws the error of the call, or McpError -32602 if the task does not exist */
  readonly answer = async (context: RequestContext): Promise<JsonObject> => {
    const { id } = await this.#table.find(context.params["taskId"], ownerOf(context));
    const { signal } = context;
    context.keepOpen();
    const leave = this.#waiters.add(id, context);
    try {
      const record = await this.#table.until(id, signal, (current) => {
        if (current === undefined) return null;
        for (const question of current.questions) this.#ask(context, current, question);
        return hasEnded(current) ? current : undefined;
      });
      if (record === null) throw taskNotFoundError(id);
      return resultOf(record, context.codec);
    } finally {
      leave();
    }
  };

  #ask(context: RequestContext, record: TaskRecord, question: TaskQuestion): void {
    const mark = `${record.id} ${question.key}`;
    if (this.#asked.has(mark)) return;
    this.#asked.add(mark);
    // A question that could not be sent is sent again by the next request that waits.
    this.#put(context, record, question)
      .catch(() => undefined)
      .finally(() => this.#asked.delete(mark));
  }

  async #put(context: RequestContext, { id }: TaskRecord, { key, request }: TaskQuestion): Promise<void> {
    const { method, params = {} } = request;
    const isPage = method === "elicitation/create" && request.params.mode === "url";
    const sent = isPage ? { elicitationId: crypto.randomUUID(), ...params } : params;
    const ended = new LinkedAbort(context.signal);
    const stop = this.#table.watch(id, () => void this.#abortIfClosed(id, key, ended));
    try {
      const options = {
        requestId: nextTaskRequestId(id),
        timeout: ANSWER_TIMEOUT,
        signal: ended.signal,
      };
      const result = await context.session.request(method, withRelatedTask(id, sent), options);
      await this.#table.change(id, (record) => withAnswer(record, key, { result }));
    } catch (error) {
      if (isLost(error) || ended.signal.aborted) return;
      const refusal = (error instanceof QuestionFailedError ? error : this.#toMcpError(error)).toErrorData();
      await this.#table.change(id, (record) => withAnswer(record, key, { error: refusal }));
    } finally {
      ended.unlink();
      stop();
    }
  }

  /** Cancels a question that is no longer open. */
  async #abortIfClosed(id: string, key: string, ended: LinkedAbort): Promise<void> {
    const record = await this.#table.get(id);
    if (record?.questions.some((question) => question.key === key)) return;
    ended.abort(new McpError(ErrorCode.InvalidRequest, "The task no longer asks"));
  }
}

/** Whether the question did not reach the client. */
function isLost(error: unknown): boolean {
  return error instanceof ConnectionClosedError || error instanceof NoBackChannelError;
}

/** The result of the call, with the id of the task. Throws the error of the call. */
export function resultOf({ id, status, call, outcome }: TaskRecord, codec: Codec): JsonObject {
  if (outcome === undefined) throw new McpError(ErrorCode.InvalidParams, `The task has no result: it is ${status}`);
  if ("error" in outcome) throw reviveError(outcome.error);
  return withRelatedTask(id, codec.encodeResult(call.method, outcome.result));
}
