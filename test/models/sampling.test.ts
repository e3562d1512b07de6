/** Sampling answered by a provider's API: messages, images, tools both ways, stop reasons, the choice of the model. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { connect, McpServer } from "tenon";
import type { SampleHandler } from "tenon/client";
import { pickModel, sampleWithAnthropic, sampleWithOpenAI, type SamplingOptions } from "tenon/models";
import { closing } from "../support/matrix.ts";
import { modelServer } from "./model-server.ts";
import type { Turn } from "./model-replies.ts";
import type { Json } from "./schema-rules.ts";
import { PIXEL } from "./tool-server.ts";

const providers: { readonly [name in "anthropic" | "openai"]: (baseURL: string, options: SamplingOptions) => SampleHandler } = {
  anthropic: (baseURL, options) => sampleWithAnthropic(new Anthropic({ baseURL, apiKey: "none", maxRetries: 0 }), options),
  openai: (baseURL, options) => sampleWithOpenAI(new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 }), options),
};

/** A server's tool samples with those params; resolves with the result and with what the provider got. */
async function sample(
  name: keyof typeof providers,
  params: object,
  turn: Turn,
  more: Partial<SamplingOptions> = {},
): Promise<{ result: Json; request: Json }> {
  const { url, requests } = await modelServer(name, [turn]);
  const server = new McpServer({ name: "s", version: "1" });
  server.tool("ask", {}, async (_input, ctx) =>
    JSON.stringify(await ctx.sample("model", { maxTokens: 50, ...params } as Parameters<typeof ctx.sample>[1])),
  );
  const client = await closing(
    connect(server, {
      onSample: providers[name](url, { model: ["small", "large"], ...more }),
      samplingCapabilities: { tools: {}, context: {} },
    }),
  );
  const { text, isError } = await client.callTool("ask");
  if (isError) throw new Error(text);
  return { result: JSON.parse(text) as Json, request: requests[0]! };
}

const user = (...content: readonly object[]): object => ({ role: "user", content: content.length === 1 ? content[0] : content });
const text = (words: string): object => ({ type: "text", text: words });

describe.each(["anthropic", "openai"] as const)("%s", (name) => {
  test("text and images go to the model that the server hints at, and its reply comes back", async () => {
    const notes: string[] = [];
    const image = { type: "image", data: PIXEL, mimeType: "image/png" };
    const params = {
      messages: [user(text("What is this?")), user(image)],
      systemPrompt: "Be short.",
      temperature: 0.5,
      modelPreferences: { hints: [{ name: "none" }, { name: "lar" }] },
      includeContext: "thisServer",
    };
    const { result, request } = await sample(name, params, { text: "A pixel." }, { onNote: (note) => notes.push(note) });
    expect(result).toEqual({ role: "assistant", model: "scripted-model", content: text("A pixel."), stopReason: "endTurn" });
    expect(request).toMatchObject({ model: "large", temperature: 0.5 });
    expect(JSON.stringify(request)).toMatch(/Be short/);
    expect(JSON.stringify(request)).toContain(PIXEL);
    expect(request[name === "anthropic" ? "max_tokens" : "max_output_tokens"]).toBe(50);
    expect(notes).toEqual(['includeContext "thisServer" is ignored']);
  });

  test("tools go both ways, under names that the API takes", async () => {
    const tools = [
      {
        name: "a.tool",
        description: "x",
        inputSchema: { type: "object", oneOf: [{ properties: { a: { type: "array" } }, required: ["a"] }] },
      },
    ];
    const messages = [
      user(text("go")),
      { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "a.tool", input: { a: [] } }] },
      user({ type: "tool_result", toolUseId: "c1", content: [text("seven"), { type: "image", data: PIXEL, mimeType: "image/png" }] }),
    ];
    const first = await sample(name, { messages, tools, toolChoice: { mode: "required" } }, { text: "Again.", calls: [] });
    const shown = /a_tool_\w+/.exec(JSON.stringify(first.request))![0];
    expect(first.request["tool_choice"]).toEqual(name === "anthropic" ? { type: "any" } : "required");
    expect(JSON.stringify(first.request)).toContain("seven");
    const { result } = await sample(name, { messages, tools }, { text: "Again.", calls: [{ id: "c2", name: shown, input: { a: [1] } }] });
    expect(result).toMatchObject({
      stopReason: "toolUse",
      content: [text("Again."), { type: "tool_use", id: "c2", name: "a.tool", input: { a: [1] } }],
    });
  });

  test("a reply that was cut says so, and maxTokens of the host is the most", async () => {
    const { result, request } = await sample(name, { messages: [user(text("go"))] }, { text: "I", cut: true }, { maxTokens: 7 });
    expect(result).toMatchObject({ stopReason: "maxTokens" });
    expect(JSON.stringify(request)).toMatch(/"max(?:_output)?_tokens":7/);
  });

  test("stop sequences reach the API, or cut the reply", async () => {
    const { result, request } = await sample(name, { messages: [user(text("go"))], stopSequences: ["END"] }, { text: "one END two" });
    if (name === "anthropic") expect(request).toMatchObject({ stop_sequences: ["END"] });
    else expect(result).toMatchObject({ content: text("one "), stopReason: "stopSequence" });
  });

  test("options are checked when it is made", () => {
    expect(() => providers[name]("http://localhost", {} as SamplingOptions)).toThrow('needs the option "model"');
    expect(() => providers[name]("http://localhost", { model: "m", modle: 1 } as SamplingOptions)).toThrow('Unknown option "modle"');
  });
});

test("hints choose among the models of the host only, in their order", () => {
  const models = ["claude-haiku", "claude-opus"];
  expect(pickModel(models, { hints: [{ name: "gpt" }, { name: "opus" }, { name: "haiku" }] })).toBe("claude-opus");
  expect(pickModel(models, { hints: [{ name: "gpt" }, {}] })).toBe("claude-haiku");
  expect(pickModel("one", { hints: [{ name: "two" }] })).toBe("one");
  expect(pickModel(({ speedPriority = 0 }) => (speedPriority > 0.5 ? "fast" : "slow"), { speedPriority: 1 })).toBe("fast");
  expect(() => pickModel([])).toThrow(TypeError);
});
