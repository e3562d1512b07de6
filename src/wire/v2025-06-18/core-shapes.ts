/** What 2025-06-18 changed for every session: structured tool output, resource links, titles, and `_meta` nearly everywhere. */
import type { Dictionary, Revision } from "../revision.ts";
import { core as previous } from "../v2025-03-26/core-shapes.ts";

export const meta = "_meta?:object";
export const titleAndMeta: string = `title? ${meta}`;
export const field = "title? description?";

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
  Tool: `${titleAndMeta} outputSchema?:ObjectSchema`,
  CallToolResult: "structuredContent?:object",
};

export const core: Revision = { version: "2025-06-18", previous, types, params: {}, results: {} };
