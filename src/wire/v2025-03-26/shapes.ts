/** What 2025-03-26 changed: audio, tool annotations, the completions capability, progress with words, and batches (`codec.ts`). */
import type { Revision } from "../revision.ts";
import type { Dictionary } from "../shape.ts";
import { revision as previous } from "../v2024-11-05/shapes.ts";

const types: Dictionary = {
  AudioContent: "type:'audio' data mimeType annotations?:Annotations",
  ContentBlock: "= TextContent|ImageContent|AudioContent|EmbeddedResource",
  SamplingMessageContentBlock: "= TextContent|ImageContent|AudioContent",
  ServerCapabilities: "completions?:object",
  Tool: "annotations?:ToolAnnotations",
  ToolAnnotations: "title? readOnlyHint?:boolean destructiveHint?:boolean idempotentHint?:boolean openWorldHint?:boolean",
};

const params: Dictionary = { "notifications/progress": "message?" };

export const revision: Revision<"2025-03-26"> = { version: "2025-03-26", previous, types, params, results: {} };
