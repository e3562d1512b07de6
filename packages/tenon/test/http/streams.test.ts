// Streams of sessions: which stream carries which message, and coming back for what was missed.
import { describe, expect, test } from "vitest";
import type { McpServer } from "tenon/server";
import type { JsonObject } from "tenon";
import { EventReader } from "./event-reader.ts";
import { dataOf, serve, type OpenSession, type Served } from "./support.ts";
import { gate, type Gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

interface Fixture {
  readonly server: McpServer;
  readonly gate: Gate;
}

function fixture(): Fixture {
  const server = testServer({ onError: () => undefined });
  const closed = gate();
  server.tool("hello", {}, () => "Hello");
  server.tool(
    "numbers",
    { input: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const },
    async ({ n }, ctx) => {
      for (let i = 1; i <= n; i++) await ctx.progress(i);
      await closed.opened;
      for (let i = n + 1; i <= 2 * n; i++) await ctx.progress(i);
      return "counted";
    },
  );
  server.tool("ask", {}, async (_input, ctx) => `${(await ctx.session.listRoots()).roots.length} roots`);
  server.tool("poll", {}, async (_input, ctx) => {
    ctx.closeStream();
    await closed.opened;
    return "polled";
  });
  server.tool("wait", {}, async (_input, ctx) => {
    await ctx.progress(1);
    await closed.opened;
    return String(ctx.signal.aborted);
  });
  return { server, gate: closed };
}

const call = (name: string, args: JsonObject = {}, id: string | number = 2): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args, _meta: { progressToken: `t${id}` } },
});
const get = (http: Served, session: OpenSession, headers: Record<string, string> = {}): Promise<EventReader> =>
  EventReader.open(http.port, { headers: { ...session.headers, ...headers } });
const progressOf = (data: string): unknown => (JSON.parse(data) as { params?: { progress?: number } }).params?.progress ?? "answer";

describe("which stream carries which message [E1.6 E2]", () => {
  test("a request of the server travels on the stream of the request it belongs to, and its response comes by POST", async () => {
    const { server } = fixture();
    const http = await serve(server);
    const session = await http.open("2025-06-18", { roots: {} });
    const stream = await EventReader.open(http.port, { headers: session.headers, body: call("ask") });
    const asked = JSON.parse((await stream.next()).data) as JsonObject;
    expect(asked["method"]).toBe("roots/list");
    expect((await session.send({ jsonrpc: "2.0", id: asked["id"], result: { roots: [{ uri: "file:///a" }] } })).status).toBe(202);
    expect(JSON.parse((await stream.next()).data)).toMatchObject({ id: 2, result: { content: [{ text: "1 roots" }] } });
    expect(await stream.rest()).toEqual([]);
  });

  test("what belongs to no request travels on the GET stream only, once [E1.1 E2.2 E2.3]", async () => {
    const { server, gate } = fixture();
    const http = await serve(server);
    const session = await http.open("2025-06-18");
    const stream = await get(http, session);
    expect([stream.status, stream.response.headers["content-type"]]).toEqual([200, "text/event-stream"]);
    const post = await EventReader.open(http.port, { headers: session.headers, body: call("wait") });
    expect(progressOf((await post.next()).data)).toBe(1);
    server.tool("more", {}, () => "");
    expect(JSON.parse((await stream.next()).data)).toEqual({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    gate.open();
    expect((await post.rest()).map((event) => progressOf(event.data))).toEqual(["answer"]);
  });

  test("what was said before the GET stream is open is not lost [E2]", async () => {
    const { server } = fixture();
    const http = await serve(server);
    const session = await http.open("2025-06-18");
    server.tool("more", {}, () => "");
    await session.send(call("hello"));
    const stream = await get(http, session);
    expect(JSON.parse((await stream.next()).data)).toMatchObject({ method: "notifications/tools/list_changed" });
  });

  test("a second GET gets the stream, the first one is ended [R-6]", async () => {
    const { server } = fixture();
    const http = await serve(server);
    const session = await http.open("2025-06-18");
    const first = await get(http, session);
    const second = await get(http, session);
    expect(await first.rest()).toEqual([]);
    server.tool("more", {}, () => "");
    expect(JSON.parse((await second.next()).data)).toMatchObject({ method: "notifications/tools/list_changed" });
  });

  test("a client that goes away cancels nothing [E1.8 fault H8]", async () => {
    const { server, gate } = fixture();
    const http = await serve(server);
    const session = await http.open("2025-11-25");
    const stream = await EventReader.open(http.port, { headers: session.headers, body: call("wait") });
    const { id } = await stream.next();
    stream.destroy();
    const again = await get(http, session, { "last-event-id": id! });
    gate.open();
    const events = [...(await again.rest())];
    expect(JSON.parse(events.at(-1)!.data)).toMatchObject({ id: 2, result: { content: [{ text: "false" }] } });
  });

  test("a cancelled request ends its stream without a response [requirement G1]", async () => {
    const { server, gate } = fixture();
    const http = await serve(server);
    const session = await http.open("2025-06-18");
    const stream = await EventReader.open(http.port, { headers: session.headers, body: call("wait") });
    await stream.next();
    await session.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } });
    expect(await stream.rest()).toEqual([]);
    gate.open();
  });
});

