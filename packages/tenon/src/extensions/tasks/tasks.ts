/**
 * The tasks extension: long calls that continue after their response. One object for both sides and both wire forms.
 *
 * On 2026-07-28 it is the official extension `io.modelcontextprotocol/tasks` (SEP-2663); on 2025-11-25 the tasks of the core, which were
 * experimental. Tools, handlers, stores and callers are the same on both. docs/servers/tasks.md
 */
import { STATELESS_VERSIONS } from "../../protocol/versions.ts";
import type { Extension, ClientHost } from "../../session/extension.ts";
import { defineExtension } from "../define-extension.ts";
import { EXTENSION_ID } from "./forms/task-forms.ts";
import { settingsOf, type TasksOptions, type TasksSettings } from "./options.ts";
import { createServerHalf } from "./server/server-half.ts";
import { TASK_NOTIFICATIONS, TaskClient } from "./client/task-client.ts";
import type { TaskRuns } from "./run/task-runs.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ClientCapabilities } from "../../protocol/capabilities.ts";
import { ToolResult } from "../../client/result.ts";
import type { RemoteTask, TaskWaitOptions } from "../../session/tasks.ts";
import type { ClientHalf } from "../extension-definition.ts";
import { ReceivedTasks } from "./client/received-tasks.ts";
import { toRemoteState } from "./client/remote-state.ts";
import { TaskCalls } from "./client/task-calls.ts";
import { TaskWait } from "./client/task-wait.ts";

/** The tasks extension, for servers and clients alike. Made by `tasks()`. */
export interface TasksExtension extends Extension {
  /** Resolves when no task runs in this process, or after `ms` milliseconds. Default 25 000. */
  drain(ms?: number): Promise<void>;
}

const since = STATELESS_VERSIONS[0];
/** Less than the 30 s that Kubernetes waits. */
const DRAIN = 25_000;

/**
 * Makes the tasks extension, for `new McpServer(info, { extensions: [tasks()] })` and `connect(target, { extensions: [tasks()] })`. @throws RangeError
 * @example
 * ```ts
 * import { connect } from "tenon/client";
 * import { tasks } from "tenon/ext/tasks";
 * import { McpServer } from "tenon/server";
 *
 * const server = new McpServer({ name: "reports", version: "1.0.0" }, { extensions: [tasks()] });
 * server.tool("report", { task: true }, () => "The report");
 * await using client = await connect(server, { extensions: [tasks()] });
 * console.log((await client.callTool("report")).text); // The report
 * await server.close();
 * ```
 */
export function tasks(options: TasksOptions = {}): TasksExtension {
  const settings = settingsOf(options);
  const running: TaskRuns[] = [];
  const extension = defineExtension({
    id: EXTENSION_ID,
    since,
    methods: [
      { method: "tasks/get", kind: "request", sender: "client", since },
      { method: "tasks/update", kind: "request", sender: "client", since },
      { method: "tasks/cancel", kind: "request", sender: "client", since },
    ],
    // Some servers also set this type on the result of `tasks/get`.
    resultTypes: { task: ["tools/call", "tasks/get"] },
    headerNames: { "tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId" },
    answers: ["tasks/get", "tasks/result", "tasks/list", "tasks/cancel"],
    notifications: TASK_NOTIFICATIONS,
    listenFilters: ["taskIds"],
    clientCapabilities: tasksCapability,
    client: (host) => createClientHalf(host, settings),
    server: (host) => createServerHalf(host, settings, (runs) => running.push(runs)),
  });
  return {
    ...extension,
    async drain(ms = DRAIN) {
      await Promise.all(running.map((runs) => runs.drain(ms)));
    },
  };
}

/** The client half: tasks that the client waits for, and tasks that it runs for its server (2025-11-25). */
function createClientHalf(host: ClientHost, settings: TasksSettings): ClientHalf {
  const tasks = new TaskClient(host, settings.maxWait);
  const calls = new TaskCalls(tasks);
  const received = new ReceivedTasks(host, settings);
  return {
    middleware: (next) => calls.middleware(next),
    answering: (next) => received.answering(next),
    onNotification(method: string, params: JsonObject) {
      if (method === "notifications/tools/list_changed") calls.forget();
      else tasks.onNotification(method, params);
    },
    task: (taskId) => remoteTask(tasks, taskId),
  };
}

function remoteTask(tasks: TaskClient, taskId: string): RemoteTask {
  const { host } = tasks;
  return {
    taskId,
    get: async (options) => toRemoteState(host.codec, taskId, await host.request("tasks/get", { taskId }, options), host.reading).task,
    result: async (options: TaskWaitOptions = {}) => new ToolResult(await new TaskWait(tasks, taskId, options).run()),
    cancel: async (options) => void (await host.request("tasks/cancel", { taskId }, options)),
  };
}

/** The `tasks` capability: every kind of question that the client supports can also be a task. */
function tasksCapability({ sampling, elicitation }: ClientCapabilities): ClientCapabilities {
  if ((sampling ?? elicitation) === undefined) return {};
  const requests = { ...(sampling && { sampling: { createMessage: {} } }), ...(elicitation && { elicitation: { create: {} } }) };
  return { tasks: { list: {}, cancel: {}, requests } };
}
