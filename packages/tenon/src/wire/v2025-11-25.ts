/** What 2025-11-25 changed: tasks, icons, tools in sampling, elicitation by URL and richer forms, capabilities in more detail. */
import type { Revision } from "./revision.ts";
import { field, v20250618 } from "./v2025-06-18.ts";

const icons = "icons?:Icon[]";
const task = "task?:TaskMetadata";
const taskTarget = "_meta?:RequestMetaObject taskId";
const taskStatus = "'working'|'input_required'|'completed'|'failed'|'cancelled'";
const taskState = `taskId status:${taskStatus} statusMessage? createdAt lastUpdatedAt ttl:integer|null pollInterval?:integer`;
const taskResult = `${taskState} _meta?:object`;
const multiSelect = `type:'array' ${field} minItems?:integer maxItems?:integer default?:string[]`;

export const v20251125: Revision = {
  version: "2025-11-25",
  previous: v20250618,
  facts: { visitsPages: true, primesStreams: true },

  params: {
    "tools/call": task,
    "tasks/get": taskTarget,
    "tasks/result": taskTarget,
    "tasks/cancel": taskTarget,
    "tasks/list": "_meta?:RequestMetaObject cursor?",

    "notifications/cancelled": "requestId?:string|integer",
    "notifications/elicitation/complete": "_meta?:object elicitationId",
    "notifications/tasks/status": taskResult,
  },

  results: {
    "tools/call": "= CreateTaskResult|CallToolResult",
    "sampling/createMessage": "= CreateTaskResult|CreateMessageResult",
    "elicitation/create": "= CreateTaskResult|ElicitResult",
    "tasks/get": taskResult,
    "tasks/cancel": taskResult,
    "tasks/result": "_meta?:object",
    "tasks/list": "_meta?:object nextCursor? tasks:Task[]",
  },

  types: {
    Icon: "src mimeType? sizes?:string[] theme?:'light'|'dark'",
    Implementation: `${icons} description? websiteUrl?`,
    ResourceLink: icons,
    Tool: `${icons} execution?:ToolExecution`,
    ToolExecution: "taskSupport?:'forbidden'|'optional'|'required'",
    ObjectSchema: "$schema?",
    Resource: icons,
    ResourceTemplate: icons,
    Prompt: icons,

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

    TaskMetadata: "ttl?:integer",
    Task: taskState,
    CreateTaskResult: "task:Task _meta?:object",

    CreateMessageRequestParams: `${task} tools?:Tool[] toolChoice?:ToolChoice`,
    ToolChoice: "mode?:'auto'|'required'|'none'",
    SamplingMessage: "_meta?:object",
    SamplingContents: "= SamplingMessageContentBlock[]|SamplingMessageContentBlock",
    SamplingMessageContentBlock: "= TextContent|ImageContent|AudioContent|ToolUseContent|ToolResultContent",
    ToolUseContent: "type:'tool_use' id name input:object _meta?:object",
    // Some clients omit `content`; they mean an empty list.
    ToolResultContent: "type:'tool_result' toolUseId content?:ContentBlock[] structuredContent?:object isError?:boolean _meta?:object",

    ElicitRequestParams: "= ElicitRequestURLParams|ElicitRequestFormParams",
    ElicitRequestFormParams: `${task} mode?:'form'`,
    ElicitRequestURLParams: `mode:'url' ${task} _meta?:RequestMetaObject message url elicitationId`,
    RequestedSchema: "$schema?",
    StringSchema: "default?",
    NumberSchema: "default?:number",
    // The old form with `enumNames` is an untitled one with one more member.
    EnumSchema: "= UntitledSingleSelectEnumSchema|TitledSingleSelectEnumSchema|UntitledMultiSelectEnumSchema|TitledMultiSelectEnumSchema",
    UntitledSingleSelectEnumSchema: `type:'string' ${field} enum:string[] default?`,
    TitledSingleSelectEnumSchema: `type:'string' ${field} oneOf:TitledChoice[] default?`,
    UntitledMultiSelectEnumSchema: `${multiSelect} items:Choices`,
    TitledMultiSelectEnumSchema: `${multiSelect} items:TitledChoices`,
    TitledChoice: "const title",
    Choices: "type:'string' enum:string[]",
    TitledChoices: "anyOf:TitledChoice[]",
    ElicitValue: "= string|number|boolean|string[]",
  },
};
