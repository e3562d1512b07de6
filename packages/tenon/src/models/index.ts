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
export { toGemini, type GeminiResponsePart, type GeminiResults, type GeminiTool, type GeminiTools } from "./providers/gemini.ts";
export { toAISDK, type AISDKOutput, type AISDKSchema, type AISDKTool, type AISDKTools } from "./providers/ai-sdk.ts";
export { toLangChain, type LangChainClasses, type LangChainTools } from "./providers/langchain.ts";
export { loop, type LoopCall, type LoopEnd, type LoopEvent, type LoopOptions, type LoopResult, type LoopText } from "./loop.ts";
export type { ModelProvider, ProviderOptions } from "./providers/model-provider.ts";
export { anthropicMessages, type AnthropicClient } from "./providers/anthropic-messages.ts";
export { openaiResponses, type OpenAIClient } from "./providers/openai-responses.ts";
export { openaiChat, type ChatClient } from "./providers/chat-completions.ts";
export { geminiContents, type GeminiClient } from "./providers/gemini-contents.ts";
export { pickModel, type SamplingModel, type SamplingOptions } from "./sampling/sampling.ts";
export { sampleWithAnthropic } from "./sampling/anthropic.ts";
export { sampleWithOpenAI } from "./sampling/openai.ts";
export { sampleWithGemini } from "./sampling/gemini.ts";
