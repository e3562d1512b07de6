// What a stateless request is refused for, with which status and code, and in which order (ruling Z4).
import { describe, expect, test } from "vitest";
import { McpError, type McpServer, ToolError } from "tenon/server";
import type { JsonObject } from "tenon";
import { serve, STATELESS_META, type Sent } from "./support.ts";
import { testServer } from "../support/test-server.ts";

let calls = 0;
function server(): McpServer {
  const made = testServer({ onError: () => undefined });
  made.tool("hello", {}, () => (calls++, "Hello"));
  made.tool(
    "region",
    { input: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } } as const },
    ({ region }) => region ?? "",
  );
  made.tool("wörld".replace("ö", "o"), {}, () => "World");
  made.tool("needy", {}, async (_input, ctx) => {
    await ctx.session.listRoots();
    return "";
  });
  made.tool("broken", {}, () => {
    throw new ToolError("no");
  });
  made.tool("absent", {}, () => {
    throw new McpError(-32601, "Unknown tool");
  });
  made.resource("test://ünïcode", { name: "u" }, () => "text");
  return made;
}

const NAMED = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "hello" };
const meta = (over: JsonObject): JsonObject => ({ ...STATELESS_META, ...over });
const hello = (_meta: unknown = STATELESS_META, method = "tools/call"): JsonObject => ({
  jsonrpc: "2.0",
  id: 7,
  method,
  params: { name: "hello", _meta },
});
const VERSION = "io.modelcontextprotocol/protocolVersion";

describe("refused before the handler runs [requirement Z2 requirement Z4 requirement Z5 F2.2 F2.4]", () => {
  test.each<[string, number, number, Sent["headers"], JsonObject | string]>([
    ["text that is not JSON [F2.5]", 400, -32700, NAMED, "{"],
    ["no message", 400, -32600, NAMED, "{}"],
    ["an empty body", 400, -32700, NAMED, ""],
    [
      "a modern header without _meta [B5.3 F2.4]",
      400,
      -32602,
      NAMED,
      { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "hello" } },
    ],
    ["_meta without a version", 400, -32602, NAMED, hello(meta({ [VERSION]: undefined }))],
    ["_meta without capabilities", 400, -32602, NAMED, hello({ [VERSION]: "2026-07-28" })],
    ["a version that is not a string", 400, -32602, NAMED, hello(meta({ [VERSION]: 1 }))],
    ["another version in the header [F2.3]", 400, -32020, { ...NAMED, "mcp-protocol-version": "2025-11-25" }, hello()],
    ["no version header", 400, -32020, { ...NAMED, "mcp-protocol-version": undefined }, hello()],
    [
      "an unknown version [B2.2]",
      400,
      -32022,
      { ...NAMED, "mcp-protocol-version": "v999.0.0" },
      hello(meta({ [VERSION]: "v999.0.0" })),
    ],
    ["no Mcp-Method [fault H4]", 400, -32020, { ...NAMED, "mcp-method": undefined }, hello()],
    ["another Mcp-Method", 400, -32020, { ...NAMED, "mcp-method": "tools/list" }, hello()],
    ["Mcp-Method in other case [F2.6]", 400, -32020, { ...NAMED, "mcp-method": "TOOLS/CALL" }, hello()],
    ["two of them", 400, -32020, { ...NAMED, "mcp-method": ["tools/call", "tools/call"] }, hello()],
    ["no Mcp-Name", 400, -32020, { ...NAMED, "mcp-name": undefined }, hello()],
    ["another Mcp-Name", 400, -32020, { ...NAMED, "mcp-name": "other" }, hello()],
    ["Mcp-Name in base64 without padding [F2.7]", 400, -32020, { ...NAMED, "mcp-name": "=?base64?aGVsbG8?=" }, hello()],
    ["Mcp-Name in base64 with other letters", 400, -32020, { ...NAMED, "mcp-name": "=?base64?aGVs!!!bG8=?=" }, hello()],
    ["the mark in other case is no mark", 400, -32020, { ...NAMED, "mcp-name": "=?BASE64?aGVsbG8=?=" }, hello()],
    ["the shape of _meta before the headers", 400, -32602, {}, hello({ [VERSION]: "2026-07-28" })],
    [
      "the version header before the version",
      400,
      -32020,
      { ...NAMED, "mcp-protocol-version": "2026-07-28" },
      hello(meta({ [VERSION]: "v999.0.0" })),
    ],
    ["the version before the method", 400, -32022, { "mcp-protocol-version": "v9" }, hello(meta({ [VERSION]: "v9" }))],
    [
      "Mcp-Method before whether the method is known",
      400,
      -32020,
      { ...NAMED, "mcp-method": "x" },
      hello(STATELESS_META, "no/such"),
    ],
    ["a batch", 400, -32600, NAMED, `[${JSON.stringify(hello())}]`],
    ["a response to nothing", 400, -32600, NAMED, { jsonrpc: "2.0", id: 1, result: {} }],
  ])("%s", async (_what, status, code, headers, body) => {
    const http = await serve(server());
    const before = calls;
    const response = await http.raw({ headers, body });
    expect([response.status, (response.json["error"] as JsonObject)["code"]]).toEqual([status, code]);
    expect(response.headers["mcp-session-id"]).toBeUndefined();
    expect(calls).toBe(before);
    // The connection and the server go on.
    expect((await http.post("tools/call", { name: "hello" })).status).toBe(200);
  });

  test.each([
    "initialize",
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
    "tasks/result",
    "tasks/list",
    "unknown/method",
  ])("%s does not exist on a stateless revision: 404, -32601, the request's id [B5.2 F2.4]", async (method) => {
    const http = await serve(server());
    const { status, json } = await http.post(method, { name: "x" });
    expect(status).toBe(404);
    expect(json).toMatchObject({ id: 1, error: { code: -32601 } });
  });

  test("-32601 of a handler is an error of its method, which exists: 200 [F2.4]", async () => {
    const http = await serve(server());
    const { status, json } = await http.post("tools/call", { name: "absent" });
    expect(json).toMatchObject({ id: 1, error: { code: -32601, message: "Unknown tool" } });
    expect(status).toBe(200);
  });

  test("the error for an unsupported version names the supported ones [B2.2]", async () => {
    const http = await serve(server());
    const { json } = await http.raw({
      headers: { ...NAMED, "mcp-protocol-version": "v999.0.0" },
      body: hello(meta({ [VERSION]: "v999.0.0" })),
    });
    expect(json).toMatchObject({ id: 7, error: { data: { supported: ["2026-07-28"], requested: "v999.0.0" } } });
  });
});

