/** What 2025-06-18 changed: structured tool output, elicitation, resource links, titles, and `_meta` nearly everywhere. */
import type { Revision } from "../revision.ts";
import type { Dictionary } from "../shape.ts";
import { revision as previous } from "../v2025-03-26/shapes.ts";

const meta = "_meta?:object";
const titleAndMeta = `title? ${meta}`;
const field = "title? description?";

const types: Dictionary = {
  Annotations: "lastModified?",
  Implementation: "title?",
  ClientCapabilities: "elicitation?:object",
  TextContent: meta,
  ImageContent: meta,
  AudioContent: meta,
  EmbeddedResource: meta,
  TextResourceContents: meta,
  BlobResourceContents: meta,
  ResourceLink: `type:'resource_link' uri name ${field} mimeType? size?:integer annotations?:Annotations ${meta}`,
  ContentBlock: "= TextContent|ImageContent|AudioContent|ResourceLink|EmbeddedResource",
  Resource: titleAndMeta,
  ResourceTemplate: titleAndMeta,
  Prompt: titleAndMeta,
  PromptArgument: "title?",
  PromptReference: "title?",
  CompletionContext: "arguments?:{string}",
  Root: meta,
  Tool: `${titleAndMeta} outputSchema?:ObjectSchema`,
  CallToolResult: "structuredContent?:object",

  StringSchema: `type:'string' ${field} minLength?:integer maxLength?:integer format?:'email'|'uri'|'date'|'date-time'`,
  NumberSchema: `type:'number'|'integer' ${field} minimum?:number maximum?:number`,
  BooleanSchema: `type:'boolean' ${field} default?:boolean`,
  EnumSchema: `type:'string' ${field} enum:string[] enumNames?:string[]`,
  PrimitiveSchemaDefinition: "= StringSchema|NumberSchema|BooleanSchema|EnumSchema",
  RequestedSchema: "type:'object' properties:{PrimitiveSchemaDefinition} required?:string[]",
  ElicitRequestFormParams: "_meta?:RequestMetaObject message requestedSchema:RequestedSchema",
  ElicitRequestParams: "= ElicitRequestFormParams",
  ElicitValue: "= string|number|boolean",
  ElicitResult: `action:'accept'|'decline'|'cancel' ${meta} content?:{ElicitValue}`,
};

const params: Dictionary = {
  "completion/complete": "context?:CompletionContext",
  "elicitation/create": "= ElicitRequestParams",
};

const results: Dictionary = { "elicitation/create": "= ElicitResult" };

export const revision: Revision<"2025-06-18"> = { version: "2025-06-18", previous, types, params, results };
