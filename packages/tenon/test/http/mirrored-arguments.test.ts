// Arguments that a tool's schema wants repeated in headers (`x-mcp-header`), over a real socket.
import { expect, test } from "vitest";
import { McpServer } from "tenon/server";
import { serve, type Received } from "./support.ts";

async function call(headers: Record<string, string>, args: object = { region: "eu" }): Promise<Received> {
  const server = new McpServer({ name: "regions", version: "1.0.0" });
  const input = { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } } as const;
  server.tool("where", { input }, ({ region }) => String(region));
  const { post } = await serve(server);
  return post("tools/call", { name: "where", arguments: { ...args } }, headers);
}

test("a header that says what the argument says is accepted, in any case of its name [F3.5]", async () => {
  expect(await call({ "MCP-PARAM-REGION": "eu" })).toMatchObject({
    status: 200,
    json: { result: { content: [{ text: "eu" }] } },
  });
});

test.each([
  ["is missing", {}, { region: "eu" }],
  ["says something else", { "mcp-param-region": "us" }, { region: "eu" }],
  ["says something where the body says nothing", { "mcp-param-region": "eu" }, {}],
  ["is badly encoded", { "mcp-param-region": "=?base64?ZXU?=" }, { region: "eu" }],
])("a header that %s is refused with 400 and -32020, before the arguments are judged [F3.5]", async (_what, headers, args) => {
  expect(await call(headers, args)).toMatchObject({
    status: 400,
    json: { id: 1, error: { code: -32020, data: { header: "mcp-param-region" } } },
  });
});

test("sessions of stateful revisions do not have these headers [F3.5]", async () => {
  const server = new McpServer({ name: "regions", version: "1.0.0" });
  const input = { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } } as const;
  server.tool("where", { input }, ({ region }) => String(region));
  const { send } = await (await serve(server)).open("2025-11-25");
  const { text } = await send({
    jsonrpc: "2.0",
    id: 2,
    method: "tools/call",
    params: { name: "where", arguments: { region: "eu" } },
  });
  expect(text).toContain('"text":"eu"');
});

test("headers are judged before middleware runs, and once more for the tool that middleware chose [F3.5]", async () => {
  const server = new McpServer({ name: "regions", version: "1.0.0" });
  const input = { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } } as const;
  const called: unknown[] = [];
  server.tool("where", { input }, ({ region }) => String(region));
  server.tool("any", {}, () => "any");
  server.use("tools/call", (next) => (ctx) => {
    called.push(ctx.params["name"]);
    if (ctx.params["name"] === "any") ctx.params = { ...ctx.params, name: "where" };
    return next(ctx);
  });
  const { post } = await serve(server);
  const refused = { status: 400, json: { error: { code: -32020, data: { header: "mcp-param-region" } } } };
  expect(await post("tools/call", { name: "where", arguments: { region: "eu" } })).toMatchObject(refused);
  expect(called).toEqual([]);
  expect(await post("tools/call", { name: "any", arguments: { region: "eu" } })).toMatchObject(refused);
  expect(called).toEqual(["any"]);
});
