/** What 2025-03-26 changed: audio, tool annotations, the completions capability, progress with a message, and batches. */
import type { Revision } from "./revision.ts";
import { v20241105 } from "./v2024-11-05.ts";

export const v20250326: Revision = {
  version: "2025-03-26",
  previous: v20241105,
  facts: { acceptsBatches: true, hasHttpSse: false },

  params: {
    "notifications/progress": "message?",
  },

  results: {},

  types: {
    ServerCapabilities: "completions?:object",
    AudioContent: "type:'audio' data mimeType annotations?:Annotations",
    ContentBlock: "= TextContent|ImageContent|AudioContent|EmbeddedResource",
    SamplingMessageContentBlock: "= TextContent|ImageContent|AudioContent",
    Tool: "annotations?:ToolAnnotations",
    ToolAnnotations: "title? readOnlyHint?:boolean destructiveHint?:boolean idempotentHint?:boolean openWorldHint?:boolean",
  },
};
