/** Which operations become tools, and what these are called and say. */
import { expect, it, vi } from "vitest";
import { connect, type JsonObject } from "tenon";
import { fromOpenApi, type OpenApiOptions } from "tenon/openapi";
import { callOnce, documentOf, oneOperation, rejectionOf, startApi } from "./api.ts";
import { testServer } from "../support/test-server.ts";

const OPTIONS: OpenApiOptions = { baseUrl: "https://api.example.com" };

async function namesIn(paths: JsonObject, options: OpenApiOptions = {}): Promise<string[]> {
  return Object.keys((await fromOpenApi(documentOf(paths), { ...OPTIONS, ...options })).tools);
}

it("names tools by operationId, or by method and path, in 64 characters that all models take", async () => {
  const names = await namesIn({
    "/a": { get: { operationId: "repos/list-all.things" } },
    "/a/{id}/b": { delete: {} },
    "/long": { get: { operationId: "x".repeat(80) }, put: { operationId: "x".repeat(80) + "y" } },
  });
  expect(names.slice(0, 2)).toEqual(["repos_list-all_things", "delete_a_id_b"]);
  expect(new Set(names).size).toBe(4);
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
});

it("says why not one operation became a tool: to onError, else on stderr", async () => {
  const log = vi.spyOn(console, "error").mockReturnValue();
  const none: OpenApiOptions = { include: { tags: ["none"] } };
  const why = 'Not one operation of the document becomes a tool. The first, GET /a: option "include" leaves it out';
  const errors: string[] = [];
  await namesIn({ "/a": { get: {} } }, { ...none, onError: ({ message }) => errors.push(message) });
  expect([errors, log.mock.calls]).toEqual([[why], []]);
  await namesIn({ "/a": { get: {} } }, none);
  expect(log.mock.calls).toEqual([[`tenon: fromOpenApi(): ${why}`]]);
  log.mockRestore();
});

it("gives both of two operations with one name a hash, in any order", async () => {
  const [a, b] = [{ get: { operationId: "list" } }, { get: { operationId: "list" } }];
  const names = await namesIn({ "/a": a, "/b": b });
  expect(names).toEqual([expect.stringMatching(/^list_\w{7}$/), expect.stringMatching(/^list_\w{7}$/)]);
  expect((await namesIn({ "/b": b, "/a": a })).sort()).toEqual([...names].sort());
  expect(await namesIn({ "/b": b, "/a": a }, { include: { paths: ["/a"] } })).toEqual([names[0]]);
});

it("takes names from a hook, and refuses those that cannot be used", async () => {
  const paths = { "/a": { get: {} }, "/b": { get: {} } };
  expect(await namesIn(paths, { name: ({ path }) => (path === "/a" ? "first" : undefined) })).toEqual(["first", "get_b"]);
  await expect(namesIn(paths, { name: () => "same" })).rejects.toThrow(
    'Option "name" gives the name same to two operations; the second is GET /b',
  );
  await expect(namesIn(paths, { name: () => "no name" })).rejects.toThrow(
    'must return 1 to 64 letters, digits, "_" or "-" for GET /a',
  );
});

it("includes by tags, methods, paths, operations or a function", async () => {
  const paths = {
    "/a": { get: { tags: ["x"] }, post: { tags: ["x"], operationId: "add" } },
    "/b/c": { get: {}, delete: { deprecated: true } },
  };
  expect(await namesIn(paths)).toEqual(["get_a", "add", "get_b_c"]);
  expect(await namesIn(paths, { deprecated: true })).toHaveLength(4);
  expect(await namesIn(paths, { include: { tags: ["x"], methods: ["get"] } })).toEqual(["get_a"]);
  expect(await namesIn(paths, { include: { paths: ["/b*"] } })).toEqual(["get_b_c"]);
  expect(await namesIn(paths, { include: { operations: ["add"] } })).toEqual(["add"]);
  expect(await namesIn(paths, { include: ({ path }) => path === "/a" })).toEqual(["get_a", "add"]);
});

it("reports what it leaves out", async () => {
  const paths = {
    "/a": { trace: {}, get: { callbacks: { done: {} } } },
    "/b": { get: { parameters: [{ name: "f", in: "query", style: "deepObject", explode: false }] } },
  };
  const { report } = await fromOpenApi(documentOf(paths, { webhooks: { added: { post: {} } } }), OPTIONS);
  expect(report).toEqual([
    { operation: "GET /a", tool: "get_a", status: "tool", why: "its callbacks are left out" },
    { operation: "TRACE /a", status: "skipped", why: "its method is TRACE" },
    {
      operation: "GET /b",
      status: "skipped",
      why: 'the parameter "f" has the style deepObject with explode: false, which is not defined',
    },
    { operation: "POST added", status: "skipped", why: "it is a webhook, which the API calls" },
  ]);
});

