/** What a document says decides what a tool takes: each kind of body by its media type, each parameter by its place and style. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "tenon";
import { fromOpenApi, type OpenApi, type OpenApiOptions } from "tenon/openapi";
import { clientOf, oneOperation } from "./api.ts";

const OPTIONS: OpenApiOptions = { baseUrl: "https://api.example.com" };

async function schemaOf(operation: JsonObject, more: JsonObject = {}, options: OpenApiOptions = {}): Promise<JsonObject> {
  const { client } = await clientOf(oneOperation(operation, more), { ...OPTIONS, ...options });
  const [tool] = (await client.listTools()).tools;
  return tool!.inputSchema as JsonObject;
}

/** The argument for a body of these types, and whether it is required. */
async function bodyOf(content: JsonObject, request: JsonObject = {}, options: OpenApiOptions = {}): Promise<unknown> {
  const schema = await schemaOf({ requestBody: { content, ...request } }, { method: "post" }, options);
  return (schema["properties"] as JsonObject)["body"];
}

/** The argument for one parameter. */
async function argumentOf(parameter: JsonObject): Promise<unknown> {
  const schema = await schemaOf(
    { parameters: [{ name: "color", ...parameter }] },
    parameter["in"] === "path" ? { path: "/{color}" } : {},
  );
  return (schema["properties"] as JsonObject)["color"];
}

const refusedBy = async (parameters: JsonObject[], more: JsonObject = {}): Promise<string> => {
  const { report } = (await fromOpenApi(oneOperation({ parameters }, more), OPTIONS)) as OpenApi;
  return JSON.stringify(report);
};

const BYTES = {
  type: "object",
  properties: {
    data: { type: "string", contentEncoding: "base64", description: "The bytes as base64" },
    filename: { type: "string" },
    mimeType: { type: "string" },
  },
  required: ["data"],
  additionalProperties: false,
};
const LIST = { type: "array", items: { type: "string" } };

describe("the body of a request", () => {
  const text = (type: string): JsonObject => ({ type: "string", description: `Text of the type ${type}` });
  it.each<[string, JsonObject]>([
    ["application/json", LIST],
    ["application/json; charset=utf-8", LIST],
    ["application/vnd.api+json", LIST],
    ["*/*", LIST],
    ["application/*", LIST],
    ["text/plain", text("text/plain")],
    ["text/csv", text("text/csv")],
    ["application/xml", text("application/xml")],
    ["application/x-unknown", text("application/x-unknown")],
    ["application/octet-stream", BYTES],
    ["image/png", BYTES],
    ["audio/ogg", BYTES],
    ["video/mp4; codecs=x", BYTES],
    ["application/zip", BYTES],
    ["application/gzip", BYTES],
    ["application/pdf", BYTES],
    ["application/x-tar", BYTES],
    ["application/x-binary", BYTES],
    ["application/x-protobuf", BYTES],
  ])("of the type %s", async (type, expected) => {
    expect(await bodyOf({ [type]: { schema: LIST } })).toEqual(expected);
  });

  it("is JSON before a form, a form before multipart, then text, bytes, and any other type", async () => {
    const all = [
      "application/x-unknown",
      "image/png",
      "text/plain",
      "multipart/form-data",
      "application/x-www-form-urlencoded",
      "application/json",
    ];
    const kinds: string[] = [];
    for (let left = all; left.length > 0; left = left.slice(0, -1)) {
      const content = Object.fromEntries(left.map((type) => [type, { schema: { type: "array", items: { const: type } } }]));
      const body = JSON.stringify(await bodyOf(content));
      kinds.push(body.includes("base64") ? "bytes" : body.includes("Text of") ? "text" : left.at(-1)!);
    }
    expect(kinds).toEqual([
      "application/json",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "text",
      "bytes",
      "text",
    ]);
  });

  it("has the description of the document, and a resource in place of bytes only with readFile", async () => {
    const described = { description: "What to do" };
    expect(await bodyOf({ "text/plain": {} }, described)).toEqual({ type: "string", ...described });
    expect(await bodyOf({ "application/json": { schema: LIST } }, described)).toEqual({ ...LIST, ...described });
    expect(await bodyOf({ "image/png": {} }, described)).toEqual({ ...BYTES, ...described });
    const { required: _, ...bytes } = BYTES;
    const uri = { type: "string", description: "A resource of this server, instead of data" };
    expect(await bodyOf({ "image/png": {} }, {}, { readFile: () => Promise.reject(new Error("none")) })).toEqual({
      ...bytes,
      properties: { ...BYTES.properties, uri },
      anyOf: [{ required: ["data"] }, { required: ["uri"] }],
    });
  });

  it.each<[string, JsonObject, boolean]>([
    ["the format binary", { type: "string", format: "binary" }, true],
    ["a type of bytes", { type: "string", contentMediaType: "image/png" }, true],
    ["bytes that are written as text", { type: "string", contentMediaType: "image/png", contentEncoding: "base64" }, false],
    ["text that is JSON", { type: "string", contentMediaType: "application/json" }, false],
    ["another format", { type: "string", format: "date" }, false],
  ])("of a form with files: %s is a file: %#", async (_what, property, isFile) => {
    const properties = { one: { ...property, description: "One" }, many: { type: "array", items: property } };
    const schema = await bodyOf({
      "multipart/form-data": {
        schema: { allOf: [{ properties: { one: properties.one } }], properties: { many: properties.many } },
      },
    });
    const { one, many } = (schema as { properties: { one: JsonObject; many: JsonObject } }).properties;
    expect(one["description"]).toBe("One");
    if (!isFile)
      expect([one, many]).toEqual([
        expect.objectContaining({ type: "string" }),
        expect.objectContaining({ items: expect.objectContaining({ type: "string" }) as object }),
      ]);
    else
      expect([one, many]).toEqual([
        { ...BYTES, description: "One" },
        { type: "array", items: BYTES },
      ]);
  });
});

