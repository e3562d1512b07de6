/** What 2025-11-25 changed for every session: tasks, icons, capabilities in more detail. */
import type { Dictionary, Revision } from "../revision.ts";
import { core as previous } from "../v2025-06-18/core-shapes.ts";

export const icons = "icons?:Icon[]";
export const task = "task?:TaskMetadata";
const status = "'working'|'input_required'|'completed'|'failed'|'cancelled'";
const taskState = `taskId status:${status} statusMessage? createdAt lastUpdatedAt ttl:integer|null pollInterval?:integer`;
export const taskResult: string = `${taskState} _meta?:object`;

const types: Dictionary = {
  Icon: "src mimeType? sizes?:string[] theme?:'light'|'dark'",
  Implementation: `${icons} description? websiteUrl?`,
  ClientCapabilities: "sampling?:SamplingCapability elicitation?:ElicitationCapability tasks?:ClientTasks",
  SamplingCapability: "context?:object tools?:object",
  ElicitationCapability: "form?:object url?:object",
  ClientTasks: "list?:object cancel?:object requests?:ClientTaskRequests",
  ClientTaskRequests: "sampling?:SamplingTasks elicitation?:ElicitationTasks",
  SamplingTasks: "createMessage?:object",
  ElicitationTasks: "create?:object",
  ServerCapabilities: "tasks?:ServerTasks",
  ServerTasks: "list?:object cancel?:object requests?:ServerTaskRequests",
  ServerTaskRequests: "tools?:ToolTasks",
  ToolTasks: "call?:object",
  ResourceLink: icons,
  Tool: `${icons} execution?:ToolExecution`,
  ToolExecution: "taskSupport?:'forbidden'|'optional'|'required'",
  ObjectSchema: "$schema?",

  TaskMetadata: "ttl?:integer",
  Task: taskState,
  CreateTaskResult: "task:Task _meta?:object",
};

const params: Dictionary = {
  "tools/call": task,
  "notifications/cancelled": "requestId?:string|integer",
  "notifications/elicitation/complete": "_meta?:object elicitationId",
  "notifications/tasks/status": taskResult,
};

const results: Dictionary = { "tools/call": "= CreateTaskResult|CallToolResult" };

export const core: Revision = {
  version: "2025-11-25",
  previous,
  invalidToolInput: "result",
  types,
  params,
  results,
};
