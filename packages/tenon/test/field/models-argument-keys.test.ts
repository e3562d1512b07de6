/**
 * Keys of arguments that APIs of models refuse, and keywords with wrong arguments: from a document of an API, and from any
 * server.
 */
import { describe, expect, it } from "vitest";
import { connect, type JsonObject, type Tool } from "tenon";
import { adaptSchema, profiles, toAnthropic, toGemini, toOpenAI, toOpenAIChat } from "tenon/models";
import { fromOpenApi } from "tenon/openapi";
import { clientOf, documentOf, oneOperation, startApi } from "../openapi/api.ts";
import { testServer } from "../support/test-server.ts";

const KEY = /^[a-zA-Z0-9_.-]{1,64}$/;
const text = { type: "string" };

/** The names of all properties in a schema. */
function keysIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { properties } = value as { properties?: object };
  return [...Object.keys(properties ?? {}), ...Object.values(value).flatMap(keysIn)];
}

function query(name: string, more: JsonObject = {}): JsonObject {
  return { name, in: "query", schema: text, ...more };
}

describe("the tools of a document", () => {
  const long = "x".repeat(70);
  const names = [
    "filter[name]",
    "filter_name",
    "$top",
    "StartTime<",
    "ids[]",
    "名前",
    "日本",
    long,
    "a b",
    "a-b",
    "a.b",
    "1[a]",
    "%24x",
  ];

  it("have keys that all models accept, and the API gets its own names [FD-21]", async () => {
    const { url, requests } = await startApi();
    const parameters = [
      ...names.map((name) => query(name)),
      { name: "X-Api!Mode", in: "header", schema: text },
      { name: "a[b]", in: "cookie", schema: text },
      { name: "id$", in: "path", required: true, schema: text },
    ];
    const { client, api } = await clientOf(oneOperation({ parameters }, { path: "/things/{id$}" }), { baseUrl: url });
    const keys = Object.keys((await client.listTools()).tools[0]!.inputSchema.properties ?? {});
    expect(keys.filter((key) => !KEY.test(key))).toEqual([]);
    expect(new Set(keys).size).toBe(parameters.length);
    expect(keys).toEqual(
      expect.arrayContaining(["filter_name", "top", "StartTime", "ids", "a-b", "a.b", "_1_a", "X_Api_Mode", "id"]),
    );
    await client.callTool("call", Object.fromEntries(keys.map((key) => [key, `to ${key}`])));
    const sent = new URL(requests[0]!.target, url);
    expect([...sent.searchParams.keys()].sort()).toEqual([...names].sort());
    expect(sent.searchParams.get("filter_name")).toBe("to filter_name");
    expect(sent.pathname).toBe("/things/to%20id");
    expect(requests[0]!.headers["x-api!mode"]).toBe("to X_Api_Mode");
    expect(requests[0]!.headers.cookie).toMatch(/^a%5Bb%5D=/);
    expect(api.report[0]?.why).toContain("the parameter $top is the argument top");
  });

  it("get the same key whatever the order of the parameters is [FD-21]", async () => {
    const keysOf = async (all: readonly string[]): Promise<string[]> => {
      const { tools } = await fromOpenApi(oneOperation({ parameters: all.map((name) => query(name)) }), {
        baseUrl: "https://k.example",
      });
      return Object.keys((tools["call"]!.options.input as Tool["inputSchema"]).properties ?? {}).sort();
    };
    expect(await keysOf(names)).toEqual(await keysOf([...names].reverse()));
  });

  it.each([true, false])("rename members of bodies at any depth, with flatten: %s [FD-21]", async (flatten) => {
    const { url, requests } = await startApi();
    const Part = {
      type: "object",
      required: ["@id"],
      properties: { "@id": text, "parts[]": { type: "array", items: { $ref: "#/components/schemas/Part" } } },
    };
    const body = {
      type: "object",
      required: ["@microsoft.graph.conflictBehavior"],
      properties: {
        "@microsoft.graph.conflictBehavior": text,
        "a/b": { $ref: "#/components/schemas/Part" },
        a_b: text,
        one: { oneOf: [{ $ref: "#/components/schemas/Part" }, text] },
      },
    };
    const requestBody = { required: true, content: { "application/json": { schema: body } } };
    const document = documentOf(
      { "/x": { post: { operationId: "call", parameters: [query("q")], requestBody } } },
      { components: { schemas: { Part } } },
    );
    const { client } = await clientOf(document, { baseUrl: url, flatten });
    const { inputSchema } = (await client.listTools()).tools[0]!;
    expect(keysIn(inputSchema).filter((key) => !KEY.test(key))).toEqual([]);
    const members = (flatten ? inputSchema : (inputSchema.properties as JsonObject)["body"]) as Tool["inputSchema"];
    const key = Object.keys(members.properties!).find((each) => each.startsWith("a_b_"))!;
    const part = { id: "1", parts: [{ id: "2", other: 3 }] };
    const given = { microsoft_graph_conflictBehavior: "fail", [key]: part, a_b: "own", one: part };
    await client.callTool("call", { q: "1", ...(flatten ? given : { body: given }) });
    const wanted = { "@id": "1", "parts[]": [{ "@id": "2", other: 3 }] };
    const { "@microsoft.graph.conflictBehavior": first, ...rest } = JSON.parse(requests[0]!.body.toString()) as JsonObject;
    expect(first).toBe("fail");
    expect(rest).toEqual({ "a/b": wanted, a_b: "own", one: wanted });
  });

  it("mend or leave out values of another type, and the report says so [FD-25]", async () => {
    const parameters = [
      query("n", { schema: { type: "integer", default: "10", enum: ["10", 20] } }),
      query("s", { schema: { type: "string", default: 1, enum: [1, 2] } }),
      query("b", { schema: { type: "boolean", default: "maybe" } }),
      query("all", { schema: { default: "5", allOf: [{ $ref: "#/components/schemas/Level" }] } }),
    ];
    const { url, requests } = await startApi();
    const document = { ...oneOperation({ parameters }), components: { schemas: { Level: { type: "integer" } } } };
    const { api, client } = await clientOf(document, { baseUrl: url });
    expect((await client.listTools()).tools[0]!.inputSchema.properties).toEqual({
      n: { type: "integer", default: 10, enum: [10, 20] },
      s: { type: "string", default: "1", enum: ["1", "2"] },
      b: { type: "boolean" },
      all: { default: 5, allOf: [{ type: "integer" }] },
    });
    expect(api.report[0]?.why).toContain('its schema has default: "10", which is rewritten');
    expect(api.report[0]?.why).toContain('its schema has default: "maybe", which is left out');
    await client.callTool("call", { n: 10, s: "2" });
    expect(requests[0]!.target).toBe("/things?n=10&s=2");
  });

  it("mend or leave out keywords with wrong arguments, and the report says so [FD-25]", async () => {
    const schema = { type: "int", minimum: 0, exclusiveMinimum: true, maxLength: "5", multipleOf: 0 };
    const { api, client } = await clientOf(oneOperation({ parameters: [query("n", { schema })] }), {
      baseUrl: "https://k.example",
    });
    expect((await client.listTools()).tools[0]!.inputSchema.properties).toEqual({
      n: { type: "integer", exclusiveMinimum: 0, maxLength: 5 },
    });
    expect(api.report[0]?.why).toContain('its schema has type: "int", which is rewritten');
    expect(api.report[0]?.why).toContain("its schema has multipleOf: 0, which is left out");
  });
});

