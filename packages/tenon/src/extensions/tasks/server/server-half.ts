/** The server half of tasks: connects the tools, the store, the runs and the methods of one server. */
import type { ServerHost } from "../../../session/extension.ts";
import type { Handler } from "../../../session/handler.ts";
import type { RequestContext } from "../../../session/request-context.ts";
import type { ServerHalf } from "../../extension-definition.ts";
import { toTask } from "../forms/experimental-form.ts";
import type { TasksSettings } from "../options.ts";
import { ownerOf } from "./owner.ts";
import { TaskExecution } from "../run/task-execution.ts";
import { listenToTasks } from "./task-listening.ts";
import { TaskMethods } from "./task-methods.ts";
import { hasEnded, type TaskRecord } from "../store/task-record.ts";
import { rerun } from "../run/rerun.ts";
import { Waiters } from "../run/task-request.ts";
import { TaskResults } from "./task-results.ts";
import { TaskRuns } from "../run/task-runs.ts";
import { TaskTable } from "../store/task-table.ts";
import { TaskTools, type TaskDependencies } from "./task-tools.ts";
import type { Connection } from "../../../session/connection.ts";

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
