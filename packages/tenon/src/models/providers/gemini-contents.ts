/** The Gemini API for `loop()`: asks with a stream, and puts the content together from its chunks. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { profiles } from "../schema/profile.ts";
import { geminiCalls, geminiDefinitions, geminiResults } from "./gemini.ts";
import * as provider from "./model-provider.ts";

/** The part of Google's client that is used. */
export interface GeminiClient {
  /** Its `models` with `generateContent` and `generateContentStream`. */
  readonly models: { readonly generateContent: provider.CreateFunction; readonly generateContentStream: provider.CreateFunction };
}

/**
 * Gemini for {@link loop}: `geminiContents(new GoogleGenAI({ apiKey }), { model: "gemini-2.5-flash" })`. Messages are contents:
 * `{ role: "user", parts: [{ text: "…" }] }`. The members of `config` in the option `request` are added to those that are made here.
 */
export function geminiContents<Message = object>(client: GeminiClient, options: provider.ProviderOptions): provider.ModelProvider<Message> {
  const { model, maxTokens, system, request = {} } = options;
  const own = {
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(system !== undefined && { systemInstruction: system }),
    ...provider.objectAt(request as JsonObject, "config"),
  };
  return {
    profiles: { usual: profiles.gemini },
    // The contents of this API are what its parts make.
    userMessage: (text) => ({ role: "user", parts: [{ text }] }) as Message,
    results: (outcomes) => [geminiResults(outcomes) as Message],
    async *ask({ kit, messages, signal }) {
      const config = { tools: geminiDefinitions(kit), ...own, abortSignal: signal };
      const body = { model, contents: messages, ...request, config };
      const reply = new GeminiReply();
      const { models } = client;
      for await (const chunk of provider.eventsOf(models, models.generateContentStream, body, signal)) yield* reply.take(chunk);
      const { parts, tokens, outputTokens, stopReason } = reply;
      const said = parts.length === 0 ? [] : [{ role: "model", parts } as Message]; // the API refuses a content without parts
      return { messages: said, calls: geminiCalls({ parts }, `${messages.length}.`), tokens, outputTokens, stopReason };
    },
  };
}

/** One content, while its chunks come. */
class GeminiReply {
  readonly parts: JsonObject[] = [];
  tokens = 0;
  outputTokens = 0;
  stopReason = "";

  /** Takes a chunk. Gives the text that it brings; thoughts are not text. */
  *take(chunk: JsonObject): Generator<string> {
    // Each chunk counts all tokens so far.
    const usage = provider.objectAt(chunk, "usageMetadata");
    this.tokens = provider.numberAt(usage, "totalTokenCount") || this.tokens;
    // Thoughts are paid as output, and counted apart from what is said.
    this.outputTokens =
      provider.numberAt(usage, "candidatesTokenCount") + provider.numberAt(usage, "thoughtsTokenCount") || this.outputTokens;
    this.stopReason = geminiStop(chunk) || this.stopReason;
    for (const part of geminiParts(chunk)) {
      this.#add(part);
      if (isSpoken(part)) yield provider.textAt(part, "text");
    }
  }

  /** Pieces of one text become one part. All other parts stay as they are, because a signature belongs to its part. */
  #add(part: JsonObject): void {
    const last = this.parts.at(-1);
    if (last !== undefined && isPlainText(last) && isPlainText(part))
      last["text"] = provider.textAt(last, "text") + provider.textAt(part, "text");
    else this.parts.push({ ...part });
  }
}

function isPlainText(part: JsonObject): boolean {
  return typeof part["text"] === "string" && Object.keys(part).length === 1;
}

function isSpoken(part: JsonObject): boolean {
  return part["thought"] !== true && provider.textAt(part, "text") !== "";
}

export function geminiParts(response: JsonObject): readonly JsonObject[] {
  const [candidate = {}] = provider.listAt(response, "candidates");
  return provider.listAt(provider.objectAt(candidate, "content"), "parts");
}

/** The text of a response, without thoughts. */
export function geminiText(response: JsonObject): string {
  return geminiParts(response)
    .filter(isSpoken)
    .map((part) => provider.textAt(part, "text"))
    .join("");
}

/** Why the model stopped, in the API's words; why the request was blocked, if it was; empty if the response does not end here. */
export function geminiStop(response: JsonObject): string {
  const [candidate = {}] = provider.listAt(response, "candidates");
  return provider.textAt(candidate, "finishReason") || provider.textAt(provider.objectAt(response, "promptFeedback"), "blockReason");
}
