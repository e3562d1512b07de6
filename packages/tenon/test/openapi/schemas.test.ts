/** The schemas of tools: versions, null, cycles, choices, odd names and sizes. */
import { describe, expect, it } from "vitest";
import { connect, type JsonObject } from "tenon";
import { fromOpenApi, type OpenApiOptions } from "tenon/openapi";
import { McpServer } from "tenon/server";
import { documentOf, oneOperation } from "./api.ts";

const OPTIONS: OpenApiOptions = { baseUrl: "https://api.example.com" };

/** The document of an operation with a body of this schema. */
function taking(schema: unknown, schemas: JsonObject = {}, openapi = "3.1.0"): JsonObject {
  const requestBody = { required: true, content: { "application/json": { schema } } };
  return oneOperation({ requestBody }, { method: "post", openapi, components: { schemas } });
}

/** The schema of the argument `body` and the copies that it refers to, as a client sees them. */
async function bodyOf(document: object, options: OpenApiOptions = OPTIONS): Promise<{ body: unknown; defs: unknown }> {
  const { tools, report } = await fromOpenApi(document, options);
  if (tools["call"] === undefined) throw new Error(report[0]?.why);
  await using client = await connect(new McpServer({ name: "test", version: "1" }, { tools }));
  const [tool] = (await client.listTools()).tools;
  const { properties, $defs } = tool!.inputSchema as unknown as { properties: JsonObject; $defs?: unknown };
  return { body: properties["body"], defs: $defs };
}

it.each([
  [{ type: "string", nullable: true }, { type: ["string", "null"] }],
  [
    { type: "string", enum: ["a"], nullable: true },
    { type: ["string", "null"], enum: ["a", null] },
  ],
  [{ $ref: "#/components/schemas/A", nullable: true }, { anyOf: [{ type: "string" }, { type: "null" }] }],
  [
    { allOf: [{ $ref: "#/components/schemas/A" }], nullable: true, description: "d" },
    { description: "d", anyOf: [{ allOf: [{ type: "string" }] }, { type: "null" }] },
  ],
  [
    { type: "number", minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
    { type: "number", exclusiveMinimum: 1, maximum: 9 },
  ],
  [
    { type: "integer", example: 5, "x-vendor": 1, xml: {}, externalDocs: {} },
    { type: "integer", examples: [5] },
  ],
  [{ type: "array" }, { type: "array", items: {} }],
  [{ type: "int", minLength: -1, enum: [], required: true, format: 7, multipleOf: 0 }, { type: "integer" }],
])("makes 2020-12 of %j of version 3.0", async (old, schema) => {
  expect((await bodyOf(taking(old, { A: { type: "string" } }, "3.0.3"))).body).toEqual(schema);
});

it("keeps every keyword of 2020-12 that its place allows, with the schemas inside", async () => {
  const a = {
    type: "string",
    title: "A",
    description: "d",
    deprecated: true,
    default: "x",
    examples: ["y"],
    format: "uuid",
    pattern: "^[xy]$",
  };
  const schema = {
    type: "object",
    properties: {
      a: { ...a, minLength: 1, maxLength: 9, contentEncoding: "base64", contentMediaType: "text/plain" },
      b: { type: "number", minimum: 1, exclusiveMinimum: 0, maximum: 8, exclusiveMaximum: 9, multipleOf: 2 },
      c: {
        type: "array",
        items: { type: "string" },
        prefixItems: [{ const: 1 }, { enum: ["e"] }],
        contains: { type: "integer" },
        ...{ unevaluatedItems: { type: "null" }, minItems: 1, maxItems: 9, minContains: 1, maxContains: 2, uniqueItems: true },
      },
    },
    required: ["a"],
    additionalProperties: { type: "boolean" },
    unevaluatedProperties: { type: "object" },
    patternProperties: { "^p": { type: "string" } },
    propertyNames: { maxLength: 5 },
    dependentSchemas: { a: { required: ["b"] } },
    dependentRequired: { b: ["c"] },
    ...{ minProperties: 1, maxProperties: 7 },
    ...{ if: { required: ["b"] }, then: { minProperties: 2 }, else: { minProperties: 3 }, not: { required: ["z"] } },
    ...{ allOf: [{ minProperties: 4 }], anyOf: [{ minProperties: 5 }, true], oneOf: [{ minProperties: 6 }, false] },
  };
  expect((await bodyOf(taking(schema))).body).toEqual(schema);
});

it("gives the same tools for a document of 3.0 and its form in 3.1", async () => {
  const old = {
    type: "object",
    properties: {
      a: { type: "string", nullable: true, example: "x" },
      b: { type: "integer", minimum: 0, exclusiveMinimum: true },
    },
  };
  const now = {
    type: "object",
    properties: { a: { type: ["string", "null"], examples: ["x"] }, b: { type: "integer", exclusiveMinimum: 0 } },
  };
  expect(await bodyOf(taking(old, {}, "3.0.0"))).toEqual(await bodyOf(taking(now)));
});

describe("references to components", () => {
  const to = (name: string, beside: object = {}): JsonObject => ({ $ref: `#/components/schemas/${name}`, ...beside });
  const holding = (properties: JsonObject): JsonObject => ({ type: "object", properties });

  it("are written out, because hosts do not follow them, with what stands beside them", async () => {
    const schemas = { City: { type: "string", description: "A city" }, Stop: holding({ city: to("City") }) };
    const body = holding({
      from: to("Stop"),
      to: to("City", { description: "Where it ends" }),
      via: { type: "array", items: to("City", { maxLength: 3 }) },
    });
    expect(await bodyOf(taking(body, schemas))).toEqual({
      body: holding({
        from: holding({ city: schemas.City }),
        to: { type: "string", description: "Where it ends" },
        via: { type: "array", items: { maxLength: 3, allOf: [schemas.City] } },
      }),
      defs: undefined,
    });
  });

  it("stay if copies would make the arguments much longer or deeper", async () => {
    const Long = { type: "string", description: "x".repeat(1_500) };
    const one = await bodyOf(taking(holding({ a: to("Long") }), { Long }));
    expect(one).toEqual({ body: holding({ a: Long }), defs: undefined });
    const names = ["a", "b", "c", "d", "e"];
    const many = await bodyOf(taking(holding(Object.fromEntries(names.map((name) => [name, to("Long")]))), { Long }));
    expect(many).toEqual({
      body: holding(Object.fromEntries(names.map((name) => [name, { $ref: "#/$defs/Long" }]))),
      defs: { Long },
    });
    const level = (at: number): JsonObject => (at === 11 ? { type: "string" } : holding({ in: to(`S${at + 1}`) }));
    const chain = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`S${at}`, level(at)]));
    expect((await bodyOf(taking(to("S0"), chain))).body).toEqual({ $ref: "#/$defs/S0" });
    expect((await bodyOf(taking(to("S3"), chain))).defs).toBeUndefined();
  });
});

