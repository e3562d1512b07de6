/** The loop over each provider's SDK and streams: turns, events, limits, abort. */
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { connect, type Client } from "tenon";
import {
  anthropicMessages,
  geminiContents,
  loop,
  openaiChat,
  openaiResponses,
  type LoopEvent,
  type LoopOptions,
  type ModelProvider,
} from "tenon/models";
import { VirtualClock } from "tenon/testing";
import { closing } from "../support/matrix.ts";
import { modelServer } from "./model-server.ts";
import type { Turn } from "./model-replies.ts";
import type { Provider } from "./schema-rules.ts";
import { toolServer } from "./tool-server.ts";

const source = (): Promise<Client> => closing(connect(toolServer(), { validateOutput: false }));
const model = "m";
const providers: { readonly [name in "anthropic" | "openai" | "chat" | "gemini"]: (baseURL: string) => ModelProvider<object> } = {
  anthropic: (baseURL) =>
    anthropicMessages(new Anthropic({ baseURL, apiKey: "none", maxRetries: 0 }), { model, system: "Be short." }),
  openai: (baseURL) => openaiResponses(new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 }), { model, system: "Be short." }),
  chat: (baseURL) => openaiChat(new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 }), { model, system: "Be short." }),
  gemini: (baseUrl) =>
    geminiContents(new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl } }), { model, system: "Be short." }),
};
const question = (name: keyof typeof providers): object =>
  name === "gemini" ? { role: "user", parts: [{ text: "go" }] } : { role: "user", content: "go" };

/** All events of a loop against that script. */
async function run(
  name: keyof typeof providers,
  turns: readonly Turn[],
  more: Partial<LoopOptions<object>> = {},
): Promise<LoopEvent<object>[]> {
  const { url } = await modelServer(name satisfies Provider, turns);
  const events: LoopEvent<object>[] = [];
  const options = { provider: providers[name](url), tools: await source(), messages: [question(name)], ...more };
  for await (const event of loop(options)) events.push(event);
  return events;
}

const call = { id: "c1", name: "add", input: { a: 1, b: 2 } };
const named = (events: readonly LoopEvent<object>[], type: string): readonly LoopEvent<object>[] =>
  events.filter((event) => event.type === type);

describe.each(["anthropic", "openai", "chat", "gemini"] as const)("%s", (name) => {
  test("text comes in pieces, calls and results as they happen, and the whole conversation at the end", async () => {
    const escaped = { id: "c2", name: "union", input: { name: 'a "quoted" \\ line\nü' } };
    const events = await run(name, [{ text: "I look.", calls: [call, escaped] }, { text: "It is 3." }]);
    expect(named(events, "text").length).toBeGreaterThan(2);
    expect(
      named(events, "text")
        .map((event) => (event as { text: string }).text)
        .join(""),
    ).toBe("I look.It is 3.");
    expect(named(events, "call")).toMatchObject([
      { call: { id: "c1", name: "add", arguments: { a: 1, b: 2 } } },
      { call: { id: "c2", arguments: escaped.input } },
    ]);
    expect(named(events, "result")).toMatchObject([
      { id: "c1", isError: false, text: "3" },
      { id: "c2", isError: false, text: JSON.stringify(escaped.input) },
    ]);
    expect(events.at(-1)).toMatchObject({ type: "end", reason: "done", tokens: 30, outputTokens: 10 });
    const { messages } = events.at(-1) as { messages: readonly object[] }; // the last event has them
    expect(messages.length).toBeGreaterThan(3);
    expect(JSON.stringify(messages[0])).toContain("go");
  });

  test.each([
    ["were cut", '{"a":1,"b'],
    ["are a list", "[1]"],
    ["are a number", "1"],
    ["are a text", '"a"'],
    ["are true", "true"],
  ])("arguments that %s are an error for the model", async (_how, input) => {
    const cut = { id: "c1", name: "add", input };
    const events = await run(name, [{ calls: [cut] }, { text: "Sorry." }]);
    expect(named(events, "result")).toMatchObject([{ id: "c1", isError: true, text: "The arguments are not a JSON object" }]);
    expect(events.at(-1)).toMatchObject({ reason: "done" });
  });

  test("it ends after its turns, and the calls that were not made have results", async () => {
    const events = await run(name, [{ calls: [call] }], { maxTurns: 3 });
    expect(named(events, "result")).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({ type: "end", reason: "maxTurns" });
    expect(JSON.stringify(events.at(-1))).toContain('Not called: the limit \\"maxTurns\\" is reached');
  });

  test("it ends when its tokens are used, to the last one", async () => {
    expect((await run(name, [{ calls: [call] }], { maxTokens: 15 })).at(-1)).toMatchObject({ reason: "maxTokens", tokens: 15 });
    expect((await run(name, [{ calls: [call] }], { maxTokens: 16 })).at(-1)).toMatchObject({ reason: "maxTokens", tokens: 30 });
    expect((await run(name, [{ calls: [call] }], { maxTokens: 20 })).at(-1)).toMatchObject({ reason: "maxTokens", tokens: 30 });
  });

  test("an abort ends it with the reason, in the middle of a call too", async () => {
    const abort = new AbortController();
    const approve = (): boolean => {
      queueMicrotask(() => abort.abort(new Error("enough")));
      return true;
    };
    const waits = { id: "c1", name: "waits", input: {} };
    await expect(run(name, [{ calls: [waits] }], { signal: abort.signal, approve })).rejects.toThrow("enough");
  });

  test("its time ends it, and every call has a result", async () => {
    const clock = new VirtualClock();
    const approve = async (): Promise<boolean> => {
      queueMicrotask(() => void clock.advance(1_000));
      return true;
    };
    const waits = { id: "c1", name: "waits", input: {} };
    const events = await run(name, [{ calls: [waits] }], { maxTime: 1_000, clock, approve });
    expect(named(events, "result")).toMatchObject([{ isError: true, text: "Cancelled" }]);
    expect(events.at(-1)).toMatchObject({ reason: "maxTime" });
  });

  test("a request that the API refuses rejects with its error", async () => {
    await expect(
      run(name, [{ text: "x" }], {
        messages: [
          {
            role: "tool",
            type: "function_call_output",
            call_id: "no",
            tool_call_id: "no",
            content: [{ type: "tool_result", tool_use_id: "no" }],
            parts: [{ functionResponse: { id: "no", name: "no", response: {} } }],
          },
        ],
      }),
    ).rejects.toThrow(/400/);
  });
});

