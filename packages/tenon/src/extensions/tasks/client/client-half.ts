/** The client half of tasks: tasks that the client waits for, and tasks that it runs for its server (2025-11-25). */
import type { JsonObject } from "../../../jsonrpc/message.ts";
import type { ClientCapabilities } from "../../../protocol/capabilities.ts";
import { ToolResult } from "../../../client/result.ts";
import type { ClientHost } from "../../../session/extension.ts";
import type { RemoteTask, TaskWaitOptions } from "../../../session/tasks.ts";
import type { ClientHalf } from "../../extension-definition.ts";
import type { TasksSettings } from "../options.ts";
import { ReceivedTasks } from "./received-tasks.ts";
import { toRemoteState } from "./remote-state.ts";
import { TaskCalls } from "./task-calls.ts";
import { TaskClient } from "./task-client.ts";
import { TaskWait } from "./task-wait.ts";

export function createClientHalf(host: ClientHost, settings: TasksSettings): ClientHalf {
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
export function tasksCapability({ sampling, elicitation }: ClientCapabilities): ClientCapabilities {
  if ((sampling ?? elicitation) === undefined) return {};
  const requests = { ...(sampling && { sampling: { createMessage: {} } }), ...(elicitation && { elicitation: { create: {} } }) };
  return { tasks: { list: {}, cancel: {}, requests } };
}