describe("a parameter", () => {
  it("keeps its description, that it is deprecated, and a short example", async () => {
    const schema = { type: "string" };
    const short = "x".repeat(198);
    expect(await argumentOf({ in: "query", schema, description: "A color", deprecated: true, example: short })).toEqual({
      type: "string",
      description: "A color",
      deprecated: true,
      examples: [short],
    });
    expect(await argumentOf({ in: "query", schema, example: `${short}x` })).toEqual(schema);
    expect(await argumentOf({ in: "query", schema, deprecated: false })).toEqual(schema);
    const long = (await argumentOf({ in: "query", schema, description: "d".repeat(2_000) })) as { description: string };
    expect(long.description.length).toBeLessThanOrEqual(1_000);
  });

  it("with a media type is a value of its schema if that is JSON or a form, else a text", async () => {
    const content = (type: string): JsonObject => ({
      in: "query",
      description: "A color",
      content: { [type]: { schema: LIST } },
    });
    const described = { description: "A color" };
    expect(await argumentOf(content("application/json"))).toEqual({ ...LIST, ...described });
    expect(await argumentOf(content("application/x-www-form-urlencoded"))).toEqual({ ...LIST, ...described });
    expect(await argumentOf(content("text/csv"))).toEqual({ type: "string", ...described });
  });

  it.each<[JsonObject, JsonObject, string]>([
    [{ in: "path", style: "form" }, { path: "/{color}" }, "has the style form, which a path cannot have"],
    [{ in: "query", style: "matrix" }, {}, "has the style matrix, which a query cannot have"],
    [{ in: "header", style: "form" }, {}, "has the style form, which a header cannot have"],
    [{ in: "cookie", style: "simple" }, {}, "has the style simple, which a cookie cannot have"],
    [
      { in: "query", style: "deepObject", explode: false },
      {},
      "has the style deepObject with explode: false, which is not defined",
    ],
    [{ in: "body" }, {}, "a parameter has no name or no place"],
    [{ in: "query", name: undefined }, {}, "a parameter has no name or no place"],
    [{ in: "header", name: "a b" }, {}, "has a name that HTTP does not allow"],
  ])("%j is refused", async (parameter, more, why) => {
    expect(await refusedBy([{ name: "color", ...parameter }], more)).toContain(why);
  });

  it.each([
    ..."accept accept-encoding authorization connection content-length content-type cookie expect host keep-alive".split(" "),
    ..."proxy-authorization te trailer transfer-encoding upgrade user-agent".split(" "),
  ])("that is the header %s is none of the model's, in any letters", async (name) => {
    for (const one of [name, name.toUpperCase()]) {
      const operation = {
        parameters: [
          { name: one, in: "header" },
          { name: `x-${one}`, in: "header" },
        ],
      };
      expect(Object.keys((await schemaOf(operation))["properties"] as JsonObject)).toEqual([`x-${one}`]);
      expect(await refusedBy(operation.parameters)).toContain(`the header ${one} is not an argument`);
    }
  });

  it("of a path is required, one that the path lacks is left out; a variable of the path is one, also undescribed", async () => {
    const parameters = [
      { name: "a", in: "path" },
      { name: "gone", in: "path" },
      { name: "q", in: "query" },
      { name: "r", in: "query", required: true },
    ];
    const schema = await schemaOf({ parameters }, { path: "/{a}/{b}" });
    expect(Object.keys(schema["properties"] as JsonObject).toSorted()).toEqual(["a", "b", "q", "r"]);
    expect((schema["required"] as string[]).toSorted()).toEqual(["a", "b", "r"]);
    expect(await refusedBy(parameters, { path: "/{a}/{b}" })).toContain("the path has no variable gone");
  });
});
