/**
 * Questions that a server asks its client as tasks (2025-11-25): the client creates a task, runs the callback, and the server fetches the
 * answer later. Here the client keeps the tasks.
 */
import { isJsonObject, type JsonObject } from "../../../jsonrpc/message.ts";
import { ErrorCode, McpError } from "../../../jsonrpc/mcp-error.ts";
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { InboundContext, ClientHost } from "../../../session/extension.ts";
import type { Handler } from "../../../session/handler.ts";
import { toTask } from "../forms/experimental-form.ts";
import { MemoryTaskStore } from "../store/memory-task-store.ts";
import type { TasksSettings } from "../options.ts";
import { hasCoreTasks } from "../forms/task-forms.ts";
import { TaskMethods } from "../server/task-methods.ts";
import { hasEnded, type TaskOutcome } from "../store/task-record.ts";
import { resultOf } from "../server/task-results.ts";
import { TaskRun } from "../run/task-run.ts";
import { TaskTable, taskNotFoundError } from "../store/task-table.ts";

/** The only owner: the server of this connection. */
const OWNER = "server";
const AUGMENTABLE: ReadonlySet<string> = new Set(["elicitation/create", "sampling/createMessage"]);

export class ReceivedTasks {
  readonly #host: ClientHost;
  readonly #settings: TasksSettings;
  readonly #runs = new Set<TaskRun>();
  #kept: { readonly table: TaskTable; readonly methods: TaskMethods } | undefined;

  constructor(host: ClientHost, settings: TasksSettings) {
    this.#host = host;
    this.#settings = settings;
    host.ended.addEventListener("abort", () => this.#close());
  }

  answering<C extends InboundContext>(next: Handler<C>): Handler<C> {
    return (context) => {
      const { codec } = this.#host;
      if (context.method.startsWith("tasks/")) return this.#serve(context);
      const { task } = context.params;
      return isJsonObject(task) && AUGMENTABLE.has(context.method) && hasCoreTasks(codec)
        ? this.#begin(context, task, next)
        : next(context);
    };
  }

  /** Made with the first task, because most clients never have one. */
  get #tasks(): { readonly table: TaskTable; readonly methods: TaskMethods } {
    if (this.#kept === undefined) {
      const { clock, report } = this.#host;
      const { lease, maxTasks, maxTasksPerPrincipal } = this.#settings;
      const limits = { maxTasks, maxTasksPerOwner: maxTasksPerPrincipal };
      const table = new TaskTable({ store: new MemoryTaskStore(), clock, lease, shared: false, ...limits, report });
      this.#kept = { table, methods: new TaskMethods(table) };
    }
    return this.#kept;
  }

  async #begin<C extends InboundContext>(context: C, terms: JsonObject, next: Handler<C>): Promise<JsonObject> {
    const { codec, identity } = this.#host;
    const { table } = this.#tasks;
    const { task: _, ...params } = context.params;
    const record = await table.create({
      owner: OWNER,
      ttl: this.#ttlOf(terms["ttl"] as number | undefined), // checked by the codec
      pollInterval: this.#settings.pollInterval,
      call: { method: context.method, params, version: codec.version, client: identity },
      restart: false,
    });
    const run = new TaskRun(table, record, { report: this.#host.report, clean: (value) => value });
    this.#runs.add(run);
    void run.over.then(() => this.#runs.delete(run));
    void this.#finish(run, () => next({ ...context, params, signal: run.signal })).catch(this.#host.report);
    return { task: toTask(record) };
  }

  async #finish(run: TaskRun, answer: () => MaybePromise<JsonObject>): Promise<void> {
    await run.finish(await this.#outcomeOf(answer));
    const record = await this.#tasks.table.get(run.id);
    if (record !== undefined) await this.#host.notify("notifications/tasks/status", toTask(record));
  }

  /** Errors of a callback are reported to the operator and hidden from the server. */
  async #outcomeOf(answer: () => MaybePromise<JsonObject>): Promise<TaskOutcome> {
    try {
      return { result: await answer() };
    } catch (error) {
      if (McpError.isMcpError(error)) return { error: error.toErrorData() };
      this.#host.report(error);
      return { error: { code: ErrorCode.InternalError, message: "Internal error" } };
    }
  }

  #ttlOf(ttl: number | undefined): number {
    if (ttl === undefined) return this.#settings.ttl;
    if (!(ttl > 0)) throw new McpError(ErrorCode.InvalidParams, `"task.ttl" must be a number of milliseconds > 0, not ${ttl}`);
    return Math.min(ttl, this.#settings.maxTtl);
  }

  #serve(context: InboundContext): Promise<JsonObject> {
    const { codec } = this.#host;
    const { method, params, signal } = context;
    const query = { codec, params, owner: OWNER };
    if (method === "tasks/result") return this.#result(params["taskId"], signal);
    const handler = this.#tasks.methods.handlerOf(method);
    if (handler === undefined) throw new McpError(ErrorCode.MethodNotFound, "Method not found", method);
    return handler(query);
  }

  async #result(taskId: unknown, signal: AbortSignal): Promise<JsonObject> {
    const { table } = this.#tasks;
    const { id } = await table.find(taskId, OWNER);
    const record = await table.until(id, signal, (current) => (current === undefined ? null : hasEnded(current) ? current : undefined));
    if (record === null) throw taskNotFoundError(id);
    return resultOf(record, this.#host.codec);
  }

  #close(): void {
    for (const run of this.#runs) run.stop(new McpError(ErrorCode.ConnectionClosed, "Connection closed"));
    this.#kept?.table.close();
  }
}
