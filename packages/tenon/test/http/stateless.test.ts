// Requests of the stateless revision over a real socket: what is served, and what is refused with which status.
import { describe, expect, test } from "vitest";
import { McpServer } from "tenon/server";
import { serve } from "./support.ts";

function sums(): McpServer {
  const server = new McpServer({ name: "sums", version: "1.0.0" }, { onError: () => undefined });
  const numbers = { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] } as const;
  server.tool("add", { input: numbers }, ({ a, b }) => String(a + b));
  server.tool("count", {}, async (_input, ctx) => {
    for (let i = 1; i <= 3; i++) await ctx.progress(i);
    return "counted";
  });
  server.prompt("hello", {}, () => "Hello");
  return server;
}

describe("what is served", () => {
  test("the response to a request is one JSON body, and no session is created [F1.1 F1.4]", async () => {
    const { post } = await serve(sums());
    const { status, headers, json } = await post("tools/call", { name: "add", arguments: { a: 1, b: 2 } });
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("application/json");
    expect(headers["mcp-session-id"]).toBeUndefined();
    expect(json).toMatchObject({ id: 1, result: { resultType: "complete", content: [{ type: "text", text: "3" }] } });
  });

  test("if a handler sends a notification first, the response is a stream that ends with the result [F1.5]", async () => {
    const { post } = await serve(sums());
    const { status, headers, messages } = await post("tools/call", {
      name: "count",
      arguments: {},
      _meta: { progressToken: "p" },
    });
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/event-stream");
    expect(headers["x-accel-buffering"]).toBe("no");
    expect(messages.map((message) => message["method"] ?? "answer")).toEqual([
      ...Array<string>(3).fill("notifications/progress"),
      "answer",
    ]);
  });

  test("a notification is accepted with 202, with headers or without [requirement Z6 F1.3]", async () => {
    const { raw } = await serve(sums());
    const body = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    expect((await raw({ body, headers: { "mcp-protocol-version": "2026-07-28" } })).status).toBe(202);
  });

  test("server/discover says what the server is [B2.5]", async () => {
    const { post } = await serve(sums());
    expect((await post("server/discover")).json).toMatchObject({ result: { supportedVersions: ["2026-07-28"], ttlMs: 0 } });
  });
});

describe("a strict server", () => {
  const odd = { "io.modelcontextprotocol/clientCapabilities": [] };

  test.each([
    [true, 400],
    [false, 200],
  ])("refuses an identity that deviates with 400, as each wrong one [FD-03 FD-38]: strict %s", async (strict, expected) => {
    const { post } = await serve(new McpServer({ name: "s", version: "1.0.0" }, { strict, onError: () => undefined }));
    const { status, json } = await post("server/discover", { _meta: odd });
    expect(status).toBe(expected);
    if (strict) expect(json).toMatchObject({ error: { code: -32602, data: expect.stringContaining("is an empty list") } });
  });

  test("refuses a handshake that deviates with 400, and opens no session [FD-38]", async () => {
    const { raw } = await serve(new McpServer({ name: "s", version: "1.0.0" }, { strict: true, onError: () => undefined }));
    const params = { protocolVersion: "2025-06-18", capabilities: [], clientInfo: { name: "c", version: "1" } };
    const { status, headers, json } = await raw({ body: { jsonrpc: "2.0", id: 1, method: "initialize", params } });
    expect([status, headers["mcp-session-id"]]).toEqual([400, undefined]);
    expect(json).toMatchObject({ error: { code: -32602 } });
  });
});
