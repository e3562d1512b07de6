/** `sampleWithGemini()`: answers a server's sampling requests with the Gemini API. */
import type { SampleHandler } from "../../client/options.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { CreateMessageRequestParams, StopReason } from "../../protocol/sampling.ts";
import type { Part } from "../outcome.ts";
import { geminiParts, geminiStop, geminiText, type GeminiClient } from "../providers/gemini-contents.ts";
import { geminiCalls, geminiDefinitions, geminiResults } from "../providers/gemini.ts";
import { sendOnce, textAt } from "../providers/model-provider.ts";
import { profiles } from "../schema/profile.ts";
import type { RawCall } from "../tool-kit.ts";
import { checkSampling, prepare, toSampled, type SampledBlock, type SampledRequest, type SamplingOptions } from "./sampling.ts";

const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map([
  ["STOP", "endTurn"],
  ["MAX_TOKENS", "maxTokens"],
]);
const CHOICES = { auto: "AUTO", required: "ANY", none: "NONE" };
const MAX_STOPS = 5;

/** The member of `_meta` of a call that keeps the signature which the API wants back with it. */
const SIGNATURE = "tenon/thoughtSignature";
/**
 * The API's word for a call of which there is no signature, such as one of another model or one that a server made up. From Gemini 3 on
 * the API refuses a turn (400) if the first call of a step has none; earlier models need none
 * (https://ai.google.dev/gemini-api/docs/thought-signatures).
 */
const NO_SIGNATURE = "skip_thought_signature_validator";
const NEEDS_NO_SIGNATURE = /gemini-[12](?!\d)/;

/**
 * For `onSample`: `connect(url, { onSample: sampleWithGemini(new GoogleGenAI({ apiKey }), { model: "gemini-2.5-flash" }) })`. The API takes
 * five stop sequences; `onNote` tells of more. Security: the server's text goes to your model at your cost. Ask the user first, in a
 * function around this one.
 * @throws TypeError for an unknown option or without a model
 */
export function sampleWithGemini(client: GeminiClient, options: SamplingOptions): SampleHandler {
  checkSampling("sampleWithGemini", options);
  return async (params, { signal }) => {
    const request = await prepare(params, options, { usual: profiles.gemini });
    const { length } = params.stopSequences ?? [];
    if (length > MAX_STOPS) options.onNote?.(`only the first ${MAX_STOPS} of ${length} stopSequences are used: the API takes no more`);
    const body = { model: request.model, contents: contentsOf(request), config: { ...configOf(request, params), abortSignal: signal } };
    const reply = await sendOnce(client.models, client.models.generateContent, body, signal);
    const calls = callsOf(reply);
    const stop = geminiStop(reply);
    const stopReason = calls.length > 0 ? "toolUse" : (STOP_REASONS.get(stop) ?? stop);
    return toSampled(request, { text: geminiText(reply), calls, model: textAt(reply, "modelVersion") || undefined, stopReason });
  };
}

/** The calls of a response, each with an id that no other call has, and with its signature for the way back. */
function callsOf(reply: JsonObject): (RawCall & { readonly meta?: JsonObject })[] {
  const parts = geminiParts(reply).filter((part) => "functionCall" in part);
  return geminiCalls({ parts }, `${crypto.randomUUID()}.`).map((call, index) => {
    const signature = textAt(parts[index]!, "thoughtSignature"); // one call for each of these parts
    return signature === "" ? call : { ...call, meta: { [SIGNATURE]: signature } };
  });
}

function configOf({ maxTokens, kit }: SampledRequest, params: CreateMessageRequestParams): object {
  const { systemPrompt, temperature, stopSequences, toolChoice } = params;
  const tools = geminiDefinitions(kit);
  const mode = tools.length === 0 ? undefined : toolChoice?.mode;
  return {
    maxOutputTokens: maxTokens,
    ...(systemPrompt !== undefined && { systemInstruction: systemPrompt }),
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences !== undefined && { stopSequences: stopSequences.slice(0, MAX_STOPS) }),
    ...(tools.length > 0 && { tools }),
    ...(mode !== undefined && { toolConfig: { functionCallingConfig: { mode: CHOICES[mode] } } }),
  };
}

/**
 * The API wants the name of its tool with each result. Of the calls that a model makes together only the first has a signature, so where
 * one is signed, the others stay without.
 */
function contentsOf({ messages, model }: SampledRequest): readonly object[] {
  const names = new Map<string, string>();
  return messages.map(({ role, blocks }) => {
    const isSigned =
      NEEDS_NO_SIGNATURE.test(model) || blocks.some((block) => block.kind === "call" && typeof block.meta[SIGNATURE] === "string");
    for (const block of blocks) if (block.kind === "call") names.set(block.id, block.name);
    const parts = blocks.map((block) => partOf(block, isSigned, names));
    return { role: role === "assistant" ? "model" : "user", parts };
  });
}

function partOf(block: SampledBlock, isSigned: boolean, names: ReadonlyMap<string, string>): object {
  if (block.kind === "part") return mediaOf(block.part);
  if (block.kind === "result") {
    const { outcome } = block;
    return geminiResults([{ ...outcome, name: names.get(outcome.id) ?? outcome.name }]).parts[0]!; // one result for one outcome
  }
  const { id, name, input, meta } = block;
  const signature = isSigned ? meta[SIGNATURE] : NO_SIGNATURE;
  const call = { ...(!id.startsWith("#") && { id }), name, args: input };
  return { functionCall: call, ...(typeof signature === "string" && { thoughtSignature: signature }) };
}

function mediaOf(part: Part): object {
  return part.kind === "text" ? { text: part.text || "(empty)" } : { inlineData: { mimeType: part.mimeType, data: part.data } };
}