describe("the tools of any server, given to a model", () => {
  const uids = { type: "array", items: text };
  const inputSchema: Tool["inputSchema"] = {
    type: "object",
    properties: {
      "uids[]": uids,
      uids,
      $top: { type: "integer" },
      "filter[x]": { allOf: [{ $ref: "#/$defs/Filter" }] },
      either: { oneOf: [{ type: "object", required: ["a b"], properties: { "a b": text } }, text] },
      ["y".repeat(80)]: text,
    },
    required: ["uids[]"],
    dependentRequired: { $top: ["filter[x]"] },
    $defs: {
      Filter: {
        type: "object",
        properties: { "eq!": text, "in[]": { type: "array", items: { $ref: "#/$defs/Filter" } } },
        required: ["eq!"],
      },
    },
  };
  const server = testServer();
  server.tool("list", { input: inputSchema }, (args) => JSON.stringify(args));

  it.each([
    ["openai", profiles.openai],
    ["openai strict", profiles.openaiStrict],
    ["anthropic", profiles.anthropic],
    ["anthropic strict", profiles.anthropicStrict],
    ["gemini", profiles.gemini],
    ["common", profiles.common],
  ])("have accepted keys at any depth, and come back under their own: %s [FD-21]", (_name, profile) => {
    const adapted = adaptSchema(inputSchema, profile);
    const { schema, notes } = adapted;
    const keys = keysIn(schema);
    expect(keys.filter((key) => !KEY.test(key))).toEqual([]);
    const [uidsKey = "", own, top, filter, , long = ""] = Object.keys(schema.properties);
    expect([own, top, filter]).toEqual(["uids", "top", "filter_x"]);
    const args = {
      [uidsKey]: ["1"],
      uids: ["2"],
      top: 5,
      filter_x: { eq: "z", in: [{ eq: "w" }] },
      either: { a_b: "c" },
      [long]: "l",
    };
    expect(adapted.restore(args)).toEqual({
      "uids[]": ["1"],
      uids: ["2"],
      $top: 5,
      "filter[x]": { "eq!": "z", "in[]": [{ "eq!": "w" }] },
      either: { "a b": "c" },
      ["y".repeat(80)]: "l",
    });
    expect(JSON.stringify(schema)).not.toMatch(/"required":\[[^\]]*"(uids\[\]|eq!)"/);
    expect(notes.some(({ keyword, action }) => keyword === "properties" && action === "rewritten")).toBe(true);
  });

  it("come back under their own keys from the alternatives of a root [FD-21]", () => {
    const alternatives = [
      { type: "object", properties: { "a[b]": text } },
      { type: "object", properties: { a_b: text, "c[d]": text } },
    ];
    const adapted = adaptSchema({ type: "object", anyOf: alternatives }, profiles.anthropic);
    const { schema } = adapted;
    const [first = "", own, second = ""] = Object.keys(schema.properties);
    expect([own, second]).toEqual(["a_b", "c_d"]);
    expect(adapted.restore({ [first]: "1", a_b: "2", [second]: "3" })).toEqual({ "a[b]": "1", a_b: "2", "c[d]": "3" });
  });

  it.each([
    ["toAnthropic", async () => (await toAnthropic(await connect(server))).tools],
    ["toOpenAI", async () => (await toOpenAI(await connect(server))).tools],
    ["toOpenAIChat", async () => (await toOpenAIChat(await connect(server))).tools],
    ["toGemini", async () => (await toGemini(await connect(server))).tools],
  ])("are accepted as %s gives them [FD-21]", async (_name, toTools) => {
    const keys = keysIn(await toTools());
    expect(keys.length).toBeGreaterThan(5);
    expect(keys.filter((key) => !KEY.test(key))).toEqual([]);
  });

  it("are called with their own keys after a model's reply [FD-21]", async () => {
    const { tools, run } = await toAnthropic(await connect(server));
    const [uidsKey = ""] = Object.keys(tools[0]!.input_schema["properties"] as object);
    const given = { [uidsKey]: ["1"] };
    const { content } = await run({
      content: [{ type: "tool_use", id: "c", name: "list", input: { top: 5, filter_x: { eq: "z" }, ...given } }],
    });
    expect(JSON.stringify(content)).toContain(String.raw`{\"$top\":5,\"filter[x]\":{\"eq!\":\"z\"},\"uids[]\":[\"1\"]}`);
  });
});

