/** The shapes of 2024-11-05, the first revision, that every session needs. The notation is explained in `../shape.ts`. */
import type { Dictionary, Revision } from "../revision.ts";

export const request = "_meta?:RequestMetaObject";
export const page: string = `${request} cursor?`;
const notice = "_meta?:NotificationMetaObject";
export const result = "_meta?:ResultMetaObject";
export const pageResult: string = `${result} nextCursor?`;
export const entry = "name description?";

const types: Dictionary = {
  RequestMetaObject: "progressToken?:string|integer",
  NotificationMetaObject: "",
  ResultMetaObject: "",
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

  Tool: `${entry} inputSchema:ObjectSchema`,
  ObjectSchema: "type:'object' $schema?:any properties?:{object} required?:string[]",
  // Deployed servers of the stateful revisions leave `content` out.
  CallToolResult: `${result} content?:ContentBlock[] isError?:boolean`,
};

const params: Dictionary = {
  initialize: `${request} protocolVersion capabilities:ClientCapabilities clientInfo:Implementation`,
  ping: request,
  "tools/list": page,
  "tools/call": `${request} name arguments?:object`,
  "logging/setLevel": `${request} level:LoggingLevel`,
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
  "logging/setLevel": result,
};

export const core: Revision = { version: "2024-11-05", types, params, results };
