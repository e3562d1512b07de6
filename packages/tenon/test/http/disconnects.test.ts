// Clients that go away, stop reading, or are still there when the server ends.
import { describe, expect, test } from "vitest";
import type { JsonObject, McpError } from "tenon";
import { EventReader } from "./event-reader.ts";
import { mirrored, serve, statelessBody, type Served } from "./support.ts";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

/** `_meta` of a request that wants to see every log message. */
const LOGGING: JsonObject = { "io.modelcontextprotocol/logLevel": "debug" };

/** A call of a session, whose response goes on. */
async function sessionStream(http: Served, revision: string, name: string): Promise<EventReader> {
  const { headers } = await http.open(revision);
  const params = { name, _meta: { progressToken: 1 } };
  return EventReader.open(http.port, { headers, body: { jsonrpc: "2.0", id: 2, method: "tools/call", params } });
}

function stream(http: Served, name: string, headers: Record<string, string> = {}, meta: JsonObject = {}): Promise<EventReader> {
  const params = { name, _meta: { progressToken: 1, ...meta } };
  return EventReader.open(http.port, {
    headers: { ...mirrored("tools/call", params), ...headers },
    body: statelessBody("tools/call", params),
  });
}

describe("a stateless client that goes away has cancelled [F1.6 fault H8]", () => {
  test.each([true, false])("whether its stream is open (%s) or not", async (open) => {
    const server = testServer();
    const [started, aborted] = [gate(), gate()];
    server.tool("wait", {}, async (_input, ctx) => {
      if (open) await ctx.progress(1);
      ctx.signal.addEventListener("abort", () => aborted.open());
      started.open();
      await aborted.opened;
      // The client has gone, and nothing fails.
      await ctx.progress(2);
      return "late";
    });
    server.tool("hello", {}, () => "Hello");
    const http = await serve(server, { streams: { after: Infinity } });
    if (open) {
      const reader = await stream(http, "wait");
      await reader.next();
      await started.opened;
      reader.destroy();
    } else {
      const { request } = await import("node:http");
      const params = { name: "wait" };
      const body = JSON.stringify(statelessBody("tools/call", params));
      const sent = request({
        port: http.port,
        host: "127.0.0.1",
        method: "POST",
        path: "/mcp",
        headers: { ...mirrored("tools/call", params), "content-type": "application/json" },
      });
      sent.on("error", () => undefined).end(body);
      await started.opened;
      sent.destroy();
    }
    await aborted.opened;
    expect((await http.post("tools/call", { name: "hello" })).status).toBe(200);
  });
});

