/** 2024-11-05, the first revision: the shapes of all its messages. The notation is explained in `shape.ts`. */
import type { Revision } from "./revision.ts";

const request = "_meta?:RequestMetaObject";
const notification = "_meta?:NotificationMetaObject";
const result = "_meta?:ResultMetaObject";
const page = `${request} cursor?`;
const pageResult = `${result} nextCursor?`;
const resource = `${request} uri`;
const described = "name description?";

/** Keywords at the root of a schema that some peers write as null, or as an empty list. */
const keywords =
  "$id?:open title?:open description?:open $defs?:open definitions?:open patternProperties?:open additionalProperties?:open " +
  "allOf?:openList anyOf?:openList oneOf?:openList not?:open";

export const v20241105: Revision = {
  version: "2024-11-05",
  facts: {
    acceptsBatches: false,
    visitsPages: false,
    primesStreams: false,
    namesVersionInHeader: false,
    hasHttpSse: true,
  },

  params: {
    initialize: `${request} protocolVersion capabilities:ClientCapabilities clientInfo:Implementation`,
    ping: request,
    "tools/list": page,
    "tools/call": `${request} name arguments?:object`,
    "resources/list": page,
    "resources/templates/list": page,
    "resources/read": resource,
    "resources/subscribe": resource,
    "resources/unsubscribe": resource,
    "prompts/list": page,
    "prompts/get": `${request} name arguments?:{string}`,
    "completion/complete": `${request} ref:PromptReference|ResourceTemplateReference argument:Argument`,
    "logging/setLevel": `${request} level:LoggingLevel`,
    "sampling/createMessage": "= CreateMessageRequestParams",
    "roots/list": request,

    "notifications/initialized": notification,
    "notifications/cancelled": `${notification} requestId:string|integer reason?`,
    "notifications/progress": `${notification} progressToken:string|integer progress:number total?:number`,
    "notifications/message": `${notification} level:LoggingLevel logger? data:any`,
    "notifications/tools/list_changed": notification,
    "notifications/prompts/list_changed": notification,
    "notifications/resources/list_changed": notification,
    "notifications/resources/updated": `${notification} uri`,
    "notifications/roots/list_changed": notification,
  },

  results: {
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
  },

  types: {
    RequestMetaObject: "progressToken?:string|integer",
    NotificationMetaObject: "",
    ResultMetaObject: "",
    Role: "= 'user'|'assistant'",
    LoggingLevel: "= 'debug'|'info'|'notice'|'warning'|'error'|'critical'|'alert'|'emergency'",
    Annotations: "audience?:Role[] priority?:fraction",

    Implementation: "name version",
    // Extensions were in use before the revisions defined them: they are passed on unchecked.
    ClientCapabilities: "experimental?:{object} extensions?:open roots?:ListChanged sampling?:object",
    ServerCapabilities:
      "experimental?:{object} extensions?:open logging?:object prompts?:ListChanged resources?:ResourcesCapability tools?:ListChanged",
    ListChanged: "listChanged?:boolean",
    ResourcesCapability: "subscribe?:boolean listChanged?:boolean",

    ContentBlock: "= TextContent|ImageContent|EmbeddedResource",
    TextContent: "type:'text' text annotations?:Annotations",
    ImageContent: "type:'image' data mimeType annotations?:Annotations",
    EmbeddedResource: "type:'resource' resource:Contents annotations?:Annotations",
    Contents: "= TextResourceContents|BlobResourceContents",
    TextResourceContents: "text uri mimeType?",
    BlobResourceContents: "blob uri mimeType?",

    Tool: `${described} inputSchema:ObjectSchema`,
    ObjectSchema: `type:'object' $schema?:open properties?:{PropertySchema} required?:string[] ${keywords}`,
    PropertySchema: "= object",
    // Deployed servers of the stateful revisions omit `content`.
    CallToolResult: `${result} content?:ContentBlock[] isError?:boolean`,

    Resource: `uri ${described} mimeType? size?:integer annotations?:Annotations`,
    ResourceTemplate: `uriTemplate ${described} mimeType? annotations?:Annotations`,

    Prompt: `${described} arguments?:PromptArgument[]`,
    PromptArgument: `${described} required?:boolean`,
    PromptMessage: "role:Role content:ContentBlock",

    PromptReference: "type:'ref/prompt' name",
    ResourceTemplateReference: "type:'ref/resource' uri",
    Argument: "name value",
    Completion: "values:string[] total?:integer hasMore?:boolean",

    CreateMessageRequestParams:
      `${request} messages:SamplingMessages maxTokens:integer modelPreferences?:ModelPreferences systemPrompt? ` +
      "includeContext?:'none'|'thisServer'|'allServers' temperature?:number stopSequences?:string[] metadata?:object",
    CreateMessageResult: `_meta?:object role:Role content:SamplingContents model stopReason?`,
    SamplingMessages: "= SamplingMessage[]",
    SamplingMessage: "role:Role content:SamplingContents",
    SamplingContents: "= SamplingMessageContentBlock",
    SamplingMessageContentBlock: "= TextContent|ImageContent",
    ModelPreferences: "hints?:ModelHint[] costPriority?:fraction speedPriority?:fraction intelligencePriority?:fraction",
    ModelHint: "name?",

    ListRootsResult: `${result} roots:Root[]`,
    Root: "uri name?",
  },
};
