/** `sampleWithAnthropic()`: answers a server's sampling requests with Anthropic's Messages API. */
import { isJsonObject } from "../../jsonrpc/message.ts";
import type { SampleHandler } from "../../client/options.ts";
import type { CreateMessageRequestParams, StopReason } from "../../protocol/sampling.ts";
import { anthropicCalls, anthropicDefinitions, anthropicResults, toAnthropicPart } from "../providers/anthropic.ts";
import type { AnthropicClient } from "../providers/anthropic-messages.ts";
import { listAt, sendOnce, textAt } from "../providers/model-provider.ts";
import { profiles } from "../schema/profile.ts";
import { checkSampling, prepare, toSampled, type SampledBlock, type SamplingOptions } from "./sampling.ts";

const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map([
  ["end_turn", "endTurn"],
  ["stop_sequence", "stopSequence"],
  ["max_tokens", "maxTokens"],
  ["tool_use", "toolUse"],
]);
const CHOICES = { auto: "auto", required: "any", none: "none" };

/**
 * For `onSample`: `connect(url, { onSample: sampleWithAnthropic(new Anthropic(), { model: "claude-sonnet-5-5" }) })`. Security: the server's
 * text goes to your model at your cost. Ask the user first, in a function around this one.
 * @throws TypeError for an unknown option or without a model
 */
export function sampleWithAnthropic(client: AnthropicClient, options: SamplingOptions): SampleHandler {
  checkSampling("sampleWithAnthropic", options);
  return async (params, { signal }) => {
    const request = await prepare(params, options, { usual: profiles.anthropic });
    const messages = request.messages.map(({ role, blocks }) => ({ role, content: blocks.map(toContent) }));
    const tools = anthropicDefinitions(request.kit);
    const body = { model: request.model, max_tokens: request.maxTokens, messages, ...extras(params), ...(tools.length > 0 && { tools }) };
    const reply = await sendOnce(client.messages, client.messages.create, body, signal);
    const content = listAt(reply, "content");
    const stop = textAt(reply, "stop_reason");
    return toSampled(request, {
      text: content.map((block) => (block["type"] === "text" ? textAt(block, "text") : "")).join(""),
      calls: anthropicCalls(content),
      model: textAt(reply, "model") || undefined,
      stopReason: STOP_REASONS.get(stop) ?? stop,
    });
  };
}

function extras({ systemPrompt, temperature, stopSequences, toolChoice, tools }: CreateMessageRequestParams): object {
  const mode = tools === undefined ? undefined : toolChoice?.mode;
  return {
    ...(systemPrompt !== undefined && { system: systemPrompt }),
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences !== undefined && { stop_sequences: stopSequences }),
    ...(mode !== undefined && { tool_choice: { type: CHOICES[mode] } }),
  };
}

function toContent(block: SampledBlock): object {
  if (block.kind === "call")
    return { type: "tool_use", id: block.id, name: block.name, input: isJsonObject(block.input) ? block.input : {} };
  if (block.kind === "part") return toAnthropicPart(block.part);
  return anthropicResults([block.outcome]).content[0]!; // one result for one outcome
}