it("copies what cycles reach once, and names each copy", async () => {
  const schemas = {
    Node: {
      type: "object",
      properties: { next: { $ref: "#/components/schemas/Node" }, "a/b~c": { $ref: "#/components/schemas/a~1b~0c" } },
    },
    "a/b~c": { type: "string" },
    Self: { $ref: "#/components/schemas/Self" },
  };
  expect(await bodyOf(taking({ $ref: "#/components/schemas/Node" }, schemas))).toEqual({
    body: { $ref: "#/$defs/Node" },
    defs: { Node: { type: "object", properties: { next: { $ref: "#/$defs/Node" }, a_b_c: { type: "string" } } } },
  });
  expect((await bodyOf(taking({ $ref: "#/components/schemas/Self" }, schemas))).body).toEqual({});
});

it("takes a property named $ref, __proto__ or constructor for a property", async () => {
  const text =
    '{ "type": "object", "required": ["__proto__"], "properties": { "$ref": { "type": "string" }, ' +
    '"__proto__": { "type": "integer" }, "constructor": { "type": "boolean" } } }';
  const { body } = await bodyOf(taking(JSON.parse(text)));
  expect(JSON.stringify(body)).toBe(
    '{"type":"object","properties":{"ref":{"type":"string"},"__proto__":{"type":"integer"},' +
      '"constructor":{"type":"boolean"}},"required":["__proto__"]}',
  );
  expect(({} as JsonObject)["type"]).toBeUndefined();
});

