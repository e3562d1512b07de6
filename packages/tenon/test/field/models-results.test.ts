/**
 * What servers give to models and APIs of models refuse: pictures, texts, numbers. And what models write in the place of
 * arguments. An API that refuses a result refuses the whole conversation from then on.
 */
import { ToolMessage } from "@langchain/core/messages";
import { DynamicStructuredTool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { connect, type Client, type JsonObject } from "tenon";
import { adaptSchema, profiles, toAISDK, toAnthropic, toGemini, toLangChain, toOpenAI, toOpenAIChat } from "tenon/models";
import { oddServer } from "./odd-server.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const JPEG = "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQ==";
const GIF = "R0lGODlhAQABAAAAACw=";
const WEBP = "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vuUAAA=";
const SVG = "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=";
const ID = "1234567890123456789";

/** What each adapter makes of the call of a tool, as the text of a request. */
const ADAPTERS: Readonly<Record<string, (client: Client, input: unknown) => Promise<string>>> = {
  toAnthropic: async (client, input) =>
    JSON.stringify(await (await toAnthropic(client)).run({ content: [{ type: "tool_use", id: "c", name: "t", input }] })),
  toOpenAI: async (client, input) =>
    JSON.stringify(
      await (await toOpenAI(client)).run({ output: [{ type: "function_call", call_id: "c", name: "t", arguments: input }] }),
    ),
  toOpenAIChat: async (client, input) =>
    JSON.stringify(
      await (await toOpenAIChat(client)).run({ tool_calls: [{ id: "c", function: { name: "t", arguments: input } }] }),
    ),
  toGemini: async (client, input) =>
    JSON.stringify(await (await toGemini(client)).run({ parts: [{ functionCall: { name: "t", args: input } }] })),
  toAISDK: async (client, input) => {
    const { execute, toModelOutput } = (await toAISDK(client)).tools["t"]!;
    return JSON.stringify(toModelOutput({ output: await execute(input, { toolCallId: "c" }) }));
  },
  toLangChain: async (client, input) => {
    const [tool] = (await toLangChain(client, { DynamicStructuredTool, ToolMessage })).tools;
    const { content } = (await tool!.invoke({ type: "tool_call", id: "c", name: "t", args: input as JsonObject })) as ToolMessage;
    return JSON.stringify(content);
  },
};

/** A client of a server with one tool, and the texts of the requests that the tool got. */
async function clientOf(
  result: JsonObject,
  inputSchema: JsonObject = { type: "object" },
  description = "d",
): Promise<{ client: Client; called: JsonObject[] }> {
  const called: JsonObject[] = [];
  const url = await oddServer((method, params) => {
    if (method === "tools/list") return { tools: [{ name: "t", description, inputSchema }] };
    if (method !== "tools/call") return undefined;
    called.push(params?.["arguments"] as JsonObject);
    return result;
  });
  return { client: await connect(url, { validateOutput: false }), called };
}

const blocks = (...content: JsonObject[]): JsonObject => ({ content });
const image = (data: string, mimeType: string): JsonObject => ({ type: "image", data, mimeType });

describe.each(Object.keys(ADAPTERS))("%s", (name) => {
  const run = async (result: JsonObject): Promise<string> => ADAPTERS[name]!((await clientOf(result)).client, {});

  it.each([
    ["image/png", JPEG, "image/jpeg"],
    ["image/jpeg", PNG, "image/png"],
    ["image/png", GIF, "image/gif"],
    ["image/jpeg", WEBP, "image/webp"],
    ["image/jpg", "aGk=", "image/jpeg"],
    ["IMAGE/PNG; name=a", "aGk=", "image/png"],
    ["", PNG, "image/png"],
  ])("names a picture called %j as what it is [FD-98]", async (named, data, type) => {
    const told = await run(blocks(image(data, named)));
    expect(told).toContain(data);
    expect(told).toContain(type);
    if (named !== "") expect(told).not.toContain(`${named}"`);
  });

  it.each([
    [image(SVG, "image/svg+xml"), "[image image/svg+xml, 42 bytes, left out"],
    [image("Qk0=", "image/bmp"), "[image image/bmp, 3 bytes, left out"],
    [image("", "image/png"), "[image image/png, 0 bytes, left out: it is empty]"],
    [{ type: "resource", resource: { uri: "a:b", blob: SVG, mimeType: "image/svg+xml" } }, "[image image/svg+xml"],
  ])("says in words what no API takes: %j [FD-98]", async (block, words) => {
    expect(await run(blocks(block))).toContain(words);
  });

  it("gives pictures of a resource in standard base64, too [FD-23]", async () => {
    const url = PNG.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    const told = await run(blocks({ type: "resource", resource: { uri: "a:b.png", blob: url, mimeType: "image/png" } }));
    expect(told).toContain(PNG);
  });

  it("replaces half characters, which are no JSON to APIs [FD-98]", async () => {
    const told = await run(blocks({ type: "text", text: "a\ud83d b\udc00" }));
    expect(told).toContain("a\ufffd b\ufffd");
  });

  it("keeps all digits of data that comes without text [FD-06]", async () => {
    const told = await run({
      content: [],
      structuredContent: { id: `#${ID}#`, small: "#9007199254740992#", in: [`#${ID}#`], f: 1e300 },
    });
    expect(told).toContain(ID);
    expect(told).toContain("9007199254740992");
    expect(told).not.toMatch(/1234567890123456800|null/);
  });
});

it("a text that is cut in the middle of a character is whole again [FD-98]", async () => {
  const { client } = await clientOf(blocks({ type: "text", text: "ab😀cd" }));
  const { run } = await toAnthropic(client, { maxText: 3 });
  const told = JSON.stringify(await run({ content: [{ type: "tool_use", id: "c", name: "t", input: {} }] }));
  expect(told).toContain(String.raw`ab${"\ufffd"}\n[cut: 3 characters more]`);
});

it.each(["", " ", "\n\t"])("Anthropic gets no text without a character: %j [FD-98]", async (text) => {
  const { client } = await clientOf(blocks({ type: "text", text }, { type: "text", text: "x" }));
  expect(await ADAPTERS["toAnthropic"]!(client, {})).toContain('[{"type":"text","text":"(empty)"},{"type":"text","text":"x"}]');
});

it("Gemini gets no file that it cannot read [FD-98]", async () => {
  const zip = { type: "resource", resource: { uri: "a:b.zip", blob: "UEsDBA==", mimeType: "application/zip" } };
  const told = await ADAPTERS["toGemini"]!((await clientOf(blocks(zip))).client, {});
  expect(told).toContain("[file application/zip, 6 bytes, left out");
  expect(told).not.toContain("inlineData");
});

it("half characters in what describes a tool are replaced [FD-98]", async () => {
  const properties = { "a\ud83d": { type: "string", description: "\udc00", enum: ["x\ud83d"] } };
  const { client } = await clientOf(blocks(), { type: "object", properties }, "d\ud83d");
  const { tools } = await toOpenAI(client);
  expect(JSON.stringify(tools)).not.toMatch(/\\ud[89a-f]/i);
  expect(tools[0]!.description).toBe("d\ufffd");
});

describe("arguments of a model", () => {
  const inputSchema = {
    type: "object",
    properties: {
      id: { type: "integer" },
      "in[]": { type: "array", items: { type: "integer" } },
      filter: { $ref: "#/$defs/Filter" },
      either: { anyOf: [{ type: "object" }, { type: "string" }] },
      text: { type: "string" },
      any: {},
      maybe: { anyOf: [{ type: "null" }, { type: "array", items: { type: "object" } }] },
    },
    $defs: { Filter: { type: "object", properties: { "state!": { type: "string" } } } },
  };
  const call = async (text: string): Promise<JsonObject> => {
    const { client, called } = await clientOf(blocks(), inputSchema);
    await ADAPTERS["toOpenAI"]!(client, text);
    return called[0]!;
  };

  it.each([`{"text":"x"}`, `"{\\"text\\":\\"x\\"}"`, JSON.stringify(JSON.stringify({ text: "x" }))])(
    "are read out of %s [FD-99]",
    async (text) => {
      expect(await call(text)).toEqual({ text: "x" });
    },
  );

  it("are objects and lists where a model writes their text [FD-99]", async () => {
    const packed = { filter: '{"state":"open"}', maybe: ' [{"a":1}]', in: "[1,2]" };
    expect(await call(JSON.stringify(packed))).toEqual({ filter: { "state!": "open" }, maybe: [{ a: 1 }], "in[]": [1, 2] });
  });

  it("stay texts where a text can be meant, or where nothing else is in them [FD-99]", async () => {
    const texts = { either: '{"a":1}', text: "[1]", any: "{}", filter: "[1]", maybe: "[x" };
    expect(await call(JSON.stringify(texts))).toEqual(texts);
  });

  it("keep all digits, under renamed keys and in lists, too [FD-06]", async () => {
    const url = await oddServer((method) => (method === "tools/list" ? { tools: [{ name: "t", inputSchema }] } : blocks()));
    const sent: string[] = [];
    const noting: typeof fetch = (input, init) => {
      sent.push(init?.body as string); // a client sends texts
      return fetch(input, init);
    };
    await using client = await connect({ url, fetch: noting }, { validateOutput: false });
    await ADAPTERS["toOpenAI"]!(client, `{"id":${ID},"in":[${ID},7],"filter":"{\\"x\\":${ID}}"}`);
    expect(sent.at(-1)).toContain(`"arguments":{"id":${ID},"in[]":[${ID},7],"filter":{"x":${ID}}}`);
  });
});

describe("a value of another type than its schema says", () => {
  it.each<[JsonObject, JsonObject, readonly string[]]>([
    [{ type: "integer", default: "10" }, { type: "integer", default: 10 }, ["default rewritten"]],
    [{ type: "string", default: 10 }, { type: "string", default: "10" }, ["default rewritten"]],
    [{ type: "boolean", default: "true" }, { type: "boolean", default: true }, ["default rewritten"]],
    [{ type: "integer", default: "ten" }, { type: "integer" }, ["default dropped"]],
    [{ type: "integer", default: ID }, { type: "integer" }, ["default dropped"]],
    [{ type: "string", default: null }, { type: "string" }, ["default dropped"]],
    [{ type: ["string", "null"], default: null }, { type: ["string", "null"], default: null }, []],
    [{ type: "array", default: {} }, { type: "array", items: {} }, ["default dropped"]],
    [{ default: 5 }, { default: 5 }, []],
    [{ type: "string", enum: [1, "b", true, null] }, { type: "string", enum: ["1", "b", "true"] }, ["enum rewritten"]],
    [{ type: "integer", enum: ["1", "x", 1] }, { type: "integer", enum: [1] }, ["enum rewritten"]],
    [{ type: "integer", enum: ["a"] }, { type: "integer" }, ["enum dropped"]],
    [{ type: "string", const: 5 }, { type: "string", const: "5" }, ["const rewritten"]],
    [{ type: "number", enum: [1, 2.5] }, { type: "number", enum: [1, 2.5] }, []],
    [{ default: "5", allOf: [{ type: "integer" }] }, { default: 5, allOf: [{ type: "integer" }] }, ["default rewritten"]],
    [
      { default: "5", allOf: [{ type: "int" }] },
      { default: 5, allOf: [{ type: "integer" }] },
      ["default rewritten", "type rewritten"],
    ],
    [
      { default: "five", allOf: [{ minimum: 1 }, { type: "integer" }] },
      { allOf: [{ minimum: 1 }, { type: "integer" }] },
      ["default dropped"],
    ],
    [{ default: "5", allOf: [{ $ref: "#/properties/x" }] }, { default: "5", allOf: [{ $ref: "#/$defs/x" }] }, []],
    [
      { default: "5", anyOf: [{ type: "integer" }, { type: "null" }] },
      { default: 5, anyOf: [{ type: "integer" }, { type: "null" }] },
      ["default rewritten"],
    ],
    [{ default: "5", anyOf: [{ type: "integer" }, {}] }, { default: "5", anyOf: [{ type: "integer" }, {}] }, []],
    [
      { default: 5, $ref: "#/properties/text" },
      { allOf: [{ type: "string" }, { default: "5" }] },
      ["default rewritten", "$ref rewritten"],
    ],
  ])("is mended or left out with a note: %j [FD-25]", (given, wanted, notes) => {
    const { schema, notes: said } = adaptSchema(
      { type: "object", properties: { x: given, text: { type: "string" } } },
      profiles.anthropic,
    );
    expect(schema.properties["x"]).toEqual(wanted);
    expect(said.filter(({ path }) => path !== "").map(({ keyword, action }) => `${keyword} ${action}`)).toEqual(notes);
  });
});

it.each([{}, { structuredContent: { b: 1 } }])(
  "a result that its output schema does not allow is read by the model, with what is wrong: %j [FD-80]",
  async (more) => {
    const outputSchema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    const tools = [{ name: "t", inputSchema: { type: "object" }, outputSchema }];
    const url = await oddServer((method) =>
      method === "tools/list" ? { tools } : { ...blocks({ type: "text", text: "hi" }), ...more },
    );
    const { run } = await toAnthropic(await connect(url));
    const { content } = await run({ content: [{ type: "tool_use", id: "c", name: "t", input: {} }] });
    expect(content).toMatchObject([
      { is_error: false, content: [{ text: "hi" }, { text: expect.stringMatching(/^\[.*structured content/) as string }] },
    ]);
  },
);
