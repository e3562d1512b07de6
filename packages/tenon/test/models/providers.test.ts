/**
 * Tools and results in each provider's form, through the provider's own SDK, against a server that refuses what the API refuses.
 */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { ClientSessionGroup } from "tenon/group";
import { connect, type Client } from "tenon";
import { toAnthropic, toOpenAI, toOpenAIChat, type ModelToolOptions, type RunOptions } from "tenon/models";
import { closing } from "../support/matrix.ts";
import { modelServer } from "./model-server.ts";
import type { Turn } from "./model-replies.ts";
import type { Json, Provider } from "./schema-rules.ts";
import { PIXEL, toolServer } from "./tool-server.ts";
import { testServer } from "../support/test-server.ts";

const source = (): Promise<Client> => closing(connect(toolServer(), { validateOutput: false }));

interface Conversation {
  readonly requests: readonly Json[];
  /** What the model said last. */
  readonly words: string;
}
/** Asks the model, runs its calls once, and tells it the results. */
type Converse = (turns: readonly Turn[], options?: ModelToolOptions, run?: RunOptions) => Promise<Conversation>;

const anthropic: Converse = async (turns, options, how) => {
  const { url, requests } = await modelServer("anthropic", turns);
  const client = new Anthropic({ baseURL: url, apiKey: "none", maxRetries: 0 });
  const { tools, run } = await toAnthropic(await source(), options);
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "go" }];
  const first = await client.messages.create({ model: "m", max_tokens: 100, tools, messages });
  messages.push({ role: "assistant", content: first.content }, await run(first, how));
  const { content } = await client.messages.create({ model: "m", max_tokens: 100, tools, messages });
  return { requests, words: content.map((block) => (block.type === "text" ? block.text : "")).join("") };
};
const openai: Converse = async (turns, options, how) => {
  const { url, requests } = await modelServer("openai", turns);
  const client = new OpenAI({ baseURL: url, apiKey: "none", maxRetries: 0 });
  const { tools, run } = await toOpenAI(await source(), options);
  const first = await client.responses.create({ model: "m", input: "go", tools });
  const input = await run(first, how);
  const { output_text: words } = await client.responses.create({ model: "m", previous_response_id: first.id, input, tools });
  return { requests, words };
};
const chat: Converse = async (turns, options, how) => {
  const { url, requests } = await modelServer("chat", turns);
  const client = new OpenAI({ baseURL: url, apiKey: "none", maxRetries: 0 });
  const { tools, run } = await toOpenAIChat(await source(), options);
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "go" }];
  const { message } = (await client.chat.completions.create({ model: "m", messages, tools })).choices[0]!;
  messages.push(message, ...(await run(message, how)));
  const last = await client.chat.completions.create({ model: "m", messages, tools });
  return { requests, words: last.choices[0]!.message.content ?? "" };
};
const PROVIDERS: readonly (readonly [Provider, Converse])[] = [
  ["anthropic", anthropic],
  ["openai", openai],
  ["chat", chat],
];

const call = (id: string, name: string, input: Json | string = {}): NonNullable<Turn["calls"]>[number] => ({ id, name, input });
const calling = (...calls: NonNullable<Turn["calls"]>): readonly Turn[] => [{ text: "I look.", calls }, { text: "It is 3." }];

