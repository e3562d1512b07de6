/** Replies that come in pieces, or in another form than the API promises, are put together as far as they go. */
import { describe, expect, test } from "vitest";
import { connect, type Client, type JsonObject } from "tenon";
import { anthropicMessages, loop, openaiChat, type LoopEnd, type ModelProvider } from "tenon/models";
import { closing } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

type Event = JsonObject | string | null;

/** A client of an SDK whose streams are these events, one list a request, and what it was asked. */
function scripted(...replies: readonly (readonly Event[])[]) {
  const requests: JsonObject[] = [];
  const create = (body: JsonObject): AsyncIterable<Event> => {
    const events = replies[requests.length] ?? [];
    requests.push(structuredClone({ ...body, tools: body["tools"] === undefined ? undefined : "tools" }));
    return (async function* () {
      yield* events;
    })();
  };
  return { requests, messages: { create }, chat: { completions: { create } } };
}

async function source(): Promise<Client> {
  const server = testServer();
  server.tool("echo", { input: { type: "object" } }, (input: unknown) => JSON.stringify(input));
  return closing(connect(server));
}

type End = Pick<LoopEnd<JsonObject>, "messages" | "tokens" | "stopReason"> & { readonly text: string };

async function end(provider: ModelProvider<JsonObject>, signal = new AbortController().signal): Promise<End> {
  let text = "";
  for await (const event of loop({ provider, tools: await source(), messages: [{ role: "user", content: "go" }], signal })) {
    if (event.type === "text") text += event.text;
    if (event.type === "end") return { text, messages: event.messages, tokens: event.tokens, stopReason: event.stopReason };
  }
  throw new Error("The loop had no end");
}

describe("Anthropic's events", () => {
  const use = (index: number, id: string): JsonObject => ({
    type: "content_block_start",
    index,
    content_block: { type: "tool_use", id, name: "echo", input: {} },
  });
  const delta = (index: number, part: JsonObject): JsonObject => ({ type: "content_block_delta", index, delta: part });
  const stop = (index: number): JsonObject => ({ type: "content_block_stop", index });
  const usage = (tokens: number): JsonObject => ({
    type: "message_delta",
    delta: { stop_reason: "end_turn" },
    usage: { output_tokens: tokens },
  });

  test("are one message with its thoughts, signatures, texts and inputs, and all tokens count", async () => {
    const counted = { input_tokens: 1, cache_creation_input_tokens: 10, cache_read_input_tokens: 100, output_tokens: 5_000 };
    const client = scripted(
      [
        { type: "message_start", message: { usage: counted } },
        { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
        ...["I ", "think"].map((thinking) => delta(0, { thinking })),
        ...["sig", "nature"].map((signature) => delta(0, { signature })),
        stop(0),
        { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
        ...["Let ", "me"].map((text) => delta(1, { text })),
        stop(1),
        use(2, "c1"),
        ...['{"a"', ":1}"].map((partial_json) => delta(2, { partial_json })),
        stop(2),
        use(3, "c2"),
        stop(3),
        "no event",
        null,
        { type: "ping" },
        { ...usage(1_000), delta: { stop_reason: "tool_use" } },
      ],
      [
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "D" } },
        delta(0, { text: "one" }),
        stop(0),
        usage(2_000),
      ],
    );
    const provider = anthropicMessages<JsonObject>(client, {
      model: "m",
      system: "Be short.",
      maxTokens: 7,
      request: { top_k: 3, model: "other" },
    });
    const { text, messages, tokens, stopReason } = await end(provider);
    expect([text, tokens, stopReason]).toEqual(["Let meone", 3_111, "end_turn"]);
    expect(messages[1]).toEqual({
      role: "assistant",
      content: [
        { type: "thinking", thinking: "I think", signature: "signature" },
        { type: "text", text: "Let me" },
        { type: "tool_use", id: "c1", name: "echo", input: { a: 1 } },
        { type: "tool_use", id: "c2", name: "echo", input: {} },
      ],
    });
    expect(JSON.stringify(messages[2])).toContain('{\\"a\\":1}');
    expect(messages.at(-1)).toEqual({ role: "assistant", content: [{ type: "text", text: "Done" }] });
    expect(client.requests[0]).toEqual({
      ...{ model: "other", max_tokens: 7, system: "Be short.", top_k: 3, stream: true, tools: "tools" },
      messages: [{ role: "user", content: "go" }],
    });
  });

  test.each<[string, string, JsonObject]>([
    ["that were cut", '{"a":', {}],
    ["that are a list", "[1]", {}],
    ["that are nothing", "", {}],
  ])("inputs %s are an empty object in the next request", async (_how, partial_json, input) => {
    const client = scripted([use(0, "c1"), delta(0, { partial_json }), stop(0), usage(1)], [usage(1)]);
    const { messages } = await end(anthropicMessages<JsonObject>(client, { model: "m" }));
    expect(messages[1]).toMatchObject({ content: [{ type: "tool_use", input }] });
    expect(client.requests[0]).toMatchObject({ max_tokens: 4_096 });
    expect(client.requests[0]).not.toHaveProperty("system");
  });

  test("without their parts, or of a block that has not begun, stop nothing", async () => {
    const client = scripted([
      { type: "message_start" },
      delta(4, { text: "x" }),
      stop(5),
      { type: "content_block_delta" },
      { type: "message_delta" },
    ]);
    expect(await end(anthropicMessages<JsonObject>(client, { model: "m" }))).toMatchObject({ text: "x", tokens: 0 });
  });
});

