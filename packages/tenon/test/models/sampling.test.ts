/** Sampling answered by a provider's API: messages, images, tools both ways, stop reasons, the choice of the model. */
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { connect } from "tenon";
import type { SampleHandler } from "tenon/client";
import { pickModel, sampleWithAnthropic, sampleWithGemini, sampleWithOpenAI, type SamplingOptions } from "tenon/models";
import { closing } from "../support/matrix.ts";
import { modelServer } from "./model-server.ts";
import type { Turn } from "./model-replies.ts";
import type { Json } from "./schema-rules.ts";
import { PIXEL } from "./tool-server.ts";
import { testServer } from "../support/test-server.ts";

const providers: {
  readonly [name in "anthropic" | "openai" | "gemini"]: (baseURL: string, options: SamplingOptions) => SampleHandler;
} = {
  anthropic: (baseURL, options) => sampleWithAnthropic(new Anthropic({ baseURL, apiKey: "none", maxRetries: 0 }), options),
  openai: (baseURL, options) => sampleWithOpenAI(new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 }), options),
  gemini: (baseUrl, options) => sampleWithGemini(new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl } }), options),
};
/** What the request of each API calls the most tokens and the choice of tools. */
const MOST = { anthropic: "max_tokens", openai: "max_output_tokens", gemini: "maxOutputTokens" };
const REQUIRED = {
  anthropic: { tool_choice: { type: "any" } },
  openai: { tool_choice: "required" },
  gemini: { toolConfig: { functionCallingConfig: { mode: "ANY" } } },
};

const CHOICES = {
  auto: {
    anthropic: { tool_choice: { type: "auto" } },
    openai: { tool_choice: "auto" },
    gemini: { toolConfig: { functionCallingConfig: { mode: "AUTO" } } },
  },
  none: {
    anthropic: { tool_choice: { type: "none" } },
    openai: { tool_choice: "none" },
    gemini: { toolConfig: { functionCallingConfig: { mode: "NONE" } } },
  },
};

/** A server's tool samples with those params; resolves with the result and with what the provider got. */
async function sample(
  name: keyof typeof providers,
  params: object,
  turn: Turn,
  more: Partial<SamplingOptions> = {},
): Promise<{ result: Json; request: Json; path: string }> {
  const { url, requests, paths } = await modelServer(name, [turn]);
  const server = testServer();
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
  return { result: JSON.parse(text) as Json, request: requests[0]!, path: paths[0]! };
}

const user = (...content: readonly object[]): object => ({ role: "user", content: content.length === 1 ? content[0] : content });
const text = (words: string): object => ({ type: "text", text: words });

describe.each(["anthropic", "openai", "gemini"] as const)("%s", (name) => {
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
    const { result, request, path } = await sample(name, params, { text: "A pixel." }, { onNote: (note) => notes.push(note) });
    expect(result).toEqual({ role: "assistant", model: "scripted-model", content: text("A pixel."), stopReason: "endTurn" });
    const own = (request["generationConfig"] as Json | undefined) ?? request; // Gemini has most of it there
    expect(own).toMatchObject({ temperature: 0.5, [MOST[name]]: 50 });
    expect(name === "gemini" ? path : request["model"]).toContain("large");
    expect(JSON.stringify(request)).toMatch(/Be short/);
    expect(JSON.stringify(request)).toContain(PIXEL);
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
      user({
        type: "tool_result",
        toolUseId: "c1",
        content: [text("seven"), { type: "image", data: PIXEL, mimeType: "image/png" }],
      }),
    ];
    const first = await sample(name, { messages, tools, toolChoice: { mode: "required" } }, { text: "Again.", calls: [] });
    const shown = /a_tool_\w+/.exec(JSON.stringify(first.request))![0];
    expect(first.request).toMatchObject(REQUIRED[name]);
    expect(JSON.stringify(first.request)).toContain("seven");
    const { result } = await sample(
      name,
      { messages, tools },
      { text: "Again.", calls: [{ id: "c2", name: shown, input: { a: [1] } }] },
    );
    expect(result).toMatchObject({
      stopReason: "toolUse",
      content: [text("Again."), { type: "tool_use", id: "c2", name: "a.tool", input: { a: [1] } }],
    });
  });

  test.each(["auto", "none"] as const)("the choice of tools %s is the API's word for it", async (mode) => {
    const tools = [{ name: "t", inputSchema: { type: "object" } }];
    const { request } = await sample(
      name,
      { messages: [user(text("go"))], tools, toolChoice: { mode } },
      { text: "Done.", calls: [] },
    );
    expect(request).toMatchObject(CHOICES[mode][name]);
  });

  test("a reply that was cut says so, and maxTokens of the host is the most", async () => {
    const { result, request } = await sample(name, { messages: [user(text("go"))] }, { text: "I", cut: true }, { maxTokens: 7 });
    expect(result).toMatchObject({ stopReason: "maxTokens" });
    expect(JSON.stringify(request)).toContain(`"${MOST[name]}":7`);
  });

  test("stop sequences reach the API, or cut the reply", async () => {
    const { result, request } = await sample(
      name,
      { messages: [user(text("go"))], stopSequences: ["END"] },
      { text: "one END two" },
    );
    if (name === "anthropic") expect(request).toMatchObject({ stop_sequences: ["END"] });
    else if (name === "gemini") expect(request).toMatchObject({ generationConfig: { stopSequences: ["END"] } });
    else expect(result).toMatchObject({ content: text("one "), stopReason: "stopSequence" });
  });

  test("options are checked when it is made", () => {
    expect(() => providers[name]("http://localhost", {} as SamplingOptions)).toThrow('needs the option "model"');
    expect(() => providers[name]("http://localhost", { model: "m", modle: 1 } as SamplingOptions)).toThrow(
      'Unknown option "modle"',
    );
  });
});

