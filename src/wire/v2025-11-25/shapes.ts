/** What 2025-11-25 changed: tasks, icons, tools in sampling, elicitation by URL and richer forms. */
import type { Revision } from "../revision.ts";
import { extend, type Dictionary } from "../shape.ts";
import { revision as previous } from "../v2025-06-18/shapes.ts";

const icons = { "icons?": "Icon[]" };
const task = { "task?": { "ttl?": "integer" } };
const taskTarget = { "_meta?": "RequestMetaObject", taskId: "string" };
const taskState = {
  taskId: "string",
  status: "'working'|'input_required'|'completed'|'failed'|'cancelled'",
  "statusMessage?": "string",
  createdAt: "string",
  lastUpdatedAt: "string",
  ttl: "integer|null",
  "pollInterval?": "integer",
};
const taskResult = { ...taskState, "_meta?": "object" };
const field = { "title?": "string", "description?": "string" };
const multiSelect = { type: "'array'", ...field, "minItems?": "integer", "maxItems?": "integer", "default?": "string[]" };

const types: Dictionary = extend(previous.types, {
  Icon: { src: "string", "mimeType?": "string", "sizes?": "string[]", "theme?": "'light'|'dark'" },
  Implementation: { ...icons, "description?": "string", "websiteUrl?": "string" },
  ClientCapabilities: {
    "sampling?": { "context?": "object", "tools?": "object" },
    "elicitation?": { "form?": "object", "url?": "object" },
    "tasks?": {
      "list?": "object",
      "cancel?": "object",
      "requests?": { "sampling?": { "createMessage?": "object" }, "elicitation?": { "create?": "object" } },
    },
  },
  ServerCapabilities: { "tasks?": { "list?": "object", "cancel?": "object", "requests?": { "tools?": { "call?": "object" } } } },
  Resource: icons,
  ResourceLink: icons,
  ResourceTemplate: icons,
  Prompt: icons,
  Tool: { ...icons, "execution?": { "taskSupport?": "'forbidden'|'optional'|'required'" } },
  ObjectSchema: { "$schema?": "string" },

  ToolUseContent: { type: "'tool_use'", id: "string", name: "string", input: "object", "_meta?": "object" },
  ToolResultContent: {
    type: "'tool_result'",
    toolUseId: "string",
    // Left out by some clients; an empty list is meant.
    "content?": "ContentBlock[]",
    "structuredContent?": "object",
    "isError?": "boolean",
    "_meta?": "object",
  },
  SamplingMessageContentBlock: "TextContent|ImageContent|AudioContent|ToolUseContent|ToolResultContent",
  SamplingContents: "SamplingMessageContentBlock[]|SamplingMessageContentBlock",
  SamplingMessage: { "_meta?": "object" },
  CreateMessageRequestParams: { ...task, "tools?": "Tool[]", "toolChoice?": { "mode?": "'auto'|'required'|'none'" } },

  StringSchema: { "default?": "string" },
  NumberSchema: { "default?": "number" },
  // The titles of the old form are the only thing that told it apart, and any member may be there.
  EnumSchema: "UntitledSingleSelectEnumSchema|TitledSingleSelectEnumSchema|UntitledMultiSelectEnumSchema|TitledMultiSelectEnumSchema",
  UntitledSingleSelectEnumSchema: { type: "'string'", ...field, enum: "string[]", "default?": "string" },
  TitledChoice: { const: "string", title: "string" },
  TitledSingleSelectEnumSchema: { type: "'string'", ...field, oneOf: "TitledChoice[]", "default?": "string" },
  UntitledMultiSelectEnumSchema: { ...multiSelect, items: { type: "'string'", enum: "string[]" } },
  TitledMultiSelectEnumSchema: { ...multiSelect, items: { anyOf: "TitledChoice[]" } },
  RequestedSchema: { "$schema?": "string" },
  ElicitRequestFormParams: { ...task, "mode?": "'form'" },
  ElicitRequestURLParams: { mode: "'url'", ...task, "_meta?": "RequestMetaObject", message: "string", url: "string", elicitationId: "string" },
  ElicitRequestParams: "ElicitRequestURLParams|ElicitRequestFormParams",
  ElicitValue: "string|number|boolean|string[]",

  Task: taskState,
  CreateTaskResult: { task: "Task", "_meta?": "object" },
});

const params: Dictionary = extend(previous.params, {
  "tools/call": task,
  "notifications/cancelled": { requestId: null, "requestId?": "string|integer" },
  "notifications/elicitation/complete": { "_meta?": "object", elicitationId: "string" },
  "notifications/tasks/status": taskResult,
  "tasks/get": taskTarget,
  "tasks/result": taskTarget,
  "tasks/cancel": taskTarget,
  "tasks/list": { "_meta?": "RequestMetaObject", "cursor?": "string" },
});

const results: Dictionary = extend(previous.results, {
  "tools/call": "CreateTaskResult|CallToolResult",
  "sampling/createMessage": "CreateTaskResult|CreateMessageResult",
  "elicitation/create": "CreateTaskResult|ElicitResult",
  "tasks/get": taskResult,
  "tasks/cancel": taskResult,
  "tasks/result": { "_meta?": "object" },
  "tasks/list": { "_meta?": "object", "nextCursor?": "string", tasks: "Task[]" },
});

export const revision: Revision<"2025-11-25"> = { version: "2025-11-25", types, params, results };