describe("accepted [F2]", () => {
  test.each<[string, Sent["headers"]]>([
    ["blanks around the value", { ...NAMED, "mcp-name": "  hello  " }],
    ["names in any case", { "MCP-PROTOCOL-VERSION": "2026-07-28", "mCp-mEtHoD": "tools/call", "MCP-NAME": "hello" }],
    ["base64 [F2.7]", { ...NAMED, "mcp-name": "=?base64?aGVsbG8=?=" }],
    ["a session id, which is ignored [F1.1]", { ...NAMED, "mcp-session-id": "nobody", "last-event-id": "x" }],
    ["no Accept [F1.2]", { ...NAMED, accept: undefined }],
    ["only JSON accepted", { ...NAMED, accept: "application/json" }],
  ])("%s", async (_what, headers) => {
    const http = await serve(server());
    const { status, json } = await http.raw({ headers, body: hello() });
    expect([status, json["id"]]).toEqual([200, 7]);
  });

  test("a name that is not ASCII travels in base64 [F2.7]", async () => {
    const http = await serve(server());
    const uri = "test://ünïcode";
    const encoded = `=?base64?${Buffer.from(uri).toString("base64")}?=`;
    expect((await http.post("resources/read", { uri }, { "mcp-name": encoded })).status).toBe(200);
  });
});

describe("errors of the handler [requirement Z5 F2.5]", () => {
  test.each([
    ["an unknown tool", "tools/call", { name: "nope" }, 200, -32602],
    ["params that do not fit", "tools/call", { name: 1 }, 200, -32602],
    ["a handler that asks the client", "tools/call", { name: "needy" }, 200, -32600],
    ["an unknown resource", "resources/read", { uri: "test://nope" }, 200, -32602],
  ])("%s", async (_what, method, params, status, code) => {
    const http = await serve(server());
    const response = await http.post(method, params);
    expect([response.status, (response.json["error"] as JsonObject)["code"]]).toEqual([status, code]);
  });

  test("a tool that fails is a result", async () => {
    const http = await serve(server());
    expect((await http.post("tools/call", { name: "broken" })).json).toMatchObject({ result: { isError: true } });
  });
});

describe("Mcp-Param [F3.5]", () => {
  const params = { name: "region", arguments: { region: "Hello" } };

  test.each<[string, number, string | undefined]>([
    ["the same", 200, "Hello"],
    ["base64", 200, "=?base64?SGVsbG8=?="],
    ["missing", 400, undefined],
    ["something else", 400, "World"],
    ["base64 without padding", 400, "=?base64?SGVsbG8?="],
  ])("%s: %i", async (_what, status, value) => {
    const http = await serve(server());
    const response = await http.post("tools/call", params, { "mcp-param-region": value });
    expect(response.status).toBe(status);
    if (status === 400) expect(response.json).toMatchObject({ id: 1, error: { code: -32020 } });
  });
});
