/** Anthropic's Messages API for `loop()`: asks with a stream, and puts the reply together from its events. */
import { jsonIn } from "../../jsonrpc/parse-json.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { profiles } from "../schema/profile.ts";
import type { RawCall } from "../tool-kit.ts";
import { anthropicDefinitions, anthropicResults } from "./anthropic.ts";
import * as provider from "./model-provider.ts";

/** The part of Anthropic's client that is used. */
export interface AnthropicClient {
  /** Its `messages` with `create`. */
  readonly messages: { readonly create: provider.CreateFunction };
}

/** Claude for {@link loop}: `anthropicMessages(new Anthropic(), { model: "claude-sonnet-5-5" })`. */
export function anthropicMessages<Message = object>(
  client: AnthropicClient,
  options: provider.ProviderOptions,
): provider.ModelProvider<Message> {
  const { model, maxTokens = provider.DEFAULT_MAX_TOKENS, system, request = {} } = options;
  return {
    profiles: { usual: profiles.anthropic, strict: profiles.anthropicStrict },
    // The messages of this API are what its parts make.
    userMessage: (text) => ({ role: "user", content: text }) as Message,
    results: (outcomes) => [anthropicResults(outcomes) as Message],
    async *ask({ kit, messages, signal }) {
      const tools = anthropicDefinitions(kit);
      const body = { model, max_tokens: maxTokens, ...(system !== undefined && { system }), messages, tools, ...request, stream: true };
      const reply = new AnthropicReply();
      for await (const event of provider.eventsOf(client.messages, client.messages.create, body, signal)) {
        const text = reply.take(event);
        if (text !== undefined) yield text;
      }
      return { ...reply.whole(), messages: [{ role: "assistant", content: reply.content } as Message] };
    },
  };
}

/** One message, while its events come. */
class AnthropicReply {
  readonly content: JsonObject[] = [];
  readonly #inputs = new Map<number, string>();
  #stopReason = "";
  #tokens = 0;
  #outputTokens = 0;

  /** Takes an event. Returns the text that it brings. */
  take(event: JsonObject): string | undefined {
    const { type, index } = event;
    if (type === "message_start") this.#count(provider.objectAt(provider.objectAt(event, "message"), "usage"));
    if (type === "message_delta") {
      this.#stopReason = String(provider.objectAt(event, "delta")["stop_reason"]);
      this.#outputTokens += provider.numberAt(provider.objectAt(event, "usage"), "output_tokens");
    }
    if (typeof index !== "number") return undefined;
    if (type === "content_block_start") this.content[index] = { ...provider.objectAt(event, "content_block") };
    if (type === "content_block_stop") this.#finish(index);
    return type === "content_block_delta" ? this.#add(index, provider.objectAt(event, "delta")) : undefined;
  }

  #count(usage: JsonObject): void {
    for (const key of ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"])
      this.#tokens += provider.numberAt(usage, key);
  }

  #add(index: number, delta: JsonObject): string | undefined {
    const block = this.content[index] ?? {};
    for (const key of ["text", "thinking", "signature"]) {
      if (typeof delta[key] === "string") block[key] = provider.textAt(block, key) + delta[key];
    }
    if (typeof delta["partial_json"] === "string") this.#inputs.set(index, (this.#inputs.get(index) ?? "") + delta["partial_json"]);
    return typeof delta["text"] === "string" ? delta["text"] : undefined;
  }

  /** The API wants an object as input, also of a call whose text was cut. */
  #finish(index: number): void {
    const block = this.content[index];
    if (block === undefined || !("input" in block)) return;
    const input = jsonIn(this.#inputs.get(index) ?? "");
    block["input"] = isJsonObject(input) ? input : {};
  }

  whole(): { calls: readonly RawCall[]; tokens: number; outputTokens: number; stopReason: string } {
    const calls = this.content.flatMap(({ type, id, name }, index) =>
      type === "tool_use" ? [{ id: String(id), name: String(name), input: this.#inputs.get(index) ?? "" }] : [],
    );
    const outputTokens = this.#outputTokens;
    return { calls, tokens: this.#tokens + outputTokens, outputTokens, stopReason: this.#stopReason };
  }
}
