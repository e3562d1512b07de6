/** `tenon/models`: the tools of a client or a group for models, in the form of each provider's API. Loads no provider's SDK. */
export { adaptSchema, type AdaptedSchema } from "./adapt-schema.ts";
export { profiles, type ModelProfile } from "./schema/profile.ts";
export type { SchemaNote } from "./schema/adapter.ts";
export type { ModelCall, ModelToolOptions, RunOptions, ToolNote } from "./options.ts";
export type { ToolSource } from "./tool-source.ts";
export {
  toAnthropic,
  type AnthropicResultPart,
  type AnthropicResults,
  type AnthropicTool,
  type AnthropicToolResult,
  type AnthropicTools,
} from "./providers/anthropic.ts";
export { toOpenAI, type OpenAIOutput, type OpenAIOutputPart, type OpenAITool, type OpenAITools } from "./providers/openai.ts";
export { toOpenAIChat, type OpenAIChatResult, type OpenAIChatTool, type OpenAIChatTools } from "./providers/openai-chat.ts";
