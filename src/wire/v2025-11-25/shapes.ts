/** What else 2025-11-25 changed: requests about tasks, icons, tools in sampling, elicitation by URL and richer forms. */
import { withMore, type Dictionary, type Revision } from "../revision.ts";
import { field } from "../v2025-06-18/core-shapes.ts";
import { revision as previous } from "../v2025-06-18/shapes.ts";
import { core, icons, task, taskResult } from "./core-shapes.ts";

const taskTarget = "_meta?:RequestMetaObject taskId";
const multiSelect = `type:'array' ${field} minItems?:integer maxItems?:integer default?:string[]`;

const types: Dictionary = {
  Resource: icons,
  ResourceTemplate: icons,
  Prompt: icons,

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
};

const params: Dictionary = {
  "tasks/get": taskTarget,
  "tasks/result": taskTarget,
  "tasks/cancel": taskTarget,
  "tasks/list": "_meta?:RequestMetaObject cursor?",
};

const results: Dictionary = {
  "sampling/createMessage": "= CreateTaskResult|CreateMessageResult",
  "elicitation/create": "= CreateTaskResult|ElicitResult",
  "tasks/get": taskResult,
  "tasks/cancel": taskResult,
  "tasks/result": "_meta?:object",
  "tasks/list": "_meta?:object nextCursor? tasks:Task[]",
};

export const revision: Revision = withMore(core, { previous, types, params, results });