describe("a client that does not read [fault H9 R8]", () => {
  test("is cut when it has not read for too long, and delays no other client", async () => {
    const server = testServer();
    const aborted = gate();
    server.tool("flood", {}, async (_input, ctx) => {
      ctx.signal.addEventListener("abort", () => aborted.open());
      const text = "x".repeat(10_000);
      // Not awaited: this handler does not let itself be held back.
      for (let i = 1; !ctx.signal.aborted; i++) {
        void ctx.progress(i, undefined, text);
        if (i % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      return "";
    });
    server.tool("steps", {}, async (_input, ctx) => {
      for (let i = 1; i <= 5; i++) await ctx.progress(i);
      return "done";
    });
    const http = await serve(server, { limits: { maxBuffered: 200_000, maxStalled: 60 }, streams: { keepAlive: 20 } });
    const stalled = await stream(http, "flood");
    stalled.pause();
    const other = await stream(http, "steps");
    expect(await other.rest()).toHaveLength(6);
    await aborted.opened;
  });

  test.each(["2026-07-28", "2025-11-25"])(
    "%s: of a flood of progress and logs the newest step is kept, the rest dropped and counted, and the call goes on [fault H15]",
    async (revision) => {
      const errors: Error[] = [];
      const server = testServer();
      const flooded = gate();
      const [steps, words] = [400, "x".repeat(10_000)];
      server.tool("flood", {}, async (_input, ctx) => {
        for (let i = 1; i <= steps; i++) {
          void ctx.progress(i, steps, words);
          void ctx.log.info(words);
          if (i % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        flooded.open();
        // Once the client reads again there is room for everything.
        await ctx.progress(steps + 1);
        return "done";
      });
      const http = await serve(server, { limits: { maxBuffered: 200_000 }, onError: (error) => void errors.push(error) });
      const read =
        revision === "2026-07-28" ? await stream(http, "flood", {}, LOGGING) : await sessionStream(http, revision, "flood");
      read.pause();
      await flooded.opened;
      read.response.resume();
      const messages = (await read.rest()).filter(({ data }) => data !== "").map(({ data }) => JSON.parse(data) as JsonObject);
      expect(messages.at(-1)).toMatchObject({ result: { content: [{ text: "done" }] } });
      const told = messages.flatMap(({ method, params }) =>
        method === "notifications/progress" ? [(params as { progress: number }).progress] : [],
      );
      const logged = messages.filter(({ method }) => method === "notifications/message").length;
      expect(told).toEqual(told.toSorted((a, b) => a - b));
      expect(told.at(-1)).toBe(steps + 1);
      const omitted = errors.map((error) => (error as McpError).data as { limit: string; omitted: number });
      expect(omitted.every(({ limit }) => limit === "limits.maxBuffered")).toBe(true);
      expect(omitted.reduce((sum, one) => sum + one.omitted, 0)).toBe(2 * steps + 1 - told.length - logged);
      expect(told.length).toBeLessThan(steps);
    },
  );

  test("holds back a handler that awaits", async () => {
    const server = testServer();
    let sent = 0;
    const aborted = gate();
    server.tool("flood", {}, async (_input, ctx) => {
      ctx.signal.addEventListener("abort", () => aborted.open());
      const text = "x".repeat(10_000);
      for (; !ctx.signal.aborted; sent++) await ctx.progress(sent + 1, undefined, text);
      return "";
    });
    const http = await serve(server);
    const stalled = await stream(http, "flood");
    stalled.pause();
    // The sockets of both ends fill up; then the handler stands still.
    let before = -1;
    await expect
      .poll(
        () => {
          const still = sent === before;
          before = sent;
          return still;
        },
        { interval: 50 },
      )
      .toBe(true);
    stalled.destroy();
    await aborted.opened;
  });
});

describe("drain", () => {
  test("lets what runs end, refuses what is new with 503, and closes [D14]", async () => {
    const server = testServer();
    const { opened, open } = gate();
    server.tool("wait", {}, async (_input, ctx) => {
      await ctx.progress(1);
      await opened;
      return "done";
    });
    const http = await serve(server, { health: true });
    const running = await stream(http, "wait");
    await running.next();
    const drained = http.drain(5_000);
    const refused = await http.post("server/discover");
    expect([refused.status, refused.headers["retry-after"], refused.headers.connection]).toEqual([503, "5", "close"]);
    expect(refused.json).toMatchObject({ error: { code: -32603, message: "The server is shutting down" } });
    expect((await http.raw({ method: "GET", path: "/readyz" })).status).toBe(404);
    expect((await http.raw({ method: "GET", path: "/livez" })).status).toBe(200);
    open();
    expect((await running.rest()).map((event) => JSON.parse(event.data) as JsonObject)).toMatchObject([
      { result: { content: [{ text: "done" }] } },
    ]);
    await drained;
    await expect(http.post("server/discover")).rejects.toThrow(/ECONNREFUSED/);
  });

  test.each(["2026-07-28", "2025-11-25"])(
    "%s: does not wait longer than the given time, and a call that has not ended by then gets an error [D14]",
    async (revision) => {
      const server = testServer();
      let reason: unknown;
      server.tool("wait", {}, async (_input, ctx) => {
        ctx.signal.addEventListener("abort", () => (reason = ctx.signal.reason));
        await ctx.progress(1);
        return new Promise<string>(() => undefined);
      });
      const http = await serve(server);
      const running = revision === "2026-07-28" ? await stream(http, "wait") : await sessionStream(http, revision, "wait");
      while ((await running.next()).data === "");
      await http.drain(20);
      expect((await running.rest()).map(({ data }) => JSON.parse(data) as JsonObject)).toMatchObject([
        { error: { code: -32603, message: "The server is shutting down" } },
      ]);
      expect(reason).toMatchObject({ code: -32603, message: "The server is shutting down" });
    },
  );
});

test("a result that is too large is an error that names the limit [fault H15]", async () => {
  const server = testServer();
  server.tool("large", {}, () => "x".repeat(2_000));
  const http = await serve(server, { limits: { maxResultSize: 1_000 } });
  expect((await http.post("tools/call", { name: "large" })).json).toMatchObject({
    error: { code: -32603, data: { limit: "limits.maxResultSize" } },
  });
  const session = await http.open("2025-11-25");
  expect((await session.send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "large" } })).json).toMatchObject({
    error: { code: -32603, data: { limit: "limits.maxResultSize" } },
  });
});