describe("chunks of Chat Completions", () => {
  const chunk = (delta: JsonObject, more: JsonObject = {}): JsonObject => ({ choices: [{ delta, ...more }] });
  const part = (index: number, call: JsonObject): JsonObject => chunk({ tool_calls: [{ index, ...call }] });

  test("are one message: texts and arguments are joined, ids and names count once, calls have their places", async () => {
    const client = scripted(
      [
        chunk({ content: "I " }),
        chunk({ content: "" }),
        chunk({ content: "look" }),
        part(1, { id: "c2", function: { name: "echo", arguments: "{}" } }),
        part(0, { id: "c1", function: { name: "echo", arguments: '{"a"' } }),
        part(0, { id: "other", function: { name: "other", arguments: ":1}" } }),
        chunk({}, { finish_reason: "tool_calls" }),
        chunk({}, { finish_reason: null }),
        { choices: [] },
        { choices: [], usage: { total_tokens: 11 } },
      ],
      [chunk({ content: "Done" }), chunk({}, { finish_reason: "stop" }), { usage: { total_tokens: 100 } }],
    );
    const { text, messages, tokens, stopReason } = await end(
      openaiChat<JsonObject>(client, { model: "m", system: "Be short.", maxTokens: 7, request: { seed: 3 } }),
    );
    expect([text, tokens, stopReason]).toEqual(["I lookDone", 111, "stop"]);
    expect(messages[1]).toEqual({
      role: "assistant",
      content: "I look",
      tool_calls: [
        { id: "c1", type: "function", function: { name: "echo", arguments: '{"a":1}' } },
        { id: "c2", type: "function", function: { name: "echo", arguments: "{}" } },
      ],
    });
    expect(messages.at(-1)).toEqual({ role: "assistant", content: "Done" });
    expect(client.requests[0]).toEqual({
      ...{ model: "m", max_completion_tokens: 7, stream_options: { include_usage: true }, seed: 3, stream: true, tools: "tools" },
      messages: [
        { role: "system", content: "Be short." },
        { role: "user", content: "go" },
      ],
    });
  });

  test("that leave a place out, have no text and no end are a message as far as they go", async () => {
    const client = scripted(
      [part(2, { id: "c", function: { name: "echo", arguments: "{}" } })],
      [chunk({ content: 7, tool_calls: "none" })],
    );
    const { messages, stopReason, tokens } = await end(openaiChat<JsonObject>(client, { model: "m" }));
    expect(messages[1]).toMatchObject({ content: null, tool_calls: [{ id: "c" }] });
    expect([messages.at(-1), stopReason, tokens]).toEqual([{ role: "assistant", content: null }, "", 0]);
    expect(client.requests[0]).not.toHaveProperty("max_completion_tokens");
    expect(client.requests[0]!["messages"]).toEqual([{ role: "user", content: "go" }]);
  });
});
