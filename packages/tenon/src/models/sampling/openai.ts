/** `sampleWithOpenAI()`: answers a server's sampling requests with OpenAI's Responses API. */
import type { SampleHandler } from "../../client/options.ts";
import type { CreateMessageRequestParams, StopReason } from "../../protocol/sampling.ts";
import { openaiCalls, openaiDefinitions, openaiOutputs, toOutputPart } from "../providers/openai.ts";
import type { OpenAIClient } from "../providers/openai-responses.ts";
import { listAt, objectAt, sendOnce, textAt } from "../providers/model-provider.ts";
import { profiles } from "../schema/profile.ts";
import { checkSampling, prepare, toSampled, type SampledBlock, type SampledRequest, type SamplingOptions } from "./sampling.ts";

/**
 * For `onSample`: `connect(url, { onSample: sampleWithOpenAI(new OpenAI(), { model: "gpt-5-mini" }) })`. The API has no stop sequences: the
 * reply is cut at the first one. Security: the server's text goes to your model at your cost. Ask the user first, in a function around this
 * one.
 * @throws TypeError for an unknown option or without a model
 */
export function sampleWithOpenAI(client: OpenAIClient, options: SamplingOptions): SampleHandler {
  checkSampling("sampleWithOpenAI", options);
  return async (params, { signal }) => {
    const request = await prepare(params, options, { usual: profiles.openai });
    if (params.stopSequences !== undefined) options.onNote?.("stopSequences cut the reply here: the API has none");
    const reply = await sendOnce(client.responses, client.responses.create, bodyOf(request, params), signal);
    const output = listAt(reply, "output");
    const calls = openaiCalls(output);
    const whole = output.flatMap((item) => listAt(item, "content").map((part) => textAt(part, "text"))).join("");
    const { text, cut } = cutAt(whole, params.stopSequences ?? []);
    const reason = textAt(objectAt(reply, "incomplete_details"), "reason");
    const stopReason: StopReason =
      calls.length > 0 ? "toolUse" : cut ? "stopSequence" : reason === "max_output_tokens" ? "maxTokens" : reason || "endTurn";
    return toSampled(request, { text, calls, model: textAt(reply, "model") || undefined, stopReason });
  };
}

function bodyOf({ model, maxTokens, kit, messages }: SampledRequest, params: CreateMessageRequestParams): object {
  const { systemPrompt, temperature, toolChoice } = params;
  const tools = openaiDefinitions(kit);
  const mode = tools.length === 0 ? undefined : toolChoice?.mode;
  return {
    model,
    max_output_tokens: maxTokens,
    input: messages.flatMap(({ role, blocks }) => itemsOf(role, blocks)),
    ...(systemPrompt !== undefined && { instructions: systemPrompt }),
    ...(temperature !== undefined && { temperature }),
    ...(tools.length > 0 && { tools }),
    ...(mode !== undefined && { tool_choice: mode }),
  };
}

/** A message of text and media becomes one item; each call and each result one of its own. */
function itemsOf(role: "user" | "assistant", blocks: readonly SampledBlock[]): readonly object[] {
  return blocks.flatMap((block): readonly object[] => {
    if (block.kind === "result") return openaiOutputs([block.outcome]);
    if (block.kind === "call")
      return [{ type: "function_call", call_id: block.id, name: block.name, arguments: JSON.stringify(block.input) }];
    const { part } = block;
    if (role === "assistant") return [{ role, content: part.kind === "text" ? part.text : `[${part.kind}]` }];
    return [{ role, content: [toOutputPart(part)] }];
  });
}

function cutAt(text: string, stops: readonly string[]): { readonly text: string; readonly cut: boolean } {
  const places = stops.map((stop) => (stop === "" ? -1 : text.indexOf(stop))).filter((at) => at >= 0);
  return places.length === 0 ? { text, cut: false } : { text: text.slice(0, Math.min(...places)), cut: true };
}
