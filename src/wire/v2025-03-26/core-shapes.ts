/** What 2025-03-26 changed for every session: audio, tool annotations, the completions capability, progress with words, and batches. */
import type { Dictionary, Revision } from "../revision.ts";
import { core as previous } from "../v2024-11-05/core-shapes.ts";

const types: Dictionary = {
  AudioContent: "type:'audio' data mimeType annotations?:Annotations",
  ContentBlock: "= TextContent|ImageContent|AudioContent|EmbeddedResource",
  ServerCapabilities: "completions?:object",
  Tool: "annotations?:ToolAnnotations",
  ToolAnnotations: "title? readOnlyHint?:boolean destructiveHint?:boolean idempotentHint?:boolean openWorldHint?:boolean",
};

const params: Dictionary = { "notifications/progress": "message?" };

export const core: Revision = { version: "2025-03-26", previous, acceptsBatches: true, types, params, results: {} };
