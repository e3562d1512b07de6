/** Sessions of the stateful revisions whose requests come to any node. Each test runs with JSON responses and with streams. */
import { describe, expect, test } from "vitest";
import type { McpServer } from "tenon/server";
import { ErrorCode, McpError, type JsonObject } from "tenon";
import { initialize } from "../http/support.ts";
import { Nodes, SHARED, STATEFUL, type RawResponse } from "./nodes.ts";
import { testServer } from "../support/test-server.ts";

function makeServer(index: number): McpServer {
  const server = testServer({ ...SHARED, logging: true });
  server.tool("where", {}, () => String(index));
  server.tool("ask", {}, async (_input, ctx) => {
    const answer = await ctx.elicit("name", {
      message: "Your name?",
      schema: { type: "object", properties: { name: { type: "string" } } },
    });
    return answer.action === "accept" ? `${String(answer.content["name"])} at ${index}` : answer.action;
  });
  server.tool("log", {}, async (_input, ctx) => {
    await ctx.log.info("hello");
    return "logged";
  });
  server.resource("note://1", {}, () => "text");
  return server;
}

const call = (name: string, id: string | number = 2, more: JsonObject = {}): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: {}, ...more },
});

describe.each(STATEFUL)("%s", (revision) => {
  describe.each(["auto", "json", "sse"] as const)("%s", (responseMode) => {
    test("any node serves any request of a session", async () => {
      const nodes = new Nodes(makeServer, { responseMode });
      const session = await nodes.open(revision);
      for (const [index, at] of [0, 1, 2, 1, 0].entries()) {
        const response = await session.send(at, { body: call("where", index + 2) });
        expect(response.status).toBe(200);
        expect(await response.message()).toMatchObject({ id: index + 2, result: { content: [{ text: String(at) }] } });
      }
    });

    test("a session that was ended at one node is unknown at all", async () => {
      const nodes = new Nodes(makeServer, { responseMode });
      const session = await nodes.open(revision);
      await (await session.send(1, { body: call("where") })).message();
      expect((await session.send(2, { method: "DELETE" })).status).toBe(204);
      for (const at of [0, 1, 2]) expect((await session.send(at, { body: call("where") })).status).toBe(404);
      expect((await session.send(0, { method: "DELETE" })).status).toBe(404);
    });
  });

  test("a client asks, answers, cancels and lists at any node", async () => {
    const nodes = new Nodes(makeServer);
    const client = await nodes.connect({ revision, onElicit: () => ({ action: "accept", content: { name: "Ada" } }) });
    const answers = revision === "2025-03-26" ? [] : await Promise.all(Array.from({ length: 9 }, () => client.callTool("ask")));
    for (const { text } of answers) expect(text).toMatch(/^Ada at [012]$/);
    expect((await client.listTools()).tools.length).toBe(3);
  });

  describe("sessions are counted over all nodes [rule R5]", () => {
    const open = (nodes: Nodes, at: number, address = "192.0.2.1"): Promise<RawResponse> =>
      nodes.send(at, { body: initialize(revision), headers: { "x-forwarded-for": address } });
    const end = (nodes: Nodes, at: number, opened: RawResponse): Promise<RawResponse> =>
      nodes.send(at, {
        method: "DELETE",
        headers: {
          "mcp-session-id": opened.header("mcp-session-id"),
          "mcp-protocol-version": revision,
          "x-forwarded-for": "192.0.2.1",
        },
      });

    test("a full server takes another when one has ended, at whichever node", async () => {
      const nodes = new Nodes(makeServer, { sessions: { max: 2 } });
      const [first, second] = [await open(nodes, 0), await open(nodes, 1)];
      expect([first.status, second.status]).toEqual([200, 200]);
      const refused = await open(nodes, 2);
      expect(refused.status).toBe(503);
      expect(await refused.message()).toMatchObject({ error: { data: { limit: "sessions.max" } } });
      expect((await end(nodes, 2, first)).status).toBe(204);
      expect((await open(nodes, 1)).status).toBe(200);
      expect((await open(nodes, 0)).status).toBe(503);
    });

    test("one client has its share, and another client its own", async () => {
      const nodes = new Nodes(makeServer, { clientAddress: "x-forwarded-for", sessions: { max: 2, maxPerPrincipal: 1 } });
      const first = await open(nodes, 0);
      const refused = await open(nodes, 1);
      expect(refused.status).toBe(429);
      expect(await refused.message()).toMatchObject({ error: { data: { limit: "sessions.maxPerPrincipal" } } });
      const other = await open(nodes, 2, "192.0.2.2");
      expect(other.status).toBe(200);
      expect((await open(nodes, 0, "192.0.2.3")).status).toBe(503);
      expect((await end(nodes, 1, first)).status).toBe(204);
      expect((await open(nodes, 2, "192.0.2.3")).status).toBe(200); // the refusal has not used its share
      expect((await end(nodes, 0, other)).status).toBe(204);
      expect((await open(nodes, 1)).status).toBe(200); // nor does a session that has ended
    });
  });
});

test("a handshake that a node refuses leaves no session: the next one counts as the first", async () => {
  const picky = (index: number): McpServer => {
    const server = makeServer(index);
    server.use("initialize", (next) => (context) => {
      if (index === 0) throw new McpError(ErrorCode.InvalidRequest, "Not here");
      return next(context);
    });
    return server;
  };
  const nodes = new Nodes(picky, { sessions: { max: 1 } });
  const opening = { body: initialize("2025-11-25") };
  expect(await (await nodes.send(0, opening)).message()).toMatchObject({ error: { message: "Not here" } });
  expect((await nodes.send(1, opening)).status).toBe(200);
  expect((await nodes.send(2, opening)).status).toBe(503);
});
