/** What the tools of a document say of themselves, and what is left out of a document with its reason. */
import { expect, it } from "vitest";
import type { JsonObject } from "tenon";
import { fromOpenApi } from "tenon/openapi";
import { documentOf } from "./api.ts";

async function made(paths: JsonObject, more: JsonObject = {}) {
  return fromOpenApi(documentOf(paths, more), { baseUrl: "https://api.example" });
}

it.each([
  ["get", { readOnlyHint: true, openWorldHint: true }],
  ["head", { readOnlyHint: true, openWorldHint: true }],
  ["put", { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true }],
  ["delete", { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true }],
  ["post", { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }],
  ["patch", { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }],
])("a tool of %s says whether it changes something, and whether it may be repeated", async (method, annotations) => {
  const { tools } = await made({ "/a": { [method]: { operationId: "do" } } });
  expect(tools["do"]?.options.annotations).toEqual(annotations);
});

it("an empty text counts as absent: no title and no description", async () => {
  const operation = { operationId: "do", summary: "", description: "" };
  const { tools } = await made({ "/a": { get: operation } });
  const { title, description } = tools["do"]!.options;
  expect(title).not.toBe("");
  expect(description).not.toBe("");
});

it("a parameter of the path that the path does not have is left out; one that is not declared is a text", async () => {
  const parameters = [
    { name: "gone", in: "path", required: true, schema: { type: "string" } },
    { name: "gone", in: "query", schema: { type: "integer" } },
  ];
  const { tools } = await made({ "/a/{here}": { get: { operationId: "do", parameters } } });
  const { properties, required } = tools["do"]!.options.input as { properties: JsonObject; required: string[] };
  expect(properties).toMatchObject({ here: { type: "string" }, gone: { type: "integer" } });
  expect(required).toEqual(["here"]);
});

it("the result of an operation that reads has a schema, loosely: null may be anywhere; one that changes has none", async () => {
  const schema = {
    type: "object",
    properties: { at: { type: "string" }, list: { type: "array", items: { type: ["integer", "null"] } }, any: {} },
  };
  const responses = { "200": { content: { "application/json": { schema } } } };
  const { tools } = await made({ "/a": { get: { operationId: "read", responses }, post: { operationId: "change", responses } } });
  expect(tools["change"]?.options.output).toBeUndefined();
  const { properties } = tools["read"]!.options.output as { properties: JsonObject };
  expect(properties).toMatchObject({ at: { type: ["string", "null"] }, list: { type: ["array", "null"] } });
});
