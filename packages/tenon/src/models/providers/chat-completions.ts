/** The Chat Completions API for `loop()`: asks with a stream, and puts the message together from its chunks. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { profiles } from "../schema/profile.ts";
import * as provider from "./model-provider.ts";
import { chatCalls, chatDefinitions, chatResults } from "./openai-chat.ts";

/** The part of a client of the Chat Completions API that is used. */
export interface ChatClient {
  /** Its `chat.completions` with `create`. */
  readonly chat: { readonly completions: { readonly create: provider.CreateFunction } };
}

/** A model for {@link loop}, over the Chat Completions API: `openaiChat(new OpenAI(), { model: "gpt-5-mini" })`. */
export function openaiChat<Message = object>(client: ChatClient, options: provider.ProviderOptions): provider.ModelProvider<Message> {
  const { model, maxTokens, system, request = {} } = options;
  const own = { model, ...(maxTokens !== undefined && { max_completion_tokens: maxTokens }), stream_options: { include_usage: true } };
  return {
    profiles: { usual: profiles.openai, strict: profiles.openaiStrict },
    userMessage: (text) => ({ role: "user", content: text }) as Message, // a message of this API
    results: (outcomes) => chatResults(outcomes) as Message[], // the messages of this API
    async *ask({ kit, messages, signal }) {
      const all = system === undefined ? messages : [{ role: "system", content: system }, ...messages];
      const tools = chatDefinitions(kit);
      const body = { ...own, messages: all, ...(tools.length > 0 && { tools }), ...request, stream: true };
      const reply = new ChatReply();
      const { completions } = client.chat;
      for await (const chunk of provider.eventsOf(completions, completions.create, body, signal)) {
        const text = reply.take(chunk);
        if (text !== undefined) yield text;
      }
      return { ...reply.whole(), messages: [reply.message as Message] };
    },
  };
}

/** One message, while its chunks come. */
class ChatReply {
  #text = "";
  #tokens = 0;
  #outputTokens = 0;
  #stopReason = "";
  readonly #calls: { id: string; type: "function"; function: { name: string; arguments: string } }[] = [];

  take(chunk: JsonObject): string | undefined {
    const usage = provider.objectAt(chunk, "usage");
    this.#tokens += provider.numberAt(usage, "total_tokens");
    this.#outputTokens += provider.numberAt(usage, "completion_tokens");
    const [choice] = provider.listAt(chunk, "choices");
    if (choice === undefined) return undefined;
    if (typeof choice["finish_reason"] === "string") this.#stopReason = choice["finish_reason"];
    const delta = provider.objectAt(choice, "delta");
    for (const part of provider.listAt(delta, "tool_calls")) this.#add(part);
    const { content } = delta;
    if (typeof content !== "string" || content === "") return undefined;
    this.#text += content;
    return content;
  }

  #add(part: JsonObject): void {
    const index = provider.numberAt(part, "index");
    const call = (this.#calls[index] ??= { id: "", type: "function", function: { name: "", arguments: "" } });
    const { name, arguments: text } = provider.objectAt(part, "function");
    if (typeof part["id"] === "string") call.id ||= part["id"];
    if (typeof name === "string") call.function.name ||= name;
    if (typeof text === "string") call.function.arguments += text;
  }

  get message(): object {
    const calls = this.#calls.filter((call) => call !== undefined);
    return { role: "assistant", content: this.#text || null, ...(calls.length > 0 && { tool_calls: calls }) };
  }

  whole(): Pick<provider.ModelReply<never>, "calls" | "tokens" | "outputTokens" | "stopReason"> {
    const calls = chatCalls(this.#calls.filter((call) => call !== undefined));
    return { calls, tokens: this.#tokens, outputTokens: this.#outputTokens, stopReason: this.#stopReason };
  }
}
