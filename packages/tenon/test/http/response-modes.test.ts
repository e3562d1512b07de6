// How a POST is answered: an array for a batch, JSON or a stream by the mode, and a stream for what takes long.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "tenon";
import { EventReader } from "./event-reader.ts";
import { call, get, progressOf, streamFixture } from "./stream-fixture.ts";
import { dataOf, serve } from "./support.ts";

describe("batches", () => {
  test("2025-03-26: one array holds the responses to all requests of a batch [E1.3 Z19]", async () => {
    const http = await serve(streamFixture().server);
    const session = await http.open("2025-03-26");
    const { json } = await session.send([
      call("hello", {}, 5),
      { jsonrpc: "2.0", method: "notifications/x" },
      { jsonrpc: "2.0", id: 6, method: "ping" },
    ]);
    expect(json).toMatchObject([{ id: 5 }, { id: 6, result: {} }]);
    expect((await session.send([{ jsonrpc: "2.0", method: "notifications/x" }])).status).toBe(202);
    expect((await session.send("[]")).status).toBe(400);
  });

  test("a member that is cancelled, even twice, has no response; the others are waited for [requirement G1 Z19]", async () => {
    const { server, gate } = streamFixture();
    server.tool(
      "stuck",
      {},
      (_input, ctx) => new Promise<string>((resolve) => ctx.signal.addEventListener("abort", () => resolve(""))),
    );
    server.tool("late", {}, async () => (await gate.opened, "late"));
    const http = await serve(server, { streams: { after: 1 } });
    const session = await http.open("2025-03-26");
    const stream = await EventReader.open(http.port, {
      headers: session.headers,
      body: [call("stuck", {}, 8), call("late", {}, 9)],
    });
    for (let i = 0; i < 2; i++)
      await session.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 8 } });
    gate.open();
    expect((await stream.rest()).map((event) => JSON.parse(event.data) as unknown)).toMatchObject([[{ id: 9 }]]);
  });

  test.each(["2025-06-18", "2025-11-25"])("%s has none: 400 [E1.3]", async (revision) => {
    const http = await serve(streamFixture().server);
    const session = await http.open(revision);
    expect((await session.send([call("hello")])).status).toBe(400);
  });
});