it("describes a tool by its summary and description, says what its method says, and lets map change that", async () => {
  const document = oneOperation({ summary: "List", description: "All things.", parameters: [{ name: "cursor", in: "query" }] });
  const { tools } = await fromOpenApi(document, OPTIONS);
  expect(tools["call"]?.options).toMatchObject({
    description: 'List\n\nAll things.\n\nReturns one page: pass "cursor" to get another one.',
    annotations: { readOnlyHint: true, openWorldHint: true },
  });
  const put = await fromOpenApi(oneOperation({}, { method: "put" }), {
    ...OPTIONS,
    map: (tool, { path }) => ({ ...tool, description: path }),
  });
  expect(put.tools["call"]?.options).toMatchObject({
    description: "/things",
    annotations: { destructiveHint: true, idempotentHint: true, readOnlyHint: false },
  });
});

it("sends the methods of version 3.2", async () => {
  const query = oneOperation({ requestBody: { content: { "application/json": {} } } }, { method: "query", openapi: "3.2.0" });
  const { request } = await callOnce(query, { body: { a: 1 } });
  expect([request?.method, String(request?.body)]).toEqual(["QUERY", '{"a":1}']);
  const copy = documentOf({ "/things": { additionalOperations: { COPY: { operationId: "call" } } } }, { openapi: "3.2.0" });
  expect((await callOnce(copy, {})).request?.method).toBe("COPY");
  const self = {
    openapi: "3.2.0",
    $self: "https://x.example/api",
    components: { parameters: { Q: { name: "q", in: "query" } } },
  };
  const document = documentOf(
    { "/things": { get: { operationId: "call", parameters: [{ $ref: "https://x.example/api#/components/parameters/Q" }] } } },
    self,
  );
  expect((await callOnce(document, { q: 1 })).request?.target).toBe("/things?q=1");
});

it("takes parameters from the path item, and those of the operation before them", async () => {
  const q = { name: "q", in: "query", schema: { type: "string" } };
  const get = {
    operationId: "call",
    parameters: [
      { ...q, schema: { type: "integer" } },
      { name: "r", in: "query" },
    ],
  };
  const { tools } = await fromOpenApi(documentOf({ "/a/{id}": { parameters: [q], get } }), OPTIONS);
  expect(tools["call"]?.options.input).toEqual({
    type: "object",
    properties: { q: { type: "integer" }, r: {}, id: { type: "string" } },
    required: ["id"],
    additionalProperties: false,
  });
});

it.each([
  "Accept",
  "accept-encoding",
  "Authorization",
  "Connection",
  "Content-Length",
  "content-type",
  "Cookie",
  "Expect",
  "HOST",
  "Keep-Alive",
  "Proxy-Authorization",
  "TE",
  "Trailer",
  "Transfer-Encoding",
  "Upgrade",
  "User-Agent",
])("lets no model write the header %s, and says so", async (name) => {
  const parameters = [name, "X-Trace"].map((one) => ({ name: one, in: "header", schema: { type: "string" } }));
  const { tools, report } = await fromOpenApi(oneOperation({ parameters }), OPTIONS);
  expect(Object.keys((tools["call"]!.options.input as { properties: object }).properties)).toEqual(["X-Trace"]);
  expect(report[0]?.why).toContain(`the header ${name} is not an argument`);
  const { request } = await callOnce(oneOperation({ parameters }), { [name]: "forged", "X-Trace": "t1" }).catch(() => ({
    request: undefined,
  }));
  expect(JSON.stringify(request?.headers ?? {})).not.toContain("forged");
});

it("sends requests of operations for tools that a program writes itself", async () => {
  const { url, requests } = await startApi();
  const api = await fromOpenApi(oneOperation({ parameters: [{ name: "q", in: "query" }] }), { baseUrl: url });
  const server = testServer({ name: "test" });
  server.tool("find", {}, (_input, ctx) => api.request("GET /things", { q: "mine" }, ctx));
  server.tool("none", {}, async (_input, ctx) => {
    const error = await rejectionOf(api.request("none", {}, ctx));
    return error.message;
  });
  await using client = await connect(server);
  expect((await client.callTool("find")).text).toBe("{}");
  expect(requests[0]?.target).toBe("/things?q=mine");
  expect((await client.callTool("none")).text).toBe('There is no operation "none" among the tools of this API');
});
