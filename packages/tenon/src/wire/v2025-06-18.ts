/**
 * What 2025-06-18 changed: structured tool results, resource links, elicitation, titles, the context of a completion, and `_meta`
 * nearly everywhere; batches are gone.
 */
import type { Revision } from "./revision.ts";
import { v20250326 } from "./v2025-03-26.ts";

const meta = "_meta?:object";
const titleAndMeta = `title? ${meta}`;
/** Members that every field of a form may have. */
export const field = "title? description?";

export const v20250618: Revision = {
  version: "2025-06-18",
  previous: v20250326,
  facts: { acceptsBatches: false, namesVersionInHeader: true },

  params: {
    "completion/complete": "context?:CompletionContext",
    "elicitation/create": "= ElicitRequestParams",
  },

  results: {
    "elicitation/create": "= ElicitResult",
  },

  types: {
    Annotations: "lastModified?",
    Implementation: "title?",
    ClientCapabilities: "elicitation?:object",

    ContentBlock: "= TextContent|ImageContent|AudioContent|ResourceLink|EmbeddedResource",
    TextContent: meta,
    ImageContent: meta,
    AudioContent: meta,
    EmbeddedResource: meta,
    TextResourceContents: meta,
    BlobResourceContents: meta,
    ResourceLink: `type:'resource_link' uri name title? description? mimeType? size?:integer annotations?:Annotations ${meta}`,

    Tool: `${titleAndMeta} outputSchema?:ObjectSchema`,
    CallToolResult: "structuredContent?:object",
    Resource: titleAndMeta,
    ResourceTemplate: titleAndMeta,
    Prompt: titleAndMeta,
    PromptArgument: "title?",
    PromptReference: "title?",
    CompletionContext: "arguments?:{string}",
    Root: meta,

    ElicitRequestParams: "= ElicitRequestFormParams",
    ElicitRequestFormParams: "_meta?:RequestMetaObject message requestedSchema:RequestedSchema",
    RequestedSchema: "type:'object' properties:{PrimitiveSchemaDefinition} required?:string[]",
    PrimitiveSchemaDefinition: "= StringSchema|NumberSchema|BooleanSchema|EnumSchema",
    StringSchema: `type:'string' ${field} minLength?:integer maxLength?:integer format?:'email'|'uri'|'date'|'date-time'`,
    NumberSchema: `type:'number'|'integer' ${field} minimum?:number maximum?:number`,
    BooleanSchema: `type:'boolean' ${field} default?:boolean`,
    EnumSchema: `type:'string' ${field} enum:string[] enumNames?:string[]`,
    ElicitResult: `action:'accept'|'decline'|'cancel' ${meta} content?:{ElicitValue}`,
    ElicitValue: "= string|number|boolean",
  },
};
