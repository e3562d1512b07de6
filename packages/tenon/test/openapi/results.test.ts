/** What a response becomes, on every way to connect. */
import { EventEmitter, once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { connect as connectTo, type JsonObject } from "tenon";
import { fromOpenApi, type OpenApiOptions } from "tenon/openapi";
import { McpServer } from "tenon/server";
import { describeMatrix } from "../support/matrix.ts";
import { json, oneOperation, rejectionOf, startApi, textOf, type Answer } from "./api.ts";

const PET = {
  type: "object",
  required: ["id", "name"],
  properties: { id: { type: "integer" }, name: { type: "string" }, tags: { type: "array", items: { type: "string" } } },
};

function returning(schema: unknown, more: JsonObject = {}): JsonObject {
  return oneOperation({ responses: { 200: { content: { "application/json": { schema } } } } }, more);
}

async function serverOf(document: object, answer: Answer, options: OpenApiOptions = {}): Promise<McpServer> {
  const { url } = await startApi(answer);
  const { tools } = await fromOpenApi(document, { baseUrl: url, ...options });
  const server = new McpServer({ name: "test", version: "1" }, { tools });
  onTestFinished(() => server.close());
  return server;
}

describeMatrix("A response", ({ connect, since }) => {
  it("is data that matches the published schema, also if members are null or missing", async () => {
    const pet = { id: null, extra: { a: 1 } };
    const client = await connect(await serverOf(returning(PET), (response) => json(response, pet)));
    const { structuredContent, content } = await client.callTool("call");
    expect(content).toEqual([{ type: "text", text: JSON.stringify(pet) }]);
    expect(structuredContent).toEqual(since("2025-06-18") ? pet : undefined);
  });

  it("that is a list is the member result", async () => {
    const client = await connect(
      await serverOf(returning({ type: "array", items: PET }), (response) => json(response, [{ id: 1 }])),
    );
    const { structuredContent } = await client.callTool("call");
    expect(structuredContent).toEqual(since("2025-06-18") ? { result: [{ id: 1 }] } : undefined);
  });

  it("is described to a depth of four, in lists of lists too", async () => {
    const nested = (depth: number): JsonObject =>
      depth === 0 ? { type: "string" } : { type: "array", items: nested(depth - 1) };
    const client = await connect(await serverOf(returning(nested(6)), (response) => json(response, [])));
    const [tool] = (await client.listTools()).tools;
    const list = (items: JsonObject): JsonObject => ({ type: ["array", "null"], items });
    const result = list(list(list(list({}))));
    expect(tool!.outputSchema).toEqual(since("2025-06-18") ? { type: "object", properties: { result } } : undefined);
  });

  it("that fails is a failure with the status and the server's text", async () => {
    const answer: Answer = (response) =>
      void response
        .writeHead(429, { "content-type": "application/problem+json", "retry-after": "7" })
        .end('{"title":"Slow down","detail":"10 a minute"}');
    const client = await connect(await serverOf(returning(PET), answer));
    const result = await client.callTool("call");
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe("429 Too Many Requests\nRetry-After: 7\nSlow down: 10 a minute");
  });

  it("that streams is abandoned when the client cancels", async () => {
    const api = new EventEmitter();
    const [started, closed] = [once(api, "started"), once(api, "closed")];
    const answer: Answer = (response) => {
      response
        .on("close", () => api.emit("closed"))
        .writeHead(200, { "content-type": "application/json" })
        .write("[1,");
      api.emit("started");
    };
    const client = await connect(await serverOf(returning(PET), answer));
    const controller = new AbortController();
    const call = rejectionOf(client.callTool("call", {}, { signal: controller.signal }));
    await started;
    controller.abort(new Error("enough"));
    expect(await call).toMatchObject({ message: "enough" });
    await closed;
  });
});

async function resultOf(
  document: object,
  answer: Answer,
  options: OpenApiOptions = {},
): Promise<{ text: string; data: unknown; isError: boolean; types: string[]; told: string[] }> {
  const told: string[] = [];
  const client = await connectTo(
    await serverOf(document, answer, { onError: ({ message }) => void told.push(message), ...options }),
  );
  onTestFinished(() => client.close());
  const result = await client.callTool("call");
  return {
    text: textOf(result),
    data: result.structuredContent,
    isError: result.isError,
    types: result.content.map(({ type }) => type),
    told,
  };
}

it("gives null in the data for a value of another type, keeps the text, and reports it", async () => {
  const pet = { id: "7", name: "Rex", tags: [1, "a"] };
  const { text, data, told } = await resultOf(returning(PET), (response) => json(response, pet));
  expect(data).toEqual({ id: null, name: "Rex", tags: [null, "a"] });
  expect(text).toBe(JSON.stringify(pet));
  expect(told).toEqual(["The response of GET /things does not have the types of its schema"]);
});

it.each([
  ["null", "null", { result: null }],
  ["a list", "[1]", { result: [1] }],
  ["no JSON", "<html>", {}],
])("keeps %s in place of an object", async (_, body, data) => {
  const found = await resultOf(
    returning(PET),
    (response) => void response.writeHead(200, { "content-type": "application/json" }).end(body),
  );
  expect({ data: found.data, text: found.text, isError: found.isError }).toEqual({ data, text: body, isError: false });
});

it("is checked by the exact schema if that is asked for", async () => {
  const good = await resultOf(returning(PET), (response) => json(response, { id: 1, name: "Rex" }), { output: "exact" });
  expect({ data: good.data, isError: good.isError }).toEqual({ data: { id: 1, name: "Rex" }, isError: false });
  const bad = await resultOf(returning(PET), (response) => json(response, { id: null }), { output: "exact" });
  expect(bad.isError).toBe(true);
  expect(bad.text).toMatch(/^The API accepted the request, but its response does not match the schema: .*\n\{"id":null\}$/);
  expect(bad.told).toHaveLength(1);
});

it("has no schema for a write, so that a write that succeeded never fails", async () => {
  const { tools } = await fromOpenApi(returning(PET, { method: "post" }), { baseUrl: "https://api.example.com" });
  expect(tools["call"]?.options.output).toBeUndefined();
  const found = await resultOf(returning(PET, { method: "post" }), (response) => json(response, [1], 201));
  expect({ data: found.data, text: found.text }).toEqual({ data: { result: [1] }, text: "[1]" });
});

const PNG = Buffer.from("89504e47", "hex");
it.each<[string, string, Buffer, string[], string]>([
  ["an image", "image/png", PNG, ["image"], ""],
  ["a sound", "audio/mpeg", PNG, ["audio"], ""],
  ["a file", "application/pdf", PNG, ["resource"], ""],
  ["a file of 256 KiB", "application/zip", Buffer.alloc(262_144), ["resource"], ""],
  ["a larger file", "application/zip", Buffer.alloc(262_145), ["resource_link"], ""],
  ["a text", "text/csv", Buffer.from("a,b\n"), ["text"], "a,b\n"],
])("is %s if its type says so", async (_, type, bytes, types, text) => {
  const found = await resultOf(oneOperation({}), (response) => void response.writeHead(200, { "content-type": type }).end(bytes));
  expect(found).toMatchObject({ types, text, isError: false });
});

it("keeps what can be read of a text in another encoding", async () => {
  const answer: Answer = (response) =>
    void response.writeHead(200, { "content-type": "text/plain" }).end(Buffer.from("Jos\u00E9 \u00A31", "latin1"));
  const client = await connectTo(await serverOf(oneOperation({}), answer));
  onTestFinished(() => client.close());
  expect(textOf(await client.callTool("call"))).toBe("Jos\uFFFD \uFFFD1");
});

it("is its status if it is empty", async () => {
  const found = await resultOf(returning(PET), (response) => void response.writeHead(204).end());
  expect(found).toMatchObject({ text: "204 No Content", data: {}, isError: false });
});

it("is cut at the limit, and says so", async () => {
  const answer: Answer = (response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(["x".repeat(5 * 1024 * 1024)]));
  const found = await resultOf(returning({ type: "array" }), answer);
  expect(found.text).toHaveLength(4 * 1024 * 1024 + "\n[The rest is left out: the response is longer than 4194304 bytes]".length);
  expect(found.data).toEqual({});
  const image = await resultOf(
    oneOperation({}),
    (response) => void response.writeHead(200, { "content-type": "image/png" }).end(Buffer.alloc(100)),
    { maxResponseBytes: 99 },
  );
  expect(image.text).toContain('longer than 99 bytes (option "maxResponseBytes")');
});

it("keeps 4 096 characters of a failure", async () => {
  const found = await resultOf(
    oneOperation({}),
    (response) => void response.writeHead(500, { "content-type": "text/plain" }).end("at stack\n".repeat(10_000)),
  );
  expect(found.isError).toBe(true);
  expect(found.text).toHaveLength(4_096);
});

it("names the arguments of the next page", async () => {
  const document = oneOperation({ parameters: ["page", "state"].map((name) => ({ name, in: "query" })) });
  const link = '</things?page=2&state=open>; rel="next", </things?page=9>; rel="last"';
  const found = await resultOf(
    document,
    (response) => void response.writeHead(200, { link, "content-type": "application/json" }).end("[]"),
  );
  expect(found.text).toContain('There is a next page: call this tool again with {"page":"2","state":"open"}');
});

it("is a failure without details if the API cannot be reached or is late, and the operator learns why", async () => {
  const gone = await resultOf(oneOperation({}), () => undefined, { baseUrl: "http://127.0.0.1:1" });
  expect({ text: gone.text, isError: gone.isError }).toEqual({ text: "The API cannot be reached", isError: true });
  expect(gone.told[0]).toContain("ECONNREFUSED");
  const late = await resultOf(oneOperation({}), () => undefined, { timeout: 20 });
  expect(late.text).toBe('The API did not respond within 20 ms (option "timeout")');
});