describe("a keyword with a wrong argument", () => {
  it.each<[JsonObject, JsonObject, readonly string[]]>([
    [
      { type: "integer", minimum: 0, exclusiveMinimum: true },
      { type: "integer", exclusiveMinimum: 0 },
      ["exclusiveMinimum rewritten"],
    ],
    [{ type: "number", maximum: 9, exclusiveMaximum: false }, { type: "number", maximum: 9 }, ["exclusiveMaximum rewritten"]],
    [{ type: "number", exclusiveMinimum: true }, { type: "number" }, ["exclusiveMinimum dropped"]],
    [{ type: "int" }, { type: "integer" }, ["type rewritten"]],
    [{ type: ["String", "None"] }, { type: ["string", "null"] }, ["type rewritten"]],
    [{ type: "any", description: "d" }, { description: "d" }, ["type dropped"]],
    [{ type: "string", enum: [] }, { type: "string" }, ["enum dropped"]],
    [{ type: "string", enum: "a" }, { type: "string" }, ["enum dropped"]],
    [{ type: "string", required: true }, { type: "string" }, ["required rewritten"]],
    [
      { type: "string", minLength: "3", maxLength: -1 },
      { type: "string", minLength: 3 },
      ["minLength rewritten", "maxLength dropped"],
    ],
    [
      { type: "string", format: 5, pattern: ["a"], description: 5 },
      { type: "string" },
      ["format dropped", "pattern dropped", "description dropped"],
    ],
    [{ type: "number", minimum: null, multipleOf: 0 }, { type: "number" }, ["minimum dropped", "multipleOf dropped"]],
    [{ type: "object", properties: [] }, { type: "object", properties: {} }, ["properties dropped"]],
    [{ type: "string", anyOf: [] }, { type: "string" }, ["anyOf dropped"]],
    [{ type: "array", items: "string" }, { type: "array", items: {} }, [" dropped"]],
    [{ type: "array", items: [] }, { type: "array", items: {} }, ["items dropped"]],
  ])("is mended or left out with a note: %j [FD-25]", (given, wanted, notes) => {
    const adapted = adaptSchema({ type: "object", properties: { x: given } }, profiles.anthropic);
    expect(adapted.schema.properties["x"]).toEqual(wanted);
    expect(adapted.notes.filter(({ path }) => path !== "").map(({ keyword, action }) => `${keyword} ${action}`)).toEqual(notes);
  });

  it("names a property as required where the property says it of itself [FD-25]", () => {
    const properties = { a: { type: "string", required: true }, b: { type: "string", required: false } };
    expect(adaptSchema({ type: "object", properties }, profiles.openai).schema["required"]).toEqual(["a"]);
  });

  it("is a pattern in words if it is none of ECMAScript [FD-25]", () => {
    const { schema } = adaptSchema({ type: "object", properties: { x: { type: "string", pattern: "(?i)^a" } } }, profiles.openai);
    expect(schema.properties["x"]).toEqual({ type: "string", description: "Matches the regular expression (?i)^a." });
  });
});
