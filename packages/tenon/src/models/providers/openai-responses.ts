/** OpenAI's Responses API for `loop()`: asks with a stream, whose last event has the whole response. */
import { McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { profiles } from "../schema/profile.ts";
import * as provider from "./model-provider.ts";
import { openaiCalls, openaiDefinitions, openaiOutputs } from "./openai.ts";

/** The part of OpenAI's client that is used. */
export interface OpenAIClient {
  /** Its `responses` with `create`. */
  readonly responses: { readonly create: provider.CreateFunction };
}

/** A model of OpenAI for {@link loop}, over the Responses API: `openaiResponses(new OpenAI(), { model: "gpt-5-mini" })`. */
export function openaiResponses<Message = object>(
  client: OpenAIClient,
  options: provider.ProviderOptions,
): provider.ModelProvider<Message> {
  const { model, maxTokens, system, request = {} } = options;
  const own = {
    model,
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    ...(system !== undefined && { instructions: system }),
  };
  return {
    profiles: { usual: profiles.openai, strict: profiles.openaiStrict },
    userMessage: (text) => ({ role: "user", content: text }) as Message, // a message of this API
    results: (outcomes) => openaiOutputs(outcomes) as Message[], // the items of this API
    async *ask({ kit, messages, signal }) {
      const body = { ...own, input: messages, tools: openaiDefinitions(kit), ...request, stream: true };
      let response: JsonObject | undefined;
      for await (const event of provider.eventsOf(client.responses, client.responses.create, body, signal)) {
        const { type, delta } = event;
        if (type === "response.output_text.delta" && typeof delta === "string") yield delta;
        if (type === "response.completed" || type === "response.incomplete" || type === "response.failed")
          response = provider.objectAt(event, "response");
      }
      return toReply<Message>(response);
    },
  };
}

/** @throws McpError if the response failed, or its stream ended before it */
function toReply<Message>(response: JsonObject | undefined): provider.ModelReply<Message> {
  if (response === undefined) throw new McpError(-32603, "The stream of the model's API ended before its response");
  const { status } = response;
  if (status === "failed")
    throw new McpError(-32603, provider.textAt(provider.objectAt(response, "error"), "message") || "The model's API failed");
  const output = provider.listAt(response, "output");
  const reason = provider.objectAt(response, "incomplete_details")["reason"];
  return {
    messages: output as readonly unknown[] as readonly Message[], // items of a response are items of the next input
    calls: openaiCalls(output),
    tokens: provider.numberAt(provider.objectAt(response, "usage"), "total_tokens"),
    outputTokens: provider.numberAt(provider.objectAt(response, "usage"), "output_tokens"),
    stopReason: String(reason ?? status),
  };
}