describe.each(PROVIDERS)("%s", (provider, converse) => {
  test("takes the definitions, and gets a result for each call, in order", async () => {
    const { requests, words } = await converse(calling(call("c1", "add", { a: 1, b: 2 }), call("c2", "add", { a: 3, b: 4 })));
    expect(words).toBe("It is 3.");
    const told = JSON.stringify(requests[1]);
    expect(told.indexOf('"c1"', told.indexOf("call_output"))).toBeLessThan(told.lastIndexOf('"c2"'));
    expect(told).toMatch(/"3".*"7"/);
    expect(JSON.stringify(requests[0])).not.toContain("hidden");
  });

  test("strict mode is taken too, with the tools that have no strict form as they are", async () => {
    const notes: string[] = [];
    const { requests, words } = await converse(calling(call("c1", "add", { a: 1, b: 2 })), {
      strict: true,
      onNote: ({ tool, keyword }) => notes.push(`${tool} ${keyword}`),
    });
    expect(words).toBe("It is 3.");
    expect(JSON.stringify(requests[0])).toContain('"strict":true');
    expect(notes).toContain("union strict");
  });

  test("a call that fails, one that is unknown and one whose arguments are wrong get their reason", async () => {
    const calls = [call("c1", "fails"), call("c2", "nothing"), call("c3", "add", { a: "one" })];
    const { requests } = await converse(calling(...calls));
    const told = JSON.stringify(requests[1]);
    expect(told).toContain("no such seat");
    expect(told).toContain("Unknown tool: nothing");
    expect(told).toContain("Invalid arguments");
    expect(told.match(provider === "anthropic" ? /"is_error":true/g : /Error: /g)).toHaveLength(3);
  });

  test("each kind of content comes in a form that the API takes, and the rest as text", async () => {
    const { requests } = await converse(calling(call("c1", "picture"), call("c2", "empty"), call("c3", "data")), {
      readLinks: true,
    });
    const told = JSON.stringify(requests[1]);
    expect(told).toContain("a picture");
    expect(told).toContain("[audio audio/wav");
    expect(told).toContain("inside");
    expect(told).toContain("the text of the note");
    expect(told).toContain(PIXEL);
    expect(told).toContain("[image image/tiff");
  });

  test("a result over the limits is cut, and a line says so", async () => {
    const { requests } = await converse(calling(call("c1", "picture")), { maxText: 4, maxMedia: 10 });
    const told = JSON.stringify(requests[1]);
    expect(told).toContain("a pi\\n[cut: 5 characters more]");
    expect(told).toContain("it is too large");
    expect(told).not.toContain(PIXEL);
  });

  test("a name that the API refuses is changed, and the call finds its tool", async () => {
    const { requests, words } = await converse([{ text: "x" }]);
    const shown = /"(a_name_\w+)"/.exec(JSON.stringify(requests[0]))![1]!;
    expect(words).toBe("x");
    const second = await converse(calling(call("c1", shown)));
    expect(JSON.stringify(second.requests[1])).toContain("named");
  });

  test("calls that are cancelled or refused get a result, and the others theirs", async () => {
    const abort = new AbortController();
    const asked: string[] = [];
    const approve: NonNullable<RunOptions["approve"]> = ({ name }) => {
      asked.push(name);
      if (name === "waits") queueMicrotask(() => abort.abort(new Error("enough")));
      return name !== "fails";
    };
    const turns = calling(
      call("c1", "add", { a: 1, b: 2 }),
      call("c2", "fails"),
      call("c3", "waits"),
      call("c4", "add", { a: 1, b: 1 }),
    );
    const { requests, words } = await converse(turns, {}, { signal: abort.signal, approve, concurrency: 1 });
    expect(asked).toEqual(["add", "fails", "waits"]);
    expect(words).toBe("It is 3.");
    expect(JSON.stringify(requests[1])).toMatch(/"3".*The user refused this call.*Cancelled.*Cancelled/);
  });

  test("the tools that are picked are offered, and no note is made of a schema that fits", async () => {
    const notes: unknown[] = [];
    const { requests } = await converse([{ text: "x" }], { pick: (name) => name === "add", onNote: (note) => notes.push(note) });
    expect(JSON.stringify(requests[0]!["tools"])).toContain('"add"');
    expect(JSON.stringify(requests[0]!["tools"])).not.toContain('"fails"');
    expect(notes).toEqual([]);
  });
});

test("a tool is not offered because a promise says so", async () => {
  const pick = (async () => Promise.resolve(false)) as unknown as () => boolean; // as JavaScript may write it
  await expect(source().then((from) => toOpenAIChat(from, { pick }))).rejects.toThrow(
    'The option "pick" must return true or false at once, and not a promise',
  );
});

test("arguments that are not JSON are an error for the model, not an exception", async () => {
  const { run } = await toOpenAIChat(await source());
  const told = await run({ tool_calls: [{ id: "c1", type: "function", function: { name: "add", arguments: '{"a":1' } }] });
  expect(told).toEqual([{ role: "tool", tool_call_id: "c1", content: "Error: The arguments are not a JSON object" }]);
});

test("names that are cut alike stay apart, and more tools than the API takes are left out and told", async () => {
  const server = testServer();
  for (const end of ["1", "2"]) server.tool("x".repeat(100) + end, {}, () => end);
  for (let number = 0; number < 200; number++) server.tool(`t${number}`, {}, () => "x");
  const { tools, notes, run } = await toOpenAI(await closing(connect(server)));
  expect(tools).toHaveLength(128);
  expect(notes.map(({ keyword, from }) => [keyword, from])).toEqual([["tools", '202 tools; "openai" takes 128: use "pick"']]);
  const calls = tools
    .slice(0, 2)
    .map(({ name }, index) => ({ type: "function_call", call_id: String(index), name, arguments: "" }));
  expect((await run({ output: calls })).map(({ output }) => output)).toEqual(["1", "2"]);
});

test("a group is a source too, and tools that come later are there after a refresh", async () => {
  const server = toolServer();
  await using group = await ClientSessionGroup.connect({ sums: server }, { readyTimeout: Infinity });
  const { tools, run, refresh } = await toAnthropic(group);
  expect(tools.map(({ name }) => name)).toContain("sums__add");
  const results = await run({ content: [{ type: "tool_use", id: "1", name: "sums__add", input: { a: 1, b: 2 } }] });
  expect(results.content).toEqual([
    { type: "tool_result", tool_use_id: "1", content: [{ type: "text", text: "3" }], is_error: false },
  ]);
  const client = await closing(connect(server));
  const fromClient = await toAnthropic(client);
  server.tool("late", {}, () => "x");
  expect((await fromClient.refresh()).map(({ name }) => name)).toContain("late");
  expect(await refresh()).toBeInstanceOf(Array);
});

test.each([
  ["an unknown option", { other: true }, "There are: strict, pick"],
  ["a limit below one", { maxText: 0 }, '"maxText" must be a whole number above 0: 0'],
])("%s is refused", async (_title, options, message) => {
  await expect(toAnthropic(await source(), options as ModelToolOptions)).rejects.toThrow(message);
});