test("Gemini gets its signatures back, thoughts are no text, calls may lack ids, request parameters are added", async () => {
  const { url, requests } = await modelServer("gemini", [
    { thought: "Hm.", text: "I look.", calls: [{ ...call, id: "" }, call] },
    { text: "It is 3." },
  ]);
  const request = { config: { temperature: 0.5 }, cachedContent: "none" };
  const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: url } });
  const provider = geminiContents(client, { model, system: "Be short.", maxTokens: 50, request });
  const events: LoopEvent<object>[] = [];
  for await (const event of loop({ provider, tools: await source(), messages: [question("gemini")] })) events.push(event);
  expect(requests[0]).toMatchObject({ generationConfig: { temperature: 0.5, maxOutputTokens: 50 } });
  expect(JSON.stringify(requests[0]!["systemInstruction"])).toContain("Be short.");
  const texts = named(events, "text") as readonly { text: string }[]; // events of this type
  expect(texts.map(({ text }) => text).join("")).toBe("I look.It is 3.");
  const [, said, results] = requests[1]!["contents"] as { role: string; parts: object[] }[];
  expect(said).toMatchObject({
    role: "model",
    parts: [
      { text: "Hm.", thought: true },
      { text: "I look." },
      { thoughtSignature: "c2lnbmF0dXJlIG9m" },
      { thoughtSignature: "c2lnbmF0dXJlIG9mc1" },
    ],
  });
  const add = { name: "add", response: { output: "3" } };
  expect(results!.parts).toEqual([{ functionResponse: add }, { functionResponse: { id: "c1", ...add } }]);
});

test("a prompt that Gemini blocks ends the loop with the API's reason", async () => {
  const end = (await run("gemini", [{ blocked: "SAFETY" }])).at(-1);
  expect(end).toMatchObject({ reason: "done", stopReason: "SAFETY" });
  expect((end as { messages: readonly object[] }).messages).toHaveLength(1);
});

test.each([
  ["an unknown option", { turns: 3 }, 'Unknown option "turns" of loop()'],
  ["turns below one", { maxTurns: 0 }, '"maxTurns" must be a whole number above 0: 0'],
])("%s is refused", async (_title, more, message) => {
  await expect(run("chat", [{ text: "x" }], more as Partial<LoopOptions<object>>)).rejects.toThrow(message);
});
