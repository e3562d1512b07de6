/** Limits on documents, and where they come from. */
import { expect, it } from "vitest";
import { LimitExceededError } from "tenon";
import { fromOpenApi, OpenApiDocumentError } from "tenon/openapi";
import { documentOf, json, oneOperation, rejectionOf, startApi } from "./api.ts";

const BASE = { baseUrl: "https://api.example.com" };
const HEAD = '{"openapi":"3.1.0","info":{},"paths":{"/a":{"get":{}}}';

it("reads YAML with anchors and merge keys like the JSON that they mean", async () => {
  const yaml = `
openapi: 3.1.0
info: { title: Pets, version: 1.0 }
x-base: &base { name: q, in: query }
paths:
  /pets:
    get: { operationId: list, parameters: [{ <<: *base, required: yes }, *base ], responses: { 200: { description: ok } } }
`;
  const { tools, info } = await fromOpenApi(yaml, BASE);
  expect(info.title).toBe("Pets");
  expect(tools["list"]?.options.input).toMatchObject({ properties: { q: {} } });
});

it.each([
  ["bytes", `${HEAD},"x":"${"x".repeat(40 * 1024 * 1024)}"}`, "documentBytes", 33_554_432],
  ["depth", `${HEAD},"x":${"[".repeat(10_000)}${"]".repeat(10_000)}}`, "documentDepth", 256],
  ["depth of YAML", `openapi: 3.1.0\nx: ${"[".repeat(10_000)}${"]".repeat(10_000)}`, "documentDepth", 256],
])("refuses a document of too many %s", async (_, text, limit, max) => {
  expect(await rejectionOf(fromOpenApi(text, BASE))).toMatchObject({ limit, max });
});

it("counts the values of a document", async () => {
  const text = `${HEAD},"x":[${"1,".repeat(1_000)}1]}`;
  expect(await rejectionOf(fromOpenApi(text, { ...BASE, limits: { documentNodes: 100 } }))).toMatchObject({
    limit: "documentNodes",
    max: 100,
  });
  expect(
    await rejectionOf(fromOpenApi(`openapi: 3.1.0\nx: [${"1,".repeat(1_000)}1]`, { ...BASE, limits: { documentNodes: 100 } })),
  ).toBeInstanceOf(LimitExceededError);
  await expect(fromOpenApi(text, BASE)).resolves.toBeDefined();
});

it.each([
  ['it has no "paths"', { paths: undefined }],
  ['there is no operation, such as "get", below its "paths"', {}],
  ['there is no operation, such as "get", below its "paths"', { paths: { "/a": { parameters: [] } } }],
])("refuses a document that describes nothing to serve: %s", async (why, more) => {
  const document = JSON.stringify(documentOf({}, more));
  const error = await rejectionOf(fromOpenApi(document, BASE));
  expect(error).toBeInstanceOf(OpenApiDocumentError);
  expect(error).toHaveProperty("message", `The document describes nothing to serve: ${why}`);
});

it("refuses aliases that multiply", async () => {
  const bomb = Array.from({ length: 12 }, (_, i) => `  a${i}: &a${i} [${i === 0 ? "x" : `*a${i - 1},`.repeat(9)}]`).join("\n");
  expect(await rejectionOf(fromOpenApi(`openapi: 3.1.0\nx:\n${bomb}`, BASE))).toMatchObject({
    limit: "documentAliases",
    max: 1_000,
  });
});

it("refuses an object that contains itself", async () => {
  const document: Record<string, unknown> = documentOf({});
  document["self"] = document;
  expect(await rejectionOf(fromOpenApi(document, BASE))).toMatchObject({ limit: "documentDepth" });
});

it("does not touch prototypes, with any keys", async () => {
  const text =
    '{"openapi":"3.1.0","info":{},"__proto__":{"polluted":1},"paths":{"/a":{"get":{"operationId":"__proto__"}},' +
    '"/b":{"get":{"operationId":"constructor"}}}}';
  for (const source of [
    text,
    "openapi: 3.1.0\n__proto__: { polluted: 1 }\npaths: { /a: { get: { operationId: __proto__ } }, " +
      "/b: { get: { operationId: constructor } } }",
  ]) {
    const { tools } = await fromOpenApi(source, BASE);
    expect(Object.keys(tools)).toEqual(["__proto__", "constructor"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  }
});

it.each([
  ["swagger: '2.0'", "The document is of Swagger 2.0: convert it to OpenAPI 3 first"],
  ["openapi: 4.0.0", 'The document must have "openapi": "3.0.x", "3.1.x" or "3.2.x", not 4.0.0'],
  ["- a", "The document is not an object"],
  ["./petstore.yaml", "The text is no document: pass the text of the file itself, or the URL of a document on the web"],
  ["a: b: c", "The document is neither JSON nor YAML"],
  ['{"a":1,"a":2}', "an object has the same key twice"],
])("refuses %j", async (text, why) => {
  const error = await rejectionOf(fromOpenApi(text, BASE));
  expect(error).toBeInstanceOf(OpenApiDocumentError);
  expect(error.message).toContain(why);
});

it("fetches a document from a URL, and takes relative servers from there", async () => {
  const { url, requests } = await startApi((response, { target }) =>
    json(response, target === "/docs/api.json" ? { ...oneOperation({}), servers: [{ url: "../v2" }] } : { ok: true }),
  );
  const { tools, report } = await fromOpenApi(`${url}/docs/api.json`, { allowLoopback: true });
  expect(report).toEqual([{ operation: "GET /things", tool: "call", status: "tool" }]);
  expect(Object.keys(tools)).toEqual(["call"]);
  expect(requests.map(({ target }) => target)).toEqual(["/docs/api.json"]);
});

it("fetches no file, and says why a document cannot be fetched", async () => {
  const { url } = await startApi((response, { target }) =>
    target === "/large" ? json(response, "x".repeat(2_000)) : json(response, {}, 404),
  );
  for (const [source, why] of [
    [new URL("file:///etc/passwd"), "A document is fetched from https: or http:, not file:"],
    [`${url}/none`, "HTTP 404"],
    [`${url}/large`, '(option "limits.documentBytes")'],
  ] as const) {
    expect(await rejectionOf(fromOpenApi(source, { limits: { documentBytes: 1_000 } }))).toMatchObject({
      message: expect.stringContaining(why) as unknown,
    });
  }
});

it("says that a document cannot be fetched, whatever a fetch of the program throws", async () => {
  for (const thrown of ["down", new Error("down")])
    expect(
      await rejectionOf(fromOpenApi("https://api.example/a.json", { fetch: () => Promise.reject(thrown as Error) })),
    ).toMatchObject({
      message: "The document at https://api.example/a.json cannot be fetched: The API cannot be reached",
    });
});

it("refuses options that do not exist or have a wrong value", async () => {
  const document = documentOf({});
  await expect(fromOpenApi(document, { baseURL: "x" } as never)).rejects.toThrow('Did you mean "baseUrl"?');
  await expect(fromOpenApi(document, { timeout: 0 })).rejects.toThrow('Option "timeout" must be a number >= 1, not 0');
  await expect(fromOpenApi(document, { baseUrl: "example.com" })).rejects.toThrow(
    'Option "baseUrl" must be a URL of https: or http:',
  );
  await expect(fromOpenApi(document, { baseUrl: "https://a:b@example.com" })).rejects.toThrow('use option "auth"');
});
