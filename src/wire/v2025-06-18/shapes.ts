/** What 2025-06-18 changed: structured tool output, elicitation, resource links, titles, and `_meta` nearly everywhere. */
import type { Revision } from "../revision.ts";
import { extend, type Dictionary } from "../shape.ts";
import { revision as previous } from "../v2025-03-26/shapes.ts";

const meta = { "_meta?": "object" };
const title = { "title?": "string" };
const field = { ...title, "description?": "string" };

const types: Dictionary = extend(previous.types, {
  Annotations: { "lastModified?": "string" },
  Implementation: title,
  ClientCapabilities: { "elicitation?": "object" },
  TextContent: meta,
  ImageContent: meta,
  AudioContent: meta,
  EmbeddedResource: meta,
  TextResourceContents: meta,
  BlobResourceContents: meta,
  ResourceLink: {
    type: "'resource_link'",
    ...field,
    ...meta,
    uri: "string",
    name: "string",
    "mimeType?": "string",
    "size?": "integer",
    "annotations?": "Annotations",
  },
  ContentBlock: "TextContent|ImageContent|AudioContent|ResourceLink|EmbeddedResource",
  Resource: { ...title, ...meta },
  ResourceTemplate: { ...title, ...meta },
  Prompt: { ...title, ...meta },
  PromptArgument: title,
  PromptReference: title,
  Root: meta,
  Tool: { ...title, ...meta, "outputSchema?": "ObjectSchema" },
  CallToolResult: { "structuredContent?": "object" },

  StringSchema: {
    type: "'string'",
    ...field,
    "minLength?": "integer",
    "maxLength?": "integer",
    "format?": "'email'|'uri'|'date'|'date-time'",
  },
  NumberSchema: { type: "'number'|'integer'", ...field, "minimum?": "number", "maximum?": "number" },
  BooleanSchema: { type: "'boolean'", ...field, "default?": "boolean" },
  EnumSchema: { type: "'string'", ...field, enum: "string[]", "enumNames?": "string[]" },
  PrimitiveSchemaDefinition: "StringSchema|NumberSchema|BooleanSchema|EnumSchema",
  RequestedSchema: { type: "'object'", properties: "{PrimitiveSchemaDefinition}", "required?": "string[]" },
  ElicitRequestFormParams: { "_meta?": "RequestMetaObject", message: "string", requestedSchema: "RequestedSchema" },
  ElicitRequestParams: "ElicitRequestFormParams",
  ElicitValue: "string|number|boolean",
  ElicitResult: { action: "'accept'|'decline'|'cancel'", ...meta, "content?": "{ElicitValue}" },
});

const params: Dictionary = extend(previous.params, {
  "completion/complete": { "context?": { "arguments?": "{string}" } },
  "elicitation/create": "ElicitRequestParams",
});

const results: Dictionary = extend(previous.results, {
  "elicitation/create": "ElicitResult",
});

export const revision: Revision<"2025-06-18"> = { version: "2025-06-18", types, params, results };
