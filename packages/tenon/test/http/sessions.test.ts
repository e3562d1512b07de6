// Sessions of the stateful revisions over a real socket: opening, using, losing and ending them.
import { describe, expect, test } from "vitest";
import type { McpServer } from "tenon/server";
import type { JsonObject } from "tenon";
import { VirtualClock } from "../support/virtual-clock.ts";
import { initialize, serve } from "./support.ts";
import { deferred } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

function server(): McpServer {
  const made = testServer({ onError: () => undefined });
  made.tool("echo", { input: { type: "object", properties: { text: { type: "string" } } } as const }, ({ text }) => text ?? "");
  made.tool("steps", {}, async (_input, ctx) => {
    for (let i = 1; i <= 3; i++) await ctx.progress(i);
    return "done";
  });
  made.tool("ask", {}, async (_input, ctx) => String((await ctx.session.listRoots()).roots.length));
  return made;
}

const call = (name: string, params: JsonObject = {}, id: string | number = 2): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: {}, ...params },
});

describe.each(["2025-03-26", "2025-06-18", "2025-11-25"])("%s", (revision) => {
  test("a handshake opens a session whose id is visible ASCII [E4.1]", async () => {
    const http = await serve(server());
    const { status, headers, json } = await http.raw({ body: initialize(revision) });
    expect(status).toBe(200);
    expect(headers["mcp-session-id"]).toMatch(/^[\x21-\x7E]{22,}$/);
    expect(json).toMatchObject({ id: 1, result: { protocolVersion: revision } });
  });

  test("a client that says too much of itself gets no session, because it is kept as long as that", async () => {
    const http = await serve(server());
    const saying = (length: number): JsonObject => initialize(revision, { experimental: { x: { text: "x".repeat(length) } } });
    const refused = await http.raw({ body: saying(65_536) });
    expect(refused.headers["mcp-session-id"]).toBeUndefined();
    expect(refused.json).toMatchObject({ error: { code: -32602, data: { limit: "handshake", max: 65_536 } } });
    expect((await http.raw({ body: saying(65_000) })).headers["mcp-session-id"]).toBeDefined();
  });

  test("a slow handshake is answered by one JSON body, because its response carries the session's id [E4.1]", async () => {
    const clock = new VirtualClock();
    const [begun, opened] = [deferred<void>(), deferred<void>()];
    const made = server();
    made.use((next) => async (ctx) => {
      if (ctx.method !== "initialize") return next(ctx);
      begun.resolve();
      await opened.promise;
      return next(ctx);
    });
    const http = await serve(made, { clock, streams: { after: 500 } });
    const opening = http.raw({ body: initialize(revision) });
    await begun.promise;
    await clock.advance(5_000);
    opened.resolve();
    const { status, headers, json } = await opening;
    expect([status, headers["content-type"]]).toEqual([200, "application/json"]);
    expect(headers["mcp-session-id"]).toBeDefined();
    expect(json).toMatchObject({ id: 1, result: { protocolVersion: revision } });
  });

  test("requests of the session get a result, notifications are accepted [E1.4 E1.5 E4.2]", async () => {
    const http = await serve(server());
    const session = await http.open(revision);
    expect((await session.send({ jsonrpc: "2.0", method: "notifications/roots/list_changed" })).status).toBe(202);
    expect((await session.send(call("echo", { arguments: { text: "hi" } }))).json).toMatchObject({
      id: 2,
      result: { content: [{ text: "hi" }] },
    });
  });

  test("what belongs to a request travels on its stream, which the response ends [E1.6 E1.7]", async () => {
    const http = await serve(server());
    const session = await http.open(revision);
    const { messages } = await session.send(call("steps", { _meta: { progressToken: 1 } }));
    expect(messages.map((message) => message["method"] ?? message["id"])).toEqual([
      ...Array<string>(3).fill("notifications/progress"),
      2,
    ]);
  });

  test("DELETE ends the session, once; it is unknown from then on [R-9 E4.4]", async () => {
    const http = await serve(server());
    const session = await http.open(revision);
    expect((await http.raw({ method: "DELETE", headers: session.headers })).status).toBe(204);
    expect((await http.raw({ method: "DELETE", headers: session.headers })).status).toBe(404);
    expect((await session.send(call("echo"))).status).toBe(404);
  });
});
