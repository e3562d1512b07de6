/** Integers above 2^53: a gateway passes them as they are written, and an API's identifiers of 64 bits keep their digits. */
import * as z from "zod";
import { describe, expect, it, onTestFinished } from "vitest";
import type { JsonObject } from "tenon";
import { createGateway } from "tenon/gateway";
import { serveHttp } from "tenon/node";
import { McpError, type McpServer } from "tenon/server";
import { clientOf, documentOf, oneOperation, startApi } from "../openapi/api.ts";
import { testServer } from "../support/test-server.ts";

const ID = "1234567890123456789";

/** A server whose results hold what it received. */
function echoServer(): McpServer {
  const server = testServer();
  server.tool("echo", { input: { type: "object" } }, (args) => ({ content: [], structuredContent: args as JsonObject }));
  server.tool("fail", { input: { type: "object" } }, (args) => {
    throw new McpError(-32050, "no", args);
  });
  return server;
}

/** Sends one text to a gateway in front of an HTTP server, and returns the text of the response. */
async function through(body: string, revision: string): Promise<string> {
  const upstream = await serveHttp(echoServer(), { port: 0 });
  const gateway = createGateway({ readyTimeout: 60_000, servers: { u: upstream.url } });
  const front = await serveHttp(gateway, { port: 0 });
  onTestFinished(async () => {
    await front.close();
    await gateway.close();
    await upstream.close();
  });
  const post = (text: string, more: Record<string, string> = {}): Promise<Response> =>
    fetch(front.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": revision,
        ...more,
      },
      body: text,
    });
  if (revision.startsWith("2026")) {
    const { method, params } = JSON.parse(body) as { method: string; params: { name: string } };
    return (await post(body, { "mcp-method": method, "mcp-name": params.name })).text();
  }
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: "c", version: "1" } };
  const opened = await post(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
  await opened.text();
  return (await post(body, { "mcp-session-id": opened.headers.get("mcp-session-id")! })).text();
}

const META =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},' +
  '"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}';

describe.each(["2025-06-18", "2025-11-25", "2026-07-28"])("a gateway, for a client of %s,", (revision) => {
  const meta = revision.startsWith("2026") ? `,${META}` : "";
  const call = (tool: string, args: string): string =>
    `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"u__${tool}","arguments":${args}${meta}}}`;

  it.each([`{"id":${ID}}`, `{"in":[{"id":-${ID},"n":18446744073709551615},${ID}],"text":"${ID}","f":0.12345678901234567890}`])(
    "passes arguments and results as they are written: %s [FD-06]",
    async (args) => {
      expect(await through(call("echo", args), revision)).toContain(`"structuredContent":${args}`);
    },
  );

  it("passes the data of an error as it is written [FD-06]", async () => {
    expect(await through(call("fail", `{"id":${ID}}`), revision)).toContain(`"id":${ID}`);
  });
});

describe("a tool whose schema library copies the arguments", () => {
  const server = testServer();
  const input = z.object({
    id: z.number(),
    n: z.coerce.number().optional(),
    in: z.array(z.object({ n: z.number() })).optional(),
  });
  server.tool("get", { input }, (args) =>
    Object.entries(args)
      .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
      .join(),
  );
  server.tool("plain", { input: { type: "object", properties: { id: { type: "integer" } } } }, (args) => ({
    content: [],
    structuredContent: args as JsonObject,
  }));
  const call = async (tool: string, args: string): Promise<string> => {
    const served = await serveHttp(server, { port: 0, sessions: false });
    onTestFinished(() => served.close());
    const headers = { "content-type": "application/json", "mcp-protocol-version": "2025-06-18" };
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":${args}}}`;
    return (await fetch(served.url, { method: "POST", headers, body })).text();
  };

  it.each([
    [`{"id":${ID}}`, "id: has more digits"],
    [`{"id":1,"n":${ID}}`, "n: has more digits"],
    [`{"id":1,"in":[{"n":1},{"n":-${ID}}]}`, "in.1.n: has more digits"],
  ])("refuses %s by name: the handler would get another number [FD-06]", async (args, refusal) => {
    expect(await call("get", args)).toContain('"isError":true');
    expect(await call("get", args)).toContain(refusal);
  });

  it.each([
    [`{"id":1.00000000000000000001}`, "id 1"],
    [`{"id":1,"n":"7"}`, "id 1,n 7"],
    [`{"id":1,"other":${ID}}`, "id 1"],
  ])("takes %s [FD-06]", async (args, said) => {
    expect(await call("get", args)).toContain(`"text":"${said}"`);
  });

  it("passes it on if nothing is copied [FD-06]", async () => {
    expect(await call("plain", `{"id":${ID}}`)).toContain(`"structuredContent":{"id":${ID}}`);
  });
});

