/** What 2025-11-25 changed: tasks, icons, tools in sampling, elicitation by URL and richer forms. */
import type { Revision } from "../revision.ts";
import type { Dictionary } from "../shape.ts";
import { revision as previous } from "../v2025-06-18/shapes.ts";

const icons = "icons?:Icon[]";
const task = "task?:TaskMetadata";
const taskTarget = "_meta?:RequestMetaObject taskId";
const status = "'working'|'input_required'|'completed'|'failed'|'cancelled'";
const taskState = `taskId status:${status} statusMessage? createdAt lastUpdatedAt ttl:integer|null pollInterval?:integer`;
const taskResult = `${taskState} _meta?:object`;
const field = "title? description?";
const multiSelect = `type:'array' ${field} minItems?:integer maxItems?:integer default?:string[]`;

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
  Resource: icons,
  ResourceLink: icons,
  ResourceTemplate: icons,
  Prompt: icons,
  Tool: `${icons} execution?:ToolExecution`,
  ToolExecution: "taskSupport?:'forbidden'|'optional'|'required'",
  ObjectSchema: "$schema?",

  ToolUseContent: "type:'tool_use' id name input:object _meta?:object",
  // Some clients leave `content` out; an empty list is meant.
  ToolResultContent: "type:'tool_result' toolUseId content?:ContentBlock[] structuredContent?:object isError?:boolean _meta?:object",
  SamplingMessageContentBlock: "= TextContent|ImageContent|AudioContent|ToolUseContent|ToolResultContent",
  SamplingContents: "= SamplingMessageContentBlock[]|SamplingMessageContentBlock",
  SamplingMessage: "_meta?:object",
  CreateMessageRequestParams: `${task} tools?:Tool[] toolChoice?:ToolChoice`,
  ToolChoice: "mode?:'auto'|'required'|'none'",

  StringSchema: "default?",
  NumberSchema: "default?:number",
  UntitledSingleSelectEnumSchema: `type:'string' ${field} enum:string[] default?`,
  TitledSingleSelectEnumSchema: `type:'string' ${field} oneOf:TitledChoice[] default?`,
  UntitledMultiSelectEnumSchema: `${multiSelect} items:Choices`,
  TitledMultiSelectEnumSchema: `${multiSelect} items:TitledChoices`,
  TitledChoice: "const title",
  Choices: "type:'string' enum:string[]",
  TitledChoices: "anyOf:TitledChoice[]",
  // The old form with titles is an untitled one with one more member.
  EnumSchema: "= UntitledSingleSelectEnumSchema|TitledSingleSelectEnumSchema|UntitledMultiSelectEnumSchema|TitledMultiSelectEnumSchema",
  RequestedSchema: "$schema?",
  ElicitRequestFormParams: `${task} mode?:'form'`,
  ElicitRequestURLParams: `mode:'url' ${task} _meta?:RequestMetaObject message url elicitationId`,
  ElicitRequestParams: "= ElicitRequestURLParams|ElicitRequestFormParams",
  ElicitValue: "= string|number|boolean|string[]",

  TaskMetadata: "ttl?:integer",
  Task: taskState,
  CreateTaskResult: "task:Task _meta?:object",
};

const params: Dictionary = {
  "tools/call": task,
  "notifications/cancelled": "requestId?:string|integer",
  "notifications/elicitation/complete": "_meta?:object elicitationId",
  "notifications/tasks/status": taskResult,
  "tasks/get": taskTarget,
  "tasks/result": taskTarget,
  "tasks/cancel": taskTarget,
  "tasks/list": "_meta?:RequestMetaObject cursor?",
};

const results: Dictionary = {
  "tools/call": "= CreateTaskResult|CallToolResult",
  "sampling/createMessage": "= CreateTaskResult|CreateMessageResult",
  "elicitation/create": "= CreateTaskResult|ElicitResult",
  "tasks/get": taskResult,
  "tasks/cancel": taskResult,
  "tasks/result": "_meta?:object",
  "tasks/list": "_meta?:object nextCursor? tasks:Task[]",
};

export const revision: Revision<"2025-11-25"> = { version: "2025-11-25", previous, types, params, results };
