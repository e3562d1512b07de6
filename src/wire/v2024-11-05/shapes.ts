/** The shapes of 2024-11-05, the first revision. The notation is explained in `../shape.ts`. */
import type { Revision } from "../revision.ts";
import type { Dictionary } from "../shape.ts";

const request = { "_meta?": "RequestMetaObject" };
const page = { ...request, "cursor?": "string" };
const target = { ...request, uri: "string" };
const notice = { "_meta?": "object" };
const result = { "_meta?": "object" };
const pageResult = { ...result, "nextCursor?": "string" };

const types: Dictionary = {
  RequestMetaObject: { "progressToken?": "string|integer" },
  Role: "'user'|'assistant'",
  LoggingLevel: "'debug'|'info'|'notice'|'warning'|'error'|'critical'|'alert'|'emergency'",
  Annotations: { "audience?": "Role[]", "priority?": "fraction" },
  Implementation: { name: "string", version: "string" },
  // Extensions were in use before the revisions knew of them: they are passed on, whatever they look like.
  ClientCapabilities: { "experimental?": "{object}", "extensions?": "any", "roots?": { "listChanged?": "boolean" }, "sampling?": "object" },
  ServerCapabilities: {
    "experimental?": "{object}",
    "extensions?": "any",
    "logging?": "object",
    "prompts?": { "listChanged?": "boolean" },
    "resources?": { "subscribe?": "boolean", "listChanged?": "boolean" },
    "tools?": { "listChanged?": "boolean" },
  },

  TextContent: { type: "'text'", text: "string", "annotations?": "Annotations" },
  ImageContent: { type: "'image'", data: "string", mimeType: "string", "annotations?": "Annotations" },
  EmbeddedResource: { type: "'resource'", resource: "Contents", "annotations?": "Annotations" },
  TextResourceContents: { text: "string", uri: "string", "mimeType?": "string" },
  BlobResourceContents: { blob: "string", uri: "string", "mimeType?": "string" },
  Contents: "TextResourceContents|BlobResourceContents",
  ContentBlock: "TextContent|ImageContent|EmbeddedResource",

  Resource: { uri: "string", name: "string", "description?": "string", "mimeType?": "string", "size?": "integer", "annotations?": "Annotations" },
  ResourceTemplate: { uriTemplate: "string", name: "string", "description?": "string", "mimeType?": "string", "annotations?": "Annotations" },
  Prompt: { name: "string", "description?": "string", "arguments?": "PromptArgument[]" },
  PromptArgument: { name: "string", "description?": "string", "required?": "boolean" },
  PromptMessage: { role: "Role", content: "ContentBlock" },
  PromptReference: { type: "'ref/prompt'", name: "string" },
  ResourceTemplateReference: { type: "'ref/resource'", uri: "string" },
  Tool: { name: "string", "description?": "string", inputSchema: "ObjectSchema" },
  ObjectSchema: { type: "'object'", "$schema?": "any", "properties?": "{object}", "required?": "string[]" },
  // Deployed servers of the stateful revisions leave `content` out.
  CallToolResult: { ...result, "content?": "ContentBlock[]", "isError?": "boolean" },

  SamplingMessageContentBlock: "TextContent|ImageContent",
  SamplingContents: "SamplingMessageContentBlock",
  SamplingMessage: { role: "Role", content: "SamplingContents" },
  SamplingMessages: "SamplingMessage[]",
  ModelPreferences: {
    "hints?": "ModelHint[]",
    "costPriority?": "fraction",
    "speedPriority?": "fraction",
    "intelligencePriority?": "fraction",
  },
  ModelHint: { "name?": "string" },
  CreateMessageRequestParams: {
    ...request,
    messages: "SamplingMessages",
    maxTokens: "integer",
    "modelPreferences?": "ModelPreferences",
    "systemPrompt?": "string",
    "includeContext?": "'none'|'thisServer'|'allServers'",
    "temperature?": "number",
    "stopSequences?": "string[]",
    "metadata?": "object",
  },
  CreateMessageResult: { ...result, role: "Role", content: "SamplingContents", model: "string", "stopReason?": "string" },
  Root: { uri: "string", "name?": "string" },
  ListRootsResult: { ...result, roots: "Root[]" },
};

const params: Dictionary = {
  initialize: { ...request, protocolVersion: "string", capabilities: "ClientCapabilities", clientInfo: "Implementation" },
  ping: request,
  "tools/list": page,
  "tools/call": { ...request, name: "string", "arguments?": "object" },
  "resources/list": page,
  "resources/templates/list": page,
  "resources/read": target,
  "resources/subscribe": target,
  "resources/unsubscribe": target,
  "prompts/list": page,
  "prompts/get": { ...request, name: "string", "arguments?": "{string}" },
  "completion/complete": { ...request, ref: "PromptReference|ResourceTemplateReference", argument: { name: "string", value: "string" } },
  "logging/setLevel": { ...request, level: "LoggingLevel" },
  "sampling/createMessage": "CreateMessageRequestParams",
  "roots/list": request,
  "notifications/initialized": notice,
  "notifications/cancelled": { ...notice, requestId: "string|integer", "reason?": "string" },
  "notifications/progress": { ...notice, progressToken: "string|integer", progress: "number", "total?": "number" },
  "notifications/message": { ...notice, level: "LoggingLevel", "logger?": "string", data: "any" },
  "notifications/tools/list_changed": notice,
  "notifications/prompts/list_changed": notice,
  "notifications/resources/list_changed": notice,
  "notifications/resources/updated": { ...notice, uri: "string" },
  "notifications/roots/list_changed": notice,
};

const results: Dictionary = {
  initialize: {
    ...result,
    protocolVersion: "string",
    capabilities: "ServerCapabilities",
    serverInfo: "Implementation",
    "instructions?": "string",
  },
  ping: result,
  "tools/list": { ...pageResult, tools: "Tool[]" },
  "tools/call": "CallToolResult",
  "resources/list": { ...pageResult, resources: "Resource[]" },
  "resources/templates/list": { ...pageResult, resourceTemplates: "ResourceTemplate[]" },
  "resources/read": { ...result, contents: "Contents[]" },
  "resources/subscribe": result,
  "resources/unsubscribe": result,
  "prompts/list": { ...pageResult, prompts: "Prompt[]" },
  "prompts/get": { ...result, "description?": "string", messages: "PromptMessage[]" },
  "completion/complete": { ...result, completion: { values: "string[]", "total?": "integer", "hasMore?": "boolean" } },
  "logging/setLevel": result,
  "sampling/createMessage": "CreateMessageResult",
  "roots/list": "ListRootsResult",
};

export const revision: Revision<"2024-11-05"> = { version: "2024-11-05", types, params, results };
