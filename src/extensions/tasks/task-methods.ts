/** The methods of tasks on a server, in both forms: what is asked is the same, what is answered is the form's. */
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { ListTasksResult, Task } from "../../protocol/tasks.ts";
import type { Handler } from "../../session/handler.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { decodePlace, encodePlace } from "./cursor.ts";
import { toTask } from "./experimental-form.ts";
import { toDetailed } from "./extension-form.ts";
import { ownerOf } from "./owner.ts";
import { answered, cancelled, hasExpired, type TaskRecord } from "./task-record.ts";
import type { TaskTable } from "./task-table.ts";

/** Tasks on a page of a list. */
const PAGE = 50;

export class TaskMethods {
  readonly #table: TaskTable;

  constructor(table: TaskTable) {
    this.#table = table;
  }

  /** By method. What a revision does not have is not asked for (`tasks.ts`). */
  get handlers(): Readonly<Record<string, Handler<RequestContext>>> {
    return {
      "tasks/get": (context) => this.#get(context),
      "tasks/update": (context) => this.#update(context),
      "tasks/cancel": (context) => this.#cancel(context),
      "tasks/list": (context) => this.#list(context),
    };
  }

  async #get(context: RequestContext): Promise<JsonObject> {
    const record = await this.#find(context);
    return context.codec.stateless ? toDetailed(record, context.codec) : toTask(record);
  }

  /** Takes answers to what is open; what is answered already, or was never asked, is ignored (O8). */
  async #update(context: RequestContext): Promise<JsonObject> {
    const record = await this.#find(context);
    const { inputResponses } = context.params;
    if (!isJsonObject(inputResponses)) throw new McpError(ErrorCode.InvalidParams, '"inputResponses" must be an object');
    for (const { key, request } of record.questions) {
      if (Object.hasOwn(inputResponses, key)) assertFits(context, key, request.method, inputResponses[key]);
    }
    await this.#table.change(record.id, (current) => answerAll(current, inputResponses));
    return {};
  }

  /**
   * Whoever comes first counts: a task that has ended stays as it is. That is acknowledged like any other cancel (O9);
   * the older form says so (N6). @throws McpError -32602
   */
  async #cancel(context: RequestContext): Promise<JsonObject> {
    const { id } = await this.#find(context);
    const changed = await this.#table.change(id, cancelled);
    if (context.codec.stateless) return {};
    if (changed !== undefined) return toTask(changed);
    const { status } = toTask(await this.#find(context));
    throw new McpError(ErrorCode.InvalidParams, `Cannot cancel a task that is ${status}`);
  }

  /** The tasks of whoever asks, and of nobody else (N6). */
  async #list(context: RequestContext): Promise<ListTasksResult> {
    const { cursor } = context.params;
    const after = cursor === undefined ? undefined : decodePlace(cursor);
    const records = await this.#table.store.list(ownerOf(context), after, PAGE + 1);
    const page = records.slice(0, PAGE);
    const now = this.#table.now();
    const tasks: Task[] = page.filter((record) => !hasExpired(record, now)).map(toTask);
    return records.length > PAGE ? { tasks, nextCursor: encodePlace(page.at(-1)!) } : { tasks };
  }

  #find(context: RequestContext): Promise<TaskRecord> {
    return this.#table.find(context.params["taskId"], ownerOf(context));
  }
}

/** @throws McpError -32602 for what is no answer to that kind of question (H7) */
function assertFits({ codec }: RequestContext, key: string, method: string, response: unknown): void {
  try {
    codec.decodeResult(method, response as JsonObject); // anything else does not fit
  } catch (cause) {
    throw new McpError(ErrorCode.InvalidParams, `The response to ${JSON.stringify(key)} does not fit what was asked`, undefined, { cause });
  }
}

function answerAll(record: TaskRecord, responses: JsonObject): TaskRecord {
  return record.questions
    .filter(({ key }) => Object.hasOwn(responses, key))
    .reduce((task, { key }) => answered(task, key, { result: responses[key] as JsonObject }), record); // checked before
}