it("leaves properties that only responses have out of arguments, and out of what is required", async () => {
  const schemas = {
    Id: { type: "string", readOnly: true },
    Base: { type: "object", required: ["id"], properties: { id: { $ref: "#/components/schemas/Id" } } },
  };
  const schema = {
    allOf: [
      { $ref: "#/components/schemas/Base" },
      {
        type: "object",
        required: ["id", "name"],
        properties: { name: { type: "string" }, at: { type: "string", readOnly: true } },
      },
    ],
  };
  expect((await bodyOf(taking(schema, schemas))).body).toEqual({
    allOf: [
      { type: "object", properties: {} },
      { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    ],
  });
});

it("gives each schema of a discriminator its tag", async () => {
  const schemas = { Cat: { type: "object" }, Dog: { type: "object" } };
  const schema = {
    oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }],
    discriminator: { propertyName: "kind", mapping: { dog: "#/components/schemas/Dog", hound: "Dog" } },
  };
  const tagged = (tag: object): object => ({
    allOf: [{ type: "object" }, { type: "object", properties: { kind: tag }, required: ["kind"] }],
  });
  expect((await bodyOf(taking(schema, schemas))).body).toEqual({
    anyOf: [tagged({ const: "Cat" }), tagged({ enum: ["dog", "hound"] })],
  });
});

it("gives no tag to a schema of a discriminator that says its values itself", async () => {
  const kind = (...values: readonly string[]): object => ({ type: "object", properties: { kind: { enum: values } } });
  const schemas = { Cat: kind("cat"), Base: kind("dog", "hound"), Dog: { allOf: [{ $ref: "#/components/schemas/Base" }] } };
  const schema = {
    oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }],
    discriminator: { propertyName: "kind", mapping: { hound: "Dog", wolf: "Dog" } },
  };
  expect((await bodyOf(taking(schema, schemas))).body).toEqual({
    anyOf: [
      kind("cat"),
      {
        allOf: [
          { allOf: [kind("dog", "hound")] },
          { type: "object", properties: { kind: { const: "hound" } }, required: ["kind"] },
        ],
      },
    ],
  });
});

/** Arguments that an API takes, by schemas which, to the letter, allow them in no way. */
const TAKEN: readonly (readonly [what: string, schema: JsonObject, body: unknown])[] = [
  ["an argument that fits two choices", { oneOf: [{ type: "object" }, { type: "object", required: ["a"] }] }, { a: 1 }],
  [
    "the members of the parts of a closed schema",
    { type: "object", additionalProperties: false, allOf: [{ $ref: "#/components/schemas/Closed" }], required: ["a"] },
    { a: "1" },
  ],
  [
    "the members beside a closed part",
    { type: "object", properties: { b: { type: "string" } }, allOf: [{ $ref: "#/components/schemas/Closed" }] },
    { a: "1", b: "2" },
  ],
  ["null of a newer document", { type: "object", properties: { a: { type: "string", nullable: true } } }, { a: null }],
];

it.each(TAKEN)("lets %s through", async (_, schema, body) => {
  const Closed = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };
  const sent: string[] = [];
  const fetch: OpenApiOptions["fetch"] = async (_url, init) => {
    sent.push(String(init.body));
    return new Response("{}", { headers: { "content-type": "application/json" } });
  };
  const { tools } = await fromOpenApi(taking(schema, { Closed }), { ...OPTIONS, fetch });
  await using client = await connect(new McpServer({ name: "test", version: "1" }, { tools }));
  expect(await client.callTool("call", { body })).toMatchObject({ text: "{}" });
  expect(JSON.parse(sent[0]!)).toEqual(body);
});

it("leaves out examples of another type, and mends those that spell one", async () => {
  const a = { type: "array", items: {}, examples: ["x,y"] };
  const schema = { type: "object", properties: { a, n: { type: "integer", examples: ["7", 8] } } };
  expect((await bodyOf(taking(schema))).body).toEqual({
    type: "object",
    properties: { a: { type: "array", items: {} }, n: { type: "integer", examples: [7, 8] } },
  });
});

it("describes a pattern that cannot run in linear time", async () => {
  expect((await bodyOf(taking({ type: "string", pattern: "(a)\\1", description: "d" }))).body).toEqual({
    type: "string",
    description: "d\n\nMust match the pattern (a)\\1",
  });
});

