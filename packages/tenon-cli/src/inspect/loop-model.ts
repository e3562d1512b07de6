/** `--model provider/name` of `tenon eval`: a model for the loop of `tenon/models`, without the SDK of its provider. */
import { anthropicMessages, geminiContents, type ModelProvider, openaiResponses } from "tenon/models";
import type { JsonObject } from "tenon";
import type { Environment } from "../shell.ts";
import { geminiBody, type GeminiRequest, modelApiOf, streamerTo } from "./model-api.ts";

/** @param system instructions for the model; empty for none @throws UsageError for an unknown provider, or without its key */
export function loopModelOf(typed: string, env: Environment, system: string): ModelProvider<object> {
  const api = modelApiOf(typed, env);
  const { model, base } = api;
  const options = { model, ...(system !== "" && { system }) };
  if (api.api === "anthropic") return anthropicMessages({ messages: { create: streamerTo(`${base}/v1/messages`, api) } }, options);
  if (api.api === "openai") return openaiResponses({ responses: { create: streamerTo(`${base}/responses`, api) } }, options);
  const stream = streamerTo(`${base}/v1beta/models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse`, api);
  const generateContentStream = (request: GeminiRequest, sent?: { signal: AbortSignal }): Promise<AsyncIterable<JsonObject>> =>
    stream(geminiBody(request), sent);
  return geminiContents({ models: { generateContent: generateContentStream, generateContentStream } }, options);
}