describe("coming back [E3]", () => {
  test("no two events of a session have the same id, even on different streams [E3.1]", async () => {
    const { server, gate } = fixture();
    gate.open();
    const http = await serve(server);
    const session = await http.open("2025-11-25");
    const standing = await get(http, session);
    const ids: string[] = [];
    for (let id = 10; id < 15; id++) {
      const stream = await EventReader.open(http.port, { headers: session.headers, body: call("numbers", { n: 3 }, id) });
      ids.push(...(await stream.rest()).map((event) => event.id!));
    }
    server.tool("another", {}, () => "");
    for (let event = await standing.next(); ; event = await standing.next()) {
      ids.push(event.id!);
      if (event.data !== "") break;
    }
    expect(ids.length).toBeGreaterThan(30);
    expect(ids.every((id) => id !== "")).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("a stream begins with an id, no data, and how long to wait, from 2025-11-25 on [E1.9]", async () => {
    const { server, gate } = fixture();
    const http = await serve(server, { streams: { retry: 500 } });
    const newer = await http.open("2025-11-25");
    const stream = await EventReader.open(http.port, { headers: newer.headers, body: call("wait") });
    expect(await stream.next()).toEqual({ id: expect.stringMatching(/^[\w-]{22}\.0$/) as string, retry: "500", data: "" });
    const older = await http.open("2025-06-18");
    const plain = await EventReader.open(http.port, { headers: older.headers, body: call("wait") });
    expect((await plain.next()).data).not.toBe("");
    gate.open();
  });

  const N = 6;
  test.each(Array.from({ length: N + 1 }, (_, k) => k))(
    "cut after event %i: everything comes once, in order [R-3 E3.2 E3.3]",
    async (k) => {
      const { server, gate } = fixture();
      const http = await serve(server);
      const session = await http.open("2025-11-25");
      const stream = await EventReader.open(http.port, { headers: session.headers, body: call("numbers", { n: N }) });
      const seen: unknown[] = [];
      let last = await stream.next();
      for (let i = 0; i < k; i++) {
        last = await stream.next();
        seen.push(progressOf(last.data));
      }
      stream.destroy();
      const again = await get(http, session, { "last-event-id": last.id! });
      gate.open();
      for (const event of await again.rest()) if (event.data !== "") seen.push(progressOf(event.data));
      expect(seen).toEqual([...Array.from({ length: 2 * N }, (_, i) => i + 1), "answer"]);
    },
  );

  test("the response can be fetched after the stream has ended, and again [R-4]", async () => {
    const { server, gate } = fixture();
    gate.open();
    const http = await serve(server);
    const session = await http.open("2025-11-25");
    const stream = await EventReader.open(http.port, { headers: session.headers, body: call("numbers", { n: 1 }) });
    const [prime] = await stream.rest();
    for (let i = 0; i < 2; i++) {
      const events = await (await get(http, session, { "last-event-id": prime!.id! })).rest();
      expect(events.map((event) => progressOf(event.data))).toEqual([1, 2, "answer"]);
    }
  });

  test("SEP-1699 a handler may let the client come back for the result [E1.9]", async () => {
    const { server, gate } = fixture();
    const http = await serve(server, { streams: { retry: 1 } });
    const session = await http.open("2025-11-25");
    const stream = await EventReader.open(http.port, { headers: session.headers, body: call("poll") });
    const events = await stream.rest();
    expect(events).toHaveLength(1);
    const again = await get(http, session, { "last-event-id": events[0]!.id! });
    gate.open();
    expect((await again.rest()).map((event) => JSON.parse(event.data) as JsonObject)).toMatchObject([
      { id: 2, result: { content: [{ text: "polled" }] } },
    ]);
  });

  test("older clients get their result as before [E1.9]", async () => {
    const { server, gate } = fixture();
    gate.open();
    const http = await serve(server);
    const session = await http.open("2025-06-18");
    expect((await session.send(call("poll"))).json).toMatchObject({ result: { content: [{ text: "polled" }] } });
  });

  test("an event id that is unknown, foreign, malformed, huge or in the future replays nothing: 400 [R-2]", async () => {
    const { server, gate } = fixture();
    gate.open();
    const http = await serve(server);
    const mine = await http.open("2025-11-25");
    const other = await http.open("2025-11-25");
    const stream = await EventReader.open(http.port, { headers: other.headers, body: call("numbers", { n: 1 }) });
    const foreign = (await stream.rest()).at(-1)!.id!;
    const name = foreign.split(".")[0]!;
    for (const id of [foreign, `${"A".repeat(22)}.1`, `${name}.999`, "x", `${name}.-1`, `${name}.1e3`, "1".repeat(8_000)]) {
      const response = await http.raw({ method: "GET", headers: { ...mine.headers, "last-event-id": id } });
      expect(response.status, id.slice(0, 40)).toBe(400);
    }
    expect((await http.raw({ method: "GET", headers: { ...other.headers, "last-event-id": `${name}.999` } })).status).toBe(400);
  });

  test("events that are gone are an error, never a gap [R-5]", async () => {
    const { server, gate } = fixture();
    gate.open();
    const http = await serve(server);
    const session = await http.open("2025-11-25");
    const stream = await EventReader.open(http.port, { headers: session.headers, body: call("numbers", { n: 600 }) });
    const [prime] = await stream.rest();
    const response = await http.raw({ method: "GET", headers: { ...session.headers, "last-event-id": prime!.id! } });
    expect(response.status).toBe(410);
    expect(response.json).toMatchObject({ error: { code: -32603, message: expect.stringContaining("Replay window exceeded") as string } });
  });
});

describe("sessions that are not there [R-1 R-9]", () => {
  test("missing is 400, unknown is 404, for each method [E4.3]", async () => {
    const http = await serve(fixture().server);
    for (const method of ["POST", "GET", "DELETE"]) {
      const body = method === "POST" ? { body: call("hello") } : {};
      expect((await http.raw({ method, ...body })).status, method).toBe(400);
      expect((await http.raw({ method, headers: { "mcp-session-id": "x".repeat(22) }, ...body })).status, method).toBe(404);
    }
  });

  test("DELETE ends what runs: its request gets 404, its streams end [R-9]", async () => {
    const { server } = fixture();
    const http = await serve(server, { responseMode: "auto" });
    const session = await http.open("2025-11-25");
    const stream = await get(http, session);
    await stream.next();
    const post = await EventReader.open(http.port, { headers: session.headers, body: call("wait") });
    await post.next();
    await post.next();
    await http.raw({ method: "DELETE", headers: session.headers });
    expect(await stream.rest()).toEqual([]);
    expect(await post.rest()).toEqual([]);
  });

  test("a version that is not stateful gets 400; without one it is the session's [E5.2 B5.4 B5.5]", async () => {
    const http = await serve(fixture().server);
    const session = await http.open("2025-06-18");
    for (const version of ["2020-01-01", "x", ""]) {
      expect((await session.send(call("hello"), { "mcp-protocol-version": version })).status, version).toBe(400);
    }
    expect((await http.raw({ headers: { "mcp-session-id": session.id }, body: call("hello") })).status).toBe(200);
  });
});

describe("batches", () => {
  test("2025-03-26: one array holds the responses to all requests of a batch [E1.3 Z19]", async () => {
    const http = await serve(fixture().server);
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
    const { server, gate } = fixture();
    server.tool("stuck", {}, (_input, ctx) => new Promise<string>((resolve) => ctx.signal.addEventListener("abort", () => resolve(""))));
    server.tool("late", {}, async () => (await gate.opened, "late"));
    const http = await serve(server, { streams: { after: 1 } });
    const session = await http.open("2025-03-26");
    const stream = await EventReader.open(http.port, { headers: session.headers, body: [call("stuck", {}, 8), call("late", {}, 9)] });
    for (let i = 0; i < 2; i++) await session.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 8 } });
    gate.open();
    expect((await stream.rest()).map((event) => JSON.parse(event.data) as unknown)).toMatchObject([[{ id: 9 }]]);
  });

  test.each(["2025-06-18", "2025-11-25"])("%s has none: 400 [E1.3]", async (revision) => {
    const http = await serve(fixture().server);
    const session = await http.open(revision);
    expect((await session.send([call("hello")])).status).toBe(400);
  });
});

