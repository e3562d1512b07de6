/** The server half of tasks: connects the tools, the store, the runs and the methods of one server. */
import type { ServerHost, ListenExtension } from "../../../session/extension.ts";
import type { Handler } from "../../../session/handler.ts";
import type { RequestContext } from "../../../session/request-context.ts";
import type { ServerHalf } from "../../extension-definition.ts";
import { toTask } from "../forms/experimental-form.ts";
import type { TasksSettings } from "../options.ts";
import { ownerOf } from "./owner.ts";
import { TaskExecution } from "../run/task-execution.ts";
import { TaskMethods } from "./task-methods.ts";
import { hasEnded, type TaskRecord } from "../store/task-record.ts";
import { rerun } from "../run/rerun.ts";
import { Waiters } from "../run/task-request.ts";
import { TaskResults } from "./task-results.ts";
import { TaskRuns } from "../run/task-runs.ts";
import { TaskTable } from "../store/task-table.ts";
import { TaskTools, type TaskDependencies } from "./task-tools.ts";
import type { Connection } from "../../../session/connection.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { ErrorCode, McpError } from "../../../jsonrpc/mcp-error.ts";
import type { SubscriptionFilter } from "../../../protocol/lifecycle.ts";
import type { Codec } from "../../../wire/codec.ts";
import { toDetailed } from "../forms/extension-form.ts";

/** @param onRuns receives the runs, so that `drain` can wait for them */
export function createServerHalf(host: ServerHost, settings: TasksSettings, onRuns: (runs: TaskRuns) => void): ServerHalf {
  const report = (error: unknown): void => void host.toMcpError(error, "tasks");
  const { store, lease, maxTasks, maxTasksPerPrincipal: maxTasksPerOwner, shared } = settings;
  const table = new TaskTable({ store, clock: host.clock, lease, maxTasks, maxTasksPerOwner, shared, report });
  const execution = new TaskExecution(host, settings.maxResultSize);
  const runs = new TaskRuns(table, {
    rerun: (run) => rerun(host, execution, run),
    report,
    clean: (value, principal) => host.clean(value, principal),
    onRun: settings.onRun,
  });
  const waiters = new Waiters();
  onRuns(runs);
  const tellFor: TaskDependencies["tellFor"] = (record, { codec, connection }) => {
    if (codec.stateless) return undefined;
    announce(table, record, connection, report);
    return (method, params) => {
      const waiter = waiters.last(record.id);
      return waiter ? waiter.outbound.notify(method, params) : connection.notify(method, params);
    };
  };
  const results = new TaskResults(table, waiters, (error) => host.toMcpError(error, "tasks/result"));
  const tools = new TaskTools({ host, settings, table, runs, execution, tellFor });
  return {
    capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
    handlers: { ...handlersOf(new TaskMethods(table)), "tasks/result": results.answer },
    tool: (name, options) => tools.tool(name, options),
    listen: (context, wanted) => listenToTasks(table, context, wanted, report),
    begin: () => table.beginIfShared(),
    close: () => runs.close(),
  };
}

function handlersOf(methods: TaskMethods): Record<string, Handler<RequestContext>> {
  const entries = ["tasks/get", "tasks/update", "tasks/cancel", "tasks/list"].map((method) => {
    const answer = methods.handlerOf(method)!;
    return [method, (context: RequestContext) => answer({ codec: context.codec, params: context.params, owner: ownerOf(context) })];
  });
  return Object.fromEntries(entries) as Record<string, Handler<RequestContext>>; // the entries above
}

/** Sends status notifications to the connection that began a task, until the task has ended. */
function announce(table: TaskTable, { id }: TaskRecord, connection: Connection, report: (error: unknown) => void): void {
  let last = "";
  const tell = async (): Promise<void> => {
    const record = await table.get(id);
    if (record === undefined || hasEnded(record)) stop();
    const params = record && toTask(record);
    const text = JSON.stringify(params);
    if (params !== undefined && text !== last) connection.notify("notifications/tasks/status", params);
    last = text;
  };
  const stop = table.watch(id, () => void tell().catch(report));
}

/** The most tasks that one stream may watch. */
const MAX_WATCHED = 100;

type Notify = (method: string, params: JsonObject) => void;

/** Watches the caller's own tasks among the given ids. Other ids are ignored. @throws McpError -32602 if the list is invalid */
async function listenToTasks(
  table: TaskTable,
  context: RequestContext,
  { taskIds: wanted }: SubscriptionFilter,
  report: (error: unknown) => void,
): Promise<ListenExtension> {
  if (!isIds(wanted)) throw new McpError(ErrorCode.InvalidParams, `"taskIds" must be a list of at most ${MAX_WATCHED} strings`);
  const owner = ownerOf(context);
  const records = await Promise.all([...new Set(wanted)].map((id) => table.get(id)));
  const taskIds = records.flatMap((record) => (record?.owner === owner ? [record.id] : []));
  return {
    honoured: { taskIds },
    begin(notify) {
      const stops = taskIds.map((id) => follow(table, id, context.codec, notify, report));
      return () => stops.forEach((stop) => stop());
    },
  };
}

function isIds(wanted: unknown): wanted is readonly string[] {
  return Array.isArray(wanted) && wanted.length <= MAX_WATCHED && wanted.every((id) => typeof id === "string");
}

/** Sends the state of a task at once and after each change, one at a time, so that the order is kept. */
function follow(table: TaskTable, id: string, codec: Codec, notify: Notify, report: (error: unknown) => void): () => void {
  let last = "";
  let again = false;
  let busy = false;
  const tell = async (): Promise<void> => {
    again = true;
    if (busy) return;
    busy = true;
    while (again) {
      again = false;
      const record = await table.get(id);
      const params = record && toDetailed(record, codec);
      const text = JSON.stringify(params);
      if (params !== undefined && text !== last) notify("notifications/tasks", params);
      last = text;
    }
    busy = false;
  };
  const tellSafely = (): void => void tell().catch(report);
  const stop = table.watch(id, tellSafely);
  tellSafely();
  return stop;
}
