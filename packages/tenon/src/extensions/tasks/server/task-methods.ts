/** The task methods of the side that keeps tasks. The requests are the same in both wire forms; the results differ. */
import { isJsonObject, type JsonObject } from "../../../jsonrpc/message.ts";
import { ErrorCode, McpError } from "../../../jsonrpc/mcp-error.ts";
import type { ListTasksResult, Task } from "../../../protocol/tasks.ts";
import type { Codec } from "../../../wire/codec.ts";
import { LENIENT } from "../../../wire/deviations.ts";
import { toTask } from "../forms/experimental-form.ts";
import { toDetailed } from "../forms/extension-form.ts";
import { withAnswer, asCancelled, hasExpired, type TaskRecord } from "../store/task-record.ts";
import type { TaskTable } from "../store/task-table.ts";
import type { TaskPlace } from "../store/task-store.ts";

/** Tasks on a page of a list. */
const PAGE = 50;

export interface TaskQuery {
  readonly codec: Codec;
  readonly params: JsonObject;
  readonly owner: string;
}

export class TaskMethods {
  readonly #table: TaskTable;
  readonly #handlers = new Map([
    ["tasks/get", (query: TaskQuery) => this.#get(query)],
    ["tasks/update", (query: TaskQuery) => this.#update(query)],
    ["tasks/cancel", (query: TaskQuery) => this.#cancel(query)],
    ["tasks/list", (query: TaskQuery) => this.#list(query)],
  ]);

  constructor(table: TaskTable) {
    this.#table = table;
  }

  /** The handler of a method. `../tasks.ts` says which revisions have it. */
  handlerOf(method: string): ((query: TaskQuery) => Promise<JsonObject>) | undefined {
    return this.#handlers.get(method);
  }

  async #get(query: TaskQuery): Promise<JsonObject> {
    const record = await this.#find(query);
    return query.codec.stateless ? toDetailed(record, query.codec) : toTask(record);
  }

  /** Takes answers to open questions. Answers to other keys are ignored. */
  async #update(query: TaskQuery): Promise<JsonObject> {
    const record = await this.#find(query);
    const { inputResponses } = query.params;
    if (!isJsonObject(inputResponses)) throw new McpError(ErrorCode.InvalidParams, '"inputResponses" must be an object');
    const answers: JsonObject = {};
    for (const { key, request } of record.questions) {
      if (Object.hasOwn(inputResponses, key)) answers[key] = readAnswer(query, key, request.method, inputResponses[key]);
    }
    await this.#table.change(record.id, (current) => answerAll(current, answers));
    return {};
  }

  /**
   * Cancels a task. A task that has ended stays unchanged: the extension acknowledges the cancel, 2025-11-25 returns an error. @throws
   * McpError -32602
   */
  async #cancel(query: TaskQuery): Promise<JsonObject> {
    const { id } = await this.#find(query);
    const changed = await this.#table.change(id, asCancelled);
    if (query.codec.stateless) return {};
    if (changed !== undefined) return toTask(changed);
    const { status } = toTask(await this.#find(query));
    throw new McpError(ErrorCode.InvalidParams, `Cannot cancel a task that is ${status}`);
  }

  /** Lists the caller's tasks only. */
  async #list({ params, owner }: TaskQuery): Promise<ListTasksResult> {
    const { cursor } = params;
    const after = cursor === undefined ? undefined : decodePlace(cursor);
    const records = await this.#table.store.list(owner, after, PAGE + 1);
    const page = records.slice(0, PAGE);
    const now = this.#table.now();
    const tasks: Task[] = page.filter((record) => !hasExpired(record, now)).map(toTask);
    return records.length > PAGE ? { tasks, nextCursor: encodePlace(page.at(-1)!) } : { tasks };
  }

  #find({ params, owner }: TaskQuery): Promise<TaskRecord> {
    return this.#table.find(params["taskId"], owner);
  }
}

/** @throws McpError -32602 if the answer does not match the kind of question */
function readAnswer({ codec }: TaskQuery, key: string, method: string, response: unknown): JsonObject {
  try {
    return codec.decodeResult(method, response as JsonObject, undefined, LENIENT); // other values are refused
  } catch (cause) {
    throw new McpError(ErrorCode.InvalidParams, `The response to ${JSON.stringify(key)} does not fit what was asked`, undefined, { cause });
  }
}

function answerAll(record: TaskRecord, responses: JsonObject): TaskRecord {
  return record.questions
    .filter(({ key }) => Object.hasOwn(responses, key))
    .reduce((task, { key }) => withAnswer(task, key, { result: responses[key] as JsonObject }), record); // checked before
}

export function encodePlace({ createdAt, id }: TaskPlace): string {
  return btoa(`after:${createdAt}:${id}`);
}

/** @throws McpError -32602 if {@link encodePlace} did not make the cursor */
export function decodePlace(cursor: unknown): TaskPlace {
  if (typeof cursor === "string") {
    try {
      const [, createdAt, id] = /^after:(\d{1,15}(?:\.\d{1,15})?):([\w-]{1,64})$/.exec(atob(cursor)) ?? [];
      if (createdAt !== undefined && id !== undefined) return { createdAt: Number(createdAt), id };
    } catch {
      // The cursor is not base64.
    }
  }
  throw new McpError(ErrorCode.InvalidParams, "Invalid cursor");
}