describe("modes", () => {
  test("JSON only: notifications before the result are dropped", async () => {
    const { server, gate } = fixture();
    gate.open();
    const http = await serve(server, { responseMode: "json" });
    const session = await http.open("2025-06-18");
    expect((await session.send(call("numbers", { n: 2 }), { accept: "application/json" })).json).toMatchObject({ id: 2, result: {} });
  });

  test("JSON only: the questions of a call go to the GET stream, its progress does not [E1.6]", async () => {
    const { server } = fixture();
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
    const http = await serve(fixture().server, { responseMode: "sse" });
    const session = await http.open("2025-06-18");
    const response = await session.send(call("hello"));
    expect(response.headers["content-type"]).toBe("text/event-stream");
    expect(response.headers["content-length"]).toBeDefined();
    expect(response.messages).toMatchObject([{ id: 2 }]);
  });

  test("a response that takes long becomes a stream", async () => {
    const { server, gate } = fixture();
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
      const { server, gate } = fixture();
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
      expect((await http.raw({ headers, body: call("hello") })).json).toMatchObject({ id: 2, result: { content: [{ text: "Hello" }] } });
      expect((await http.raw({ headers, body: call("numbers", { n: 1 }) })).messages.map((m) => m["method"] ?? "answer")).toEqual([
        "notifications/progress",
        "notifications/progress",
        "answer",
      ]);
      expect((await http.raw({ headers, body: call("ask") })).json).toMatchObject({ error: { code: -32600 } });
      expect((await http.raw({ method: "GET", headers })).status).toBe(405);
    },
  );

  test("without sessions a stream has no event ids, because no client can resume it, and no request of the server [E1.9]", async () => {
    const { server, gate } = fixture();
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
    expect((await http.raw({ headers, body: call("standalone") })).json).toMatchObject({ result: { content: [{ text: "false" }] } });
  });

  test("without sessions a call waits until the server's handshake is done, however long that takes", async () => {
    const { server } = fixture();
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
  ])("without sessions, a batch whose header names %s gets the response of that revision [E1.3 E5.2]", async (_, headers, status) => {
    const { server, gate } = fixture();
    gate.open();
    const http = await serve(server, { sessions: false });
    const batch = [call("hello", {}, 5), { jsonrpc: "2.0", id: 6, method: "ping" }];
    const received = await http.raw({ headers, body: batch });
    expect(received.status).toBe(status);
    if (status === 200) expect(received.json).toMatchObject([{ id: 5 }, { id: 6, result: {} }]);
  });
});