it("leaves the deepest parts of a schema that is too large out, and reports it", async () => {
  const deep = (levels: number): JsonObject => ({
    type: "object",
    properties: Object.fromEntries(["a", "b", "c"].map((name) => [name, levels === 0 ? { type: "string" } : deep(levels - 1)])),
  });
  const { tools, report } = await fromOpenApi(taking(deep(8)), OPTIONS);
  expect(JSON.stringify(tools["call"]?.options.input).length).toBeLessThanOrEqual(32_768);
  expect(JSON.stringify(tools["call"]?.options.input)).toContain("See the documentation of the API.");
  expect(report[0]).toMatchObject({ status: "reduced", why: expect.stringContaining('"maxSchemaBytes"') as unknown });
});

it.each([
  [
    "another document",
    "https://evil.example.com/x.json#/a",
    'it refers to another document, "https://evil.example.com/x.json#/a", which is not read (option "resolve")',
  ],
  ["a file", "file:///etc/passwd", 'it refers to another document, "file:///etc/passwd", which is not read (option "resolve")'],
  [
    "a relative file",
    "../../etc/passwd",
    'it refers to another document, "../../etc/passwd", which is not read (option "resolve")',
  ],
  ["nothing", "#/components/schemas/None", 'its reference "#/components/schemas/None" points to nothing'],
  ["the prototype", "#/__proto__/toString", 'its reference "#/__proto__/toString" points to nothing'],
  ["a constructor", "#/constructor", 'its reference "#/constructor" points to nothing'],
])("leaves an operation out that refers to %s", async (_, $ref, why) => {
  expect((await fromOpenApi(taking({ $ref }), OPTIONS)).report).toEqual([{ operation: "POST /things", status: "skipped", why }]);
});

it("leaves cycles of path items, parameters and bodies out, and keeps the other operations", async () => {
  const paths = {
    "/a": { $ref: "#/paths/~1b" },
    "/b": { $ref: "#/paths/~1a" },
    "/c": { get: { parameters: [{ $ref: "#/components/parameters/P" }] } },
    "/d": { get: {} },
  };
  const components = { parameters: { P: { $ref: "#/components/parameters/P" } } };
  const { tools, report } = await fromOpenApi(documentOf(paths, { components }), OPTIONS);
  expect(Object.keys(tools)).toEqual(["get_d"]);
  expect(report.map(({ operation, why }) => [operation, why])).toEqual([
    ["* /a", 'its reference "#/paths/~1b" leads to itself'],
    ["* /b", 'its reference "#/paths/~1a" leads to itself'],
    ["GET /c", 'its reference "#/components/parameters/P" leads to itself'],
    ["GET /d", undefined],
  ]);
});

it("publishes types and names to a depth of four for results, where all may be null", async () => {
  const schemas = {
    Node: {
      type: "object",
      required: ["id"],
      properties: {
        id: { type: "integer", format: "int64", minimum: 1 },
        next: { $ref: "#/components/schemas/Node" },
        secret: { type: "string", writeOnly: true },
      },
    },
  };
  const responses = { 200: { content: { "application/json": { schema: { $ref: "#/components/schemas/Node" } } } } };
  const { tools } = await fromOpenApi(oneOperation({ responses }, { components: { schemas } }), OPTIONS);
  const id = { type: ["integer", "string", "null"] }; // an integer of 64 bits may be its text
  const node = (next: object): object => ({ type: ["object", "null"], properties: { id, next } });
  expect(tools["call"]?.options.output).toEqual({
    type: "object",
    properties: { id, next: node(node({ type: ["object", "null"], properties: { id: {}, next: {} } })) },
  });
});

it("publishes an object without known properties as an object, for a result and inside one", async () => {
  const outputOf = async (schema: object): Promise<unknown> => {
    const responses = { 200: { content: { "application/json": { schema } } } };
    return (await fromOpenApi(oneOperation({ responses }), OPTIONS)).tools["call"]?.options.output;
  };
  expect(await outputOf({ type: "object" })).toEqual({ type: "object" });
  expect(await outputOf({ type: "object", properties: { a: { type: "object" } } })).toEqual({
    type: "object",
    properties: { a: { type: ["object", "null"] } },
  });
});