describe("the tools of a document, for integers of 64 bits,", () => {
  const id = { type: "integer", format: "int64", maximum: 2 ** 63 };
  const Pet = {
    type: "object",
    properties: { id, owner: { type: "object", properties: { ids: { type: "array", items: id } } }, age: { type: "integer" } },
  };
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } };
  const pets = (more: JsonObject): JsonObject =>
    documentOf(
      {
        "/pets/{id}": {
          post: {
            operationId: "call",
            parameters: [
              { name: "id", in: "path", required: true, schema: id },
              { name: "ids", in: "query", schema: { type: "array", items: id } },
            ],
            ...more,
          },
        },
      },
      { components: { schemas: { Pet } } },
    );

  it.each([true, false])("take decimal text and send all digits: flatten %s [FD-06]", async (flatten) => {
    const { url, requests } = await startApi();
    const { id: _, ...rest } = Pet.properties;
    const schema = { type: "object", properties: { ...rest, other: id } };
    const document = pets({ requestBody: { required: true, content: { "application/json": { schema } } } });
    const { client } = await clientOf(document, { baseUrl: url, flatten });
    const pet = { owner: { ids: [ID, 7] }, age: 3, other: ID };
    const given = { id: ID, ids: [ID, `-${ID}`] };
    const { isError, text } = await client.callTool("call", flatten ? { ...given, ...pet } : { ...given, body: pet });
    expect([isError, text]).toEqual([false, "{}"]);
    expect(requests[0]!.target).toBe(`/pets/${ID}?ids=${ID}&ids=-${ID}`);
    expect(requests[0]!.body.toString()).toBe(`{"owner":{"ids":[${ID},7]},"age":3,"other":${ID}}`);
  });

  it("publish integer or decimal text, without a bound that is rounded [FD-06]", async () => {
    const { client } = await clientOf(pets({}), { baseUrl: "https://k.example" });
    const { properties } = (await client.listTools()).tools[0]!.inputSchema;
    expect(properties).toMatchObject({ id: { type: ["integer", "string"], format: "int64", pattern: "^-?[0-9]{1,20}$" } });
    expect(JSON.stringify(properties)).not.toContain("maximum");
  });

  it("refuse a number that has lost its digits by name, and send nothing [FD-06]", async () => {
    const { url, requests } = await startApi();
    const { client } = await clientOf(pets({ requestBody: { content } }), { baseUrl: url });
    const lost = Number(ID);
    for (const [args, name] of [
      [{ id: lost }, "id"],
      [{ id: 1, ids: [lost] }, "ids.0"],
      [{ id: 1, body: { age: lost } }, "body.age"],
    ] as const) {
      const { isError, text } = await client.callTool("call", args);
      expect([isError, text]).toEqual([true, expect.stringContaining(`The argument "${name}" is a number with more digits`)]);
    }
    const { isError } = await client.callTool("call", { id: "12x" });
    expect([isError, requests]).toEqual([true, []]);
  });

  it.each(["loose", "exact"] as const)("have texts in the data of results: output %s [FD-06]", async (output) => {
    const body = `{"id":${ID},"owner":{"ids":[${ID},7]},"age":3}`;
    const { url } = await startApi((response) => response.writeHead(200, { "content-type": "application/json" }).end(body));
    const document = documentOf(
      { "/p": { get: { operationId: "call", responses: { 200: { content } } } } },
      { components: { schemas: { Pet } } },
    );
    const { client } = await clientOf(document, { baseUrl: url, output });
    const result = await client.callTool("call");
    expect(result.text).toBe(body);
    expect(result.structuredContent).toEqual({ id: ID, owner: { ids: [ID, 7] }, age: 3 });
  });

  it.each([["9007199254740992"], ["-10000000000000000000"], ["1e21"], ["1e300"], ["0.12345678901234567890"]])(
    "keep %s in the data of results [FD-06]",
    async (written) => {
      const { url } = await startApi((response) =>
        response.writeHead(200, { "content-type": "application/json" }).end(`{"n":${written}}`),
      );
      const { client } = await clientOf(oneOperation({}), { baseUrl: url });
      const data = (await client.callTool("call")).structuredContent as JsonObject;
      expect(data).toEqual({ n: /^-?\d+$/.test(written) ? written : Number(written) });
    },
  );

  it("have a text if the response is one number [FD-06]", async () => {
    const { url } = await startApi((response) => response.writeHead(200, { "content-type": "application/json" }).end(` ${ID}`));
    const { client } = await clientOf(oneOperation({}), { baseUrl: url });
    expect((await client.callTool("call")).structuredContent).toEqual({ result: ID });
  });
});
