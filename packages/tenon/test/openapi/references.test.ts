/** References: to other documents, which only the user's function reads, and to schemas by `$id` and `$anchor`. */
import { expect, it } from "vitest";
import type { JsonObject } from "tenon";
import { fromOpenApi, type OpenApi, type OpenApiOptions } from "tenon/openapi";
import { documentOf, rejectionOf } from "./api.ts";

const BASE: OpenApiOptions = { baseUrl: "https://api.example.com", documentUrl: "https://docs.example.com/v1/api.yaml" };

/** A document whose one operation takes a body of this schema. */
function taking(schema: JsonObject, more: JsonObject = {}): JsonObject {
  const requestBody = { content: { "application/json": { schema } }, required: true };
  return documentOf({ "/things": { post: { operationId: "call", requestBody } } }, more);
}

/** The schema of the body, and the copies that it refers to. */
function bodyIn({ tools, report }: OpenApi): { body: unknown; copies: unknown } {
  const { input } = tools["call"]?.options ?? {};
  if (input === undefined) throw new Error(report[0]?.why);
  const { properties, $defs } = input as { properties: JsonObject; $defs?: JsonObject };
  return { body: properties["body"], copies: $defs };
}

/** Serves these documents, and records which were asked for. */
function files(documents: { readonly [url: string]: object | string }): OpenApiOptions & { asked: string[] } {
  const asked: string[] = [];
  return Object.defineProperty({ ...BASE, resolve: (url: URL) => (asked.push(url.href), documents[url.href]) }, "asked", {
    value: asked,
  }) as never;
}

const text = { type: "string" };
const DOCS = "https://docs.example.com/v1";

it("reads other documents, each once, with references of their own", async () => {
  const options = files({
    [`${DOCS}/pets/pet.yaml`]:
      "type: object\nproperties: { $ref: { type: string }, owner: { $ref: '../people.json#/Person' }, self: { $ref: '#' } }",
    [`${DOCS}/people.json`]: {
      Person: { type: "object", properties: { pet: { $ref: "pets/pet.yaml" }, name: { $ref: "#/Name" } } },
      Name: text,
    },
  });
  const { body, copies } = bodyIn(await fromOpenApi(taking({ $ref: "./pets/pet.yaml#" }), options));
  expect(body).toEqual({
    type: "object",
    properties: { ref: text, owner: { $ref: "#/$defs/Person" }, self: { $ref: "#/$defs/schema-2" } },
  });
  expect(copies).toEqual({
    Person: { type: "object", properties: { pet: { $ref: "#/$defs/pet.yaml" }, name: text } },
    "schema-2": expect.anything() as unknown,
    "pet.yaml": expect.anything() as unknown,
  });
  expect(options.asked).toEqual([`${DOCS}/pets/pet.yaml`, `${DOCS}/people.json`]);
});

it("takes path items, parameters and discriminators from other documents", async () => {
  const shared = {
    things: {
      get: { operationId: "list", parameters: [{ $ref: "#/limit" }] },
      post: { operationId: "call", requestBody: { $ref: "#/body" } },
    },
    limit: { name: "limit", in: "query", schema: { type: "integer" } },
    body: { required: true, content: { "application/json": { schema: { $ref: "#/Animal" } } } },
    Animal: {
      oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }],
      discriminator: { propertyName: "kind", mapping: { woof: "#/components/schemas/Dog" } },
    },
    components: { schemas: { Cat: { type: "object" }, Dog: { type: "object" } } },
  };
  const api = await fromOpenApi(
    documentOf({ "/things": { $ref: "shared.json#/things" } }),
    files({ [`${DOCS}/shared.json`]: shared }),
  );
  expect(api.tools["list"]?.options.input).toMatchObject({ properties: { limit: { type: "integer" } } });
  expect(JSON.stringify(bodyIn(api).body)).toMatch(/"kind":\{"const":"Cat"\}.*"kind":\{"const":"woof"\}/);
});

it("does not change the documents that it was given", async () => {
  const main = taking({ $ref: "other.json" });
  const other = { $id: "https://schemas.example.com/other", $defs: { a: text }, properties: { a: { $ref: "#/$defs/a" } } };
  const before = JSON.stringify([main, other]);
  await fromOpenApi(main, files({ [`${DOCS}/other.json`]: other }));
  expect(JSON.stringify([main, other])).toBe(before);
});

