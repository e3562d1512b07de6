/** The shapes of 2024-11-05, the first revision. The notation is explained in `../shape.ts`. */
import type { Revision } from "../revision.ts";
import type { Dictionary } from "../shape.ts";

const request = "_meta?:RequestMetaObject";
const page = `${request} cursor?`;
const target = `${request} uri`;
const notice = "_meta?:object";
const result = "_meta?:object";
const pageResult = `${result} nextCursor?`;
const entry = "name description?";

const types: Dictionary = {
  RequestMetaObject: "progressToken?:string|integer",
  Role: "= 'user'|'assistant'",
  LoggingLevel: "= 'debug'|'info'|'notice'|'warning'|'error'|'critical'|'alert'|'emergency'",
  Annotations: "audience?:Role[] priority?:fraction",
  Implementation: "name version",
  // Extensions were in use before the revisions knew of them: they are passed on, whatever they look like.
  ClientCapabilities: "experimental?:{object} extensions?:any roots?:ListChanged sampling?:object",
  ServerCapabilities:
    "experimental?:{object} extensions?:any logging?:object prompts?:ListChanged resources?:ResourcesCapability tools?:ListChanged",
  ListChanged: "listChanged?:boolean",
  ResourcesCapability: "subscribe?:boolean listChanged?:boolean",

  TextContent: "type:'text' text annotations?:Annotations",
  ImageContent: "type:'image' data mimeType annotations?:Annotations",
  EmbeddedResource: "type:'resource' resource:Contents annotations?:Annotations",
  TextResourceContents: "text uri mimeType?",
  BlobResourceContents: "blob uri mimeType?",
  Contents: "= TextResourceContents|BlobResourceContents",
  ContentBlock: "= TextContent|ImageContent|EmbeddedResource",

  Resource: `uri ${entry} mimeType? size?:integer annotations?:Annotations`,
  ResourceTemplate: `uriTemplate ${entry} mimeType? annotations?:Annotations`,
  Prompt: `${entry} arguments?:PromptArgument[]`,
  PromptArgument: `${entry} required?:boolean`,
  PromptMessage: "role:Role content:ContentBlock",
  PromptReference: "type:'ref/prompt' name",
  ResourceTemplateReference: "type:'ref/resource' uri",
  Argument: "name value",
  Completion: "values:string[] total?:integer hasMore?:boolean",
  Tool: `${entry} inputSchema:ObjectSchema`,
  ObjectSchema: "type:'object' $schema?:any properties?:{object} required?:string[]",
  // Deployed servers of the stateful revisions leave `content` out.
  CallToolResult: `${result} content?:ContentBlock[] isError?:boolean`,

  SamplingMessageContentBlock: "= TextContent|ImageContent",
  SamplingContents: "= SamplingMessageContentBlock",
  SamplingMessage: "role:Role content:SamplingContents",
  SamplingMessages: "= SamplingMessage[]",
  ModelPreferences: "hints?:ModelHint[] costPriority?:fraction speedPriority?:fraction intelligencePriority?:fraction",
  ModelHint: "name?",
  CreateMessageRequestParams:
    `${request} messages:SamplingMessages maxTokens:integer modelPreferences?:ModelPreferences systemPrompt? ` +
    "includeContext?:'none'|'thisServer'|'allServers' temperature?:number stopSequences?:string[] metadata?:object",
  CreateMessageResult: `${result} role:Role content:SamplingContents model stopReason?`,
  Root: "uri name?",
  ListRootsResult: `${result} roots:Root[]`,
};

const params: Dictionary = {
  initialize: `${request} protocolVersion capabilities:ClientCapabilities clientInfo:Implementation`,
  ping: request,
  "tools/list": page,
  "tools/call": `${request} name arguments?:object`,
  "resources/list": page,
  "resources/templates/list": page,
  "resources/read": target,
  "resources/subscribe": target,
  "resources/unsubscribe": target,
  "prompts/list": page,
  "prompts/get": `${request} name arguments?:{string}`,
  "completion/complete": `${request} ref:PromptReference|ResourceTemplateReference argument:Argument`,
  "logging/setLevel": `${request} level:LoggingLevel`,
  "sampling/createMessage": "= CreateMessageRequestParams",
  "roots/list": request,
  "notifications/initialized": notice,
  "notifications/cancelled": `${notice} requestId:string|integer reason?`,
  "notifications/progress": `${notice} progressToken:string|integer progress:number total?:number`,
  "notifications/message": `${notice} level:LoggingLevel logger? data:any`,
  "notifications/tools/list_changed": notice,
  "notifications/prompts/list_changed": notice,
  "notifications/resources/list_changed": notice,
  "notifications/resources/updated": `${notice} uri`,
  "notifications/roots/list_changed": notice,
};

const results: Dictionary = {
  initialize: `${result} protocolVersion capabilities:ServerCapabilities serverInfo:Implementation instructions?`,
  ping: result,
  "tools/list": `${pageResult} tools:Tool[]`,
  "tools/call": "= CallToolResult",
  "resources/list": `${pageResult} resources:Resource[]`,
  "resources/templates/list": `${pageResult} resourceTemplates:ResourceTemplate[]`,
  "resources/read": `${result} contents:Contents[]`,
  "resources/subscribe": result,
  "resources/unsubscribe": result,
  "prompts/list": `${pageResult} prompts:Prompt[]`,
  "prompts/get": `${result} description? messages:PromptMessage[]`,
  "completion/complete": `${result} completion:Completion`,
  "logging/setLevel": result,
  "sampling/createMessage": "= CreateMessageResult",
  "roots/list": "= ListRootsResult",
};

export const revision: Revision<"2024-11-05"> = { version: "2024-11-05", types, params, results };
