/** The model of a run: one that the file makes, or an API by `provider/name`, whose key is in the environment. */
import type { JsonObject } from "tenon";
import { anthropicMessages, geminiContents, type ModelProvider, openaiResponses, loop } from "tenon/models";
import { UsageError } from "../failure.ts";
import { geminiBody, type GeminiRequest, modelApiOf, streamerTo } from "../inspect/model-api.ts";
import type { Environment } from "../shell.ts";
import type { Evals } from "./evals-file.ts";
import { NO_TOKENS, type Runner, type Said } from "./run.ts";

/** A model that is opened when it is asked for the first time. */
export interface NamedModel {
  readonly name: string;
  readonly open: () => Promise<ModelProvider<object>>;
}

/** @throws UsageError if no model is named, it is unknown, or its key is missing */
export function modelFor(
  name: string | undefined,
  { models = {} }: Evals,
  { system, env }: { readonly system: string; readonly env: Environment },
): NamedModel {
  const own = Object.keys(models);
  if (name === undefined)
    throw new UsageError(
      `No model is named. Give --model ${own[0] ?? "openai/gpt-5-mini"}, --agent "command", or --replay with what was recorded.`,
    );
  const made = Object.hasOwn(models, name) ? models[name] : undefined;
  if (made !== undefined) return { name, open: async () => made() };
  if (!name.includes("/"))
    throw new UsageError(
      `--model ${name} names no model.${own.length === 0 ? "" : ` The file has: ${own.join(", ")}.`} Others are written provider/name.`,
    );
  const provider = loopModelOf(name, env, system);
  return { name, open: async () => provider };
}

/** A model for the loop of `tenon/models`, without the SDK of its provider. @param system instructions for the model; empty for none @throws UsageError for an unknown provider, or without its key */
function loopModelOf(typed: string, env: Environment, system: string): ModelProvider<object> {
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

/** Runs a task in the loop of `tenon/models`. @param provider called for the first run */
export function askModel(provider: () => Promise<ModelProvider<object>>, { maxTurns, timeout }: Evals): Runner {
  let opened: Promise<ModelProvider<object>> | undefined;
  return async ({ prompt }, tools, { signal }) => {
    const model = await (opened ??= provider());
    let answer = "";
    let reply: Said = { answer, tokens: NO_TOKENS };
    try {
      const events = loop({ provider: model, tools, messages: [model.userMessage(prompt)], maxTurns, maxTime: timeout, signal });
      for await (const event of events) {
        if (event.type === "text") answer += event.text;
        // The last text is the answer: what is said before a call is not.
        if (event.type === "call") {
          answer = "";
          const { name, arguments: args, tool } = event.call;
          if (tool === undefined) tools.calls.push({ tool: name, arguments: args, isError: true, wasMade: false });
        }
        if (event.type !== "end") continue;
        const { tokens, outputTokens, reason } = event;
        const spent = { input: tokens - outputTokens, output: outputTokens };
        reply = { answer, tokens: spent, ...(reason !== "done" && { failure: limitOf(reason, { maxTurns, timeout }) }) };
      }
      return reply;
    } catch (error) {
      signal.throwIfAborted();
      return { answer, tokens: NO_TOKENS, failure: error instanceof Error ? error.message : String(error) };
    }
  };
}

function limitOf(reason: string, { maxTurns, timeout }: Pick<Evals, "maxTurns" | "timeout">): string {
  return reason === "maxTurns" ? `it did not end within ${maxTurns} turns (maxTurns)` : `it did not end within ${timeout} ms (timeout)`;
}