describe("modes", () => {
  test("JSON only: notifications before the result are dropped", async () => {
    const { server, gate } = streamFixture();
    gate.open();
    const http = await serve(server, { responseMode: "json" });
    const session = await http.open("2025-06-18");
    expect((await session.send(call("numbers", { n: 2 }), { accept: "application/json" })).json).toMatchObject({
      id: 2,
      result: {},
    });
  });

  test("JSON only: the questions of a call go to the GET stream, its progress does not [E1.6]", async () => {
    const { server } = streamFixture();
    server.tool("both", {}, async (_input, ctx) => {
      await ctx.progress(1);
      return `${(await ctx.session.listRoots()).roots.length} roots`;
    });
    const http = await serve(server, { responseMode: "json" });
    const session = await http.open("2025-06-18", { roots: {} });
    const standing = await get(http, session);
    const answer = session.send(call("both"));
    const asked = JSON.parse((await standing.next()).data) as JsonObject;
    expect(asked).toMatchObject({ method: "roots/list" });
    await session.send({ jsonrpc: "2.0", id: asked["id"], result: { roots: [] } });
    expect((await answer).json).toMatchObject({ id: 2, result: { content: [{ text: "0 roots" }] } });
  });

  test("streams only: the response is one event of known length", async () => {
    const http = await serve(streamFixture().server, { responseMode: "sse" });
    const session = await http.open("2025-06-18");
    const response = await session.send(call("hello"));
    expect(response.headers["content-type"]).toBe("text/event-stream");
    expect(response.headers["content-length"]).toBeDefined();
    expect(response.messages).toMatchObject([{ id: 2 }]);
  });

  test("a response that takes long becomes a stream", async () => {
    const { server, gate } = streamFixture();
    const http = await serve(server, { streams: { after: 1 } });
    server.tool("slow", {}, async () => (await gate.opened, "slow"));
    const session = await http.open("2025-11-25");
    const stream = await EventReader.open(http.port, { headers: session.headers, body: call("slow") });
    expect((await stream.next()).data).toBe("");
    gate.open();
    expect((await stream.rest()).map((event) => progressOf(event.data))).toEqual(["answer"]);
  });

  test.each(["2025-03-26", "2025-06-18", "2025-11-25"])(
    "without sessions each POST of %s stands alone, and nothing can be asked of the client",
    async (revision) => {
      const { server, gate } = streamFixture();
      gate.open();
      const http = await serve(server, { sessions: false });
      const opened = await http.raw({
        body: {
          jsonrpc: "2.0",
          id: 1,
          method: "initialize",
          params: { protocolVersion: revision, capabilities: { roots: {} }, clientInfo: { name: "c", version: "1" } },
        },
      });
      expect(opened.json).toMatchObject({ result: { protocolVersion: revision } });
      expect(opened.headers["mcp-session-id"]).toBeUndefined();
      const headers = { "mcp-protocol-version": revision };
      expect((await http.raw({ headers, body: { jsonrpc: "2.0", method: "notifications/initialized" } })).status).toBe(202);
      expect((await http.raw({ headers, body: call("hello") })).json).toMatchObject({
        id: 2,
        result: { content: [{ text: "Hello" }] },
      });
      expect((await http.raw({ headers, body: call("numbers", { n: 1 }) })).messages.map((m) => m["method"] ?? "answer")).toEqual(
        ["notifications/progress", "notifications/progress", "answer"],
      );
      expect((await http.raw({ headers, body: call("ask") })).json).toMatchObject({ error: { code: -32600 } });
      expect((await http.raw({ method: "GET", headers })).status).toBe(405);
    },
  );

  test("without sessions a stream has no event ids, as no client can resume it, and no server's request [E1.9]", async () => {
    const { server, gate } = streamFixture();
    gate.open();
    server.tool("standalone", {}, async (_input, ctx) => {
      void ctx.session.standalone.sendLogMessage({ level: "info", data: "to no stream" });
      return String(ctx.session.canSendRequest);
    });
    const http = await serve(server, { sessions: false });
    const headers = { "mcp-protocol-version": "2025-11-25" };
    const { text } = await http.raw({ headers, body: call("numbers", { n: 1 }) });
    expect(dataOf(text)).toHaveLength(3);
    expect(text).not.toMatch(/^(id|retry):/m);
    expect((await http.raw({ headers, body: call("standalone") })).json).toMatchObject({
      result: { content: [{ text: "false" }] },
    });
  });

  test("without sessions a call waits until the server's handshake is done, however long that takes", async () => {
    const { server } = streamFixture();
    server.use("initialize", (next) => async (context) => {
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
      return next(context);
    });
    const http = await serve(server, { sessions: false });
    const { status, json } = await http.raw({ headers: { "mcp-protocol-version": "2025-06-18" }, body: call("hello") });
    expect([status, json]).toMatchObject([200, { id: 2, result: { content: [{ text: "Hello" }] } }]);
  });

  test.each([
    ["no revision", {}, 200],
    ["2025-03-26", { "mcp-protocol-version": "2025-03-26" }, 200],
    ["2025-06-18", { "mcp-protocol-version": "2025-06-18" }, 400],
  ])(
    "without sessions, a batch whose header names %s gets the response of that revision [E1.3 E5.2]",
    async (_, headers, status) => {
      const { server, gate } = streamFixture();
      gate.open();
      const http = await serve(server, { sessions: false });
      const batch = [call("hello", {}, 5), { jsonrpc: "2.0", id: 6, method: "ping" }];
      const received = await http.raw({ headers, body: batch });
      expect(received.status).toBe(status);
      if (status === 200) expect(received.json).toMatchObject([{ id: 5 }, { id: 6, result: {} }]);
    },
  );
});
