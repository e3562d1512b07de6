// Types of foreign schemas: nothing but types comes out, whatever goes in.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { compile } from "json-schema-to-typescript";
import { expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "tenon";
import type { Offer } from "../terminal/listing-text.ts";
import { contractIn, contractOf, driftBetween } from "./contract.ts";
import { SchemaRefused, toPlainSchema } from "./plain-schema.ts";
import { TypeNames } from "./typed-client.ts";
import { typedClient } from "./typed-client.ts";

function offerOf(inputSchema: JsonObject, more: Partial<Offer> = {}): Offer {
  const tools = [{ name: "t", inputSchema }] as unknown as Offer["tools"]; // as a server may send it
  return {
    protocolVersion: "2026-07-28",
    serverInfo: { name: "s", version: "1" },
    tools,
    resources: [],
    resourceTemplates: [],
    prompts: [],
    ...more,
  };
}

async function typesOf(schema: JsonObject): Promise<string> {
  const offer = offerOf(schema);
  const text = await typedClient(offer, await contractOf(offer), "");
  return text.slice(text.indexOf("\n\n") + 2, text.indexOf("\n\n/** The tools"));
}

test.each<[string, JsonObject, string]>([
  [
    "a tuple",
    { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false, minItems: 2 },
    "[string, number]",
  ],
  ["a list", { type: "array", items: { type: "integer" } }, "number[]"],
  ["a constant", { const: "x" }, '"x"'],
  ["a union", { anyOf: [{ type: "string" }, { type: "null" }] }, "(string | null)"],
  ["several types", { type: ["string", "boolean"] }, "(string | boolean)"],
  ["a map", { type: "object", additionalProperties: { type: "number" } }, "[k: string]: number"],
  ["anything", {}, "unknown"],
  ["a reference to a file", { $ref: "file:///etc/passwd" }, "unknown"],
  ["a reference to nothing", { $ref: "#/$defs/none" }, "unknown"],
  ["a reference into the middle", { $ref: "#/properties/x" }, "unknown"],
])("%s", async (_name, schema, written) => {
  expect(await typesOf({ type: "object", properties: { x: schema } })).toContain(
    `x?: ${written.startsWith("[k") ? "{" : written}`,
  );
  expect(await typesOf({ type: "object", properties: { x: schema } })).toContain(written);
});

test("members that are not named are refused, unless the schema asks for them", async () => {
  expect(await typesOf({ type: "object", properties: { a: { type: "string" } } })).not.toContain("[k: string]");
  expect(await typesOf({ type: "object", properties: { a: { type: "string" } }, additionalProperties: true })).toContain(
    "[k: string]: unknown",
  );
});

test("nothing of a schema becomes a program", async () => {
  const evil = "}; evil(); {";
  const text = await typesOf({
    type: "object",
    tsType: evil,
    title: evil,
    properties: { x: { tsType: evil, tsEnumNames: [evil], enum: [1], description: "*/ evil(); /*" } },
  } as JsonObject);
  expect(text.replace(/\/\*[\s\S]*?\*\//g, "")).toBe("export interface TInput {\n  \n  x?: 1\n}");
});

test("no schema has a URL requested", async () => {
  const asked: unknown[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.end("{}");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.json`;
  const text = await typesOf({
    $id: url,
    $schema: url,
    type: "object",
    properties: { a: { $ref: url }, b: { $ref: `${url}#/$defs/a` } },
  });
  expect({ asked, text: text.includes("a?: unknown") }).toEqual({ asked: [], text: true });
});

test("definitions that double, patterns, depth and size have an end", async () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [
      `d${at}`,
      { type: "object", properties: at === 0 ? {} : { a: { $ref: `#/$defs/d${at - 1}` }, b: { $ref: `#/$defs/d${at - 1}` } } },
    ]),
  );
  expect(
    (await typesOf({ type: "object", properties: { z: { $ref: "#/$defs/d59" } }, $defs } as JsonObject)).length,
  ).toBeLessThan(10_000);
  let deep: JsonObject = { type: "string" };
  for (let depth = 0; depth < 60; depth++) deep = { type: "array", items: deep };
  expect(await typesOf({ type: "object", properties: { deep } })).toContain("unknown[]");
  expect(await typesOf({ type: "object", properties: { p: { type: "string", pattern: "(a+)+$" } } })).toContain("p?: string");
  const wide = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`p${at}`, {}]));
  expect(() => toPlainSchema({ type: "object", properties: wide }, String)).toThrow(SchemaRefused);
  expect(await typesOf({ type: "object", properties: wide })).toContain("export type TInput = unknown;");
});

test("a schema of any kind becomes types, without an error of the library", async () => {
  const keyword = fc.constantFrom(
    "type",
    "properties",
    "items",
    "prefixItems",
    "enum",
    "const",
    "anyOf",
    "allOf",
    "$ref",
    "required",
    "additionalProperties",
    "definitions",
    "$defs",
    "minItems",
    "description",
    "x",
  );
  const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<unknown>("object", "string", "array", "#", "#/$defs/x", 1, null, true, [], ["string", "null"]),
      fc.dictionary(keyword, tie("schema"), { maxKeys: 4 }),
      fc.array(tie("schema"), { maxLength: 3 }),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(schema, async (value) => {
      const names = new TypeNames([]);
      const text = await compile(
        toPlainSchema({ type: "object", properties: { x: value } }, (name) => names.make(`Input ${name}`)) as never,
        "Input",
        { format: false, bannerComment: "" },
      );
      expect(text).toContain("export interface Input ");
    }),
    { numRuns: 200 },
  );
});

test("names are types of TypeScript, each once", () => {
  const names = new TypeNames(["Tools"]);
  const made = ["a-b", "a_b", "a.b", "tools", "1st", "класс", "class", "constructor", "__proto__"].map((text) =>
    names.make(text),
  );
  expect(new Set(made).size).toBe(made.length);
  for (const name of made) expect(name).toMatch(/^[A-Z][A-Za-z0-9]*$/);
});

const schema = (a: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties: { a }, ...more });

test.each<[string, JsonObject, boolean, boolean]>([
  ["the same in another order", { properties: { a: { type: "string" } }, type: "object" }, false, false],
  ["another type", schema({ type: "number" }), true, false],
  ["one more required", schema({ type: "string" }, { required: ["a"] }), true, false],
  ["another description of a member", schema({ type: "string", description: "new" }), false, false],
  [
    "a member that is called description",
    { type: "object", properties: { a: { type: "string" }, description: { type: "string" } } },
    true,
    false,
  ],
])("drift: %s", async (_name, next, isChanged, isText) => {
  const [before, after] = await Promise.all([contractOf(offerOf(schema({ type: "string" }))), contractOf(offerOf(next))]);
  expect(driftBetween(before, after)).toEqual({ added: [], removed: [], changed: isChanged ? ["tool t"] : [], texts: isText });
});

test("a contract is read back from the file, also one with other line ends", async () => {
  const offer = offerOf(schema({ type: "string" }));
  const contract = await contractOf(offer);
  const text = await typedClient(offer, contract, "https://example.com/mcp");
  expect([
    contractIn(text),
    contractIn(text.replaceAll("\n", "\r\n")),
    contractIn("export const contract = {\n} as const;"),
  ]).toEqual([contract, contract, undefined]);
});