test("Gemini's signatures and calls without ids go to the server and come back", async () => {
  const tools = [{ name: "seat", description: "x", inputSchema: { type: "object" } }];
  const called = await sample(
    "gemini",
    { messages: [user(text("go"))], tools },
    { calls: [{ id: "", name: "seat", input: {} }] },
  );
  const [use] = called.result["content"] as (Json & { id: string })[];
  expect(use).toMatchObject({ type: "tool_use", name: "seat", _meta: { "tenon/thoughtSignature": "c2lnbmF0dXJlIG9m" } });
  const result = { type: "tool_result", toolUseId: use!.id, content: [text("12A")] };
  const messages = [user(text("go")), { role: "assistant", content: [use] }, user(result)];
  const { request } = await sample("gemini", { messages, tools }, { text: "12A it is." });
  expect((request["contents"] as object[]).slice(1)).toEqual([
    { role: "model", parts: [{ functionCall: { name: "seat", args: {} }, thoughtSignature: "c2lnbmF0dXJlIG9m" }] },
    { role: "user", parts: [{ functionResponse: { name: "seat", response: { output: "12A" } } }] },
  ]);
});

test.each([
  ["gemini-2.5-flash", undefined],
  ["gemini-3-pro", "skip_thought_signature_validator"],
  ["gemini-10-flash", "skip_thought_signature_validator"],
])("a call that %s did not make has the signature %s", async (model, thoughtSignature) => {
  const use = { type: "tool_use", id: "call_1", name: "seat", input: {} };
  const result = { type: "tool_result", toolUseId: "call_1", content: [text("12A")] };
  const messages = [user(text("go")), { role: "assistant", content: [use] }, user(result)];
  const { request } = await sample("gemini", { messages }, { text: "x" }, { model });
  const [, { parts = [] } = {}] = request["contents"] as { parts?: object[] }[];
  expect(parts[0]).toEqual({
    functionCall: { id: "call_1", name: "seat", args: {} },
    ...(thoughtSignature && { thoughtSignature }),
  });
});

test("Gemini takes five stop sequences, and a note tells of more", async () => {
  const notes: string[] = [];
  const params = { messages: [user(text("go"))], stopSequences: ["1", "2", "3", "4", "5", "6"] };
  const { request } = await sample("gemini", params, { text: "x" }, { onNote: (note) => notes.push(note) });
  expect(request["generationConfig"]).toMatchObject({ stopSequences: ["1", "2", "3", "4", "5"] });
  expect(notes).toEqual(["only the first 5 of 6 stopSequences are used: the API takes no more"]);
});

test("a prompt that Gemini blocks is an empty text with the API's reason", async () => {
  const { result } = await sample("gemini", { messages: [user(text("go"))] }, { blocked: "SAFETY" });
  expect(result).toMatchObject({ content: text(""), stopReason: "SAFETY" });
});

test("hints choose among the models of the host only, in their order", () => {
  const models = ["claude-haiku", "claude-opus"];
  expect(pickModel(models, { hints: [{ name: "gpt" }, { name: "opus" }, { name: "haiku" }] })).toBe("claude-opus");
  expect(pickModel(models, { hints: [{ name: "gpt" }, {}] })).toBe("claude-haiku");
  expect(pickModel("one", { hints: [{ name: "two" }] })).toBe("one");
  expect(pickModel(({ speedPriority = 0 }) => (speedPriority > 0.5 ? "fast" : "slow"), { speedPriority: 1 })).toBe("fast");
  expect(() => pickModel([])).toThrow(TypeError);
});