it("follows $anchor, and references relative to $id", async () => {
  const schemas = {
    Name: { $anchor: "name", type: "string" },
    Pet: {
      $id: "https://schemas.example.com/pet",
      type: "object",
      properties: { kind: { $ref: "#kind" }, tag: { $ref: "tag" }, first: { $ref: "#/$defs/first" } },
      $defs: { kind: { $anchor: "kind", enum: ["cat"] }, first: { type: "integer" } },
    },
    Tag: { $id: "https://schemas.example.com/tag", type: "boolean" },
  };
  const schema = { properties: { name: { $ref: "#name" }, pet: { $ref: "https://schemas.example.com/pet" } } };
  const { body } = bodyIn(await fromOpenApi(taking(schema, { components: { schemas } }), { baseUrl: "https://api.example.com" }));
  const properties = { kind: { enum: ["cat"] }, tag: { type: "boolean" }, first: { type: "integer" } };
  expect(body).toEqual({ properties: { name: text, pet: { type: "object", properties } } });
});

it("takes an $id in an example, and properties of that name, as data", async () => {
  const schema = {
    type: "object",
    properties: { $id: text, $anchor: text, name: { $ref: "#/components/schemas/Name" } },
    example: { $id: "https://evil.example.com/", $ref: "x.json" },
  };
  const options = files({});
  const { body } = bodyIn(await fromOpenApi(taking(schema, { components: { schemas: { Name: text } } }), options));
  expect(body).toMatchObject({ properties: { id: text, anchor: text, name: text } });
  expect(options.asked).toEqual([]);
});

it.each<[string, string, Partial<OpenApiOptions>, string]>([
  [
    "that is not known",
    "x.json",
    { resolve: () => undefined },
    'it refers to "x.json", which cannot be read: option "resolve" does not know it',
  ],
  [
    "that is not an object",
    "x.json",
    { resolve: () => "[1]" },
    'it refers to "x.json", which cannot be read: it is not an object',
  ],
  [
    "that cannot be read",
    "x.json#/a",
    { resolve: () => Promise.reject(new Error("no rights")) },
    'it refers to "x.json#/a", which cannot be read: no rights',
  ],
  [
    "that does not come in time",
    "x.json",
    { resolve: () => new Promise(() => {}), timeout: 5 },
    'it refers to "x.json", which cannot be read: it was not there within 5 ms (option "timeout")',
  ],
  [
    "that is too large",
    "x.json",
    { resolve: () => ({ a: [1, 2, 3, ...Array<number>(500)] }), limits: { documentNodes: 100 } },
    'it refers to "x.json", which cannot be read: ',
  ],
  ["without such a place", "x.json#/b", { resolve: () => ({ a: {} }) }, 'its reference "x.json#/b" points to nothing'],
  [
    "without such an anchor",
    "x.json#b",
    { resolve: () => ({ a: { $anchor: "a" } }) },
    'its reference "x.json#b" points to nothing',
  ],
  ["that nothing reads", "x.json", {}, 'it refers to another document, "x.json", which is not read (option "resolve")'],
  [
    "by a broken URL",
    "https://[x",
    { resolve: () => ({}) },
    'it refers to "https://[x", which cannot be read: its name is not a URL',
  ],
])("leaves an operation out that refers to a document %s, and keeps the others", async (_, $ref, options, why) => {
  const document = taking({ $ref });
  (document["paths"] as JsonObject)["/other"] = { get: { operationId: "other" } };
  const { report } = await fromOpenApi(document, { ...BASE, ...options });
  expect(report[0]?.why).toContain(why);
  expect(report[1]).toMatchObject({ tool: "other", status: "tool" });
});

it("needs the URL of a document for relative references, takes it from $self, and refuses a broken one", async () => {
  const resolve = ({ href }: URL): object | undefined => (href === `${DOCS}/x.json` ? text : undefined);
  const from = (more: JsonObject): Promise<OpenApi> =>
    fromOpenApi({ ...taking({ $ref: "x.json" }), ...more }, { baseUrl: "https://api.example.com", resolve });
  expect((await from({})).report[0]?.why).toBe(
    'it refers to another document, "x.json", whose place is unknown (option "documentUrl")',
  );
  expect(bodyIn(await from({ openapi: "3.2.0", $self: `${DOCS}/api.json` })).body).toEqual(text);
  expect((await rejectionOf(fromOpenApi(taking({}), { documentUrl: "api.yaml" }))).message).toContain(
    '"documentUrl" must be a whole URL',
  );
});

it("reads no more documents than its limit", async () => {
  const resolve = (url: URL): object => ({
    properties: { next: { $ref: `${Number(/\d+/.exec(url.pathname.slice(3))) + 1}.json` } },
  });
  let asked = 0;
  const { report } = await fromOpenApi(taking({ $ref: "0.json" }), {
    ...BASE,
    resolve: (url) => (asked++, resolve(url)),
    limits: { documents: 3 },
    maxSchemaBytes: 1_000_000,
  });
  expect(asked).toBe(3);
  expect(report[0]?.why).toBe(
    'it refers to "https://docs.example.com/v1/3.json", which cannot be read: there are more than 3 (option "limits.documents")',
  );
});
