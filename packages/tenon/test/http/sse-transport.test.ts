// The transport of 2024-11-05: two endpoints, one stream.
import { expect, test } from "vitest";
import type { McpServer } from "tenon/server";
import { EventReader } from "./event-reader.ts";
import { initialize, serve, type Received } from "./support.ts";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

function server(): McpServer {
  const made = testServer({ onError: () => undefined });
  made.tool("hello", {}, () => "Hello");
  made.tool(
    "wait",
    {},
    (_input, ctx) => new Promise<string>((resolve) => ctx.signal.addEventListener("abort", () => resolve("stopped"))),
  );
  return made;
}

test("the stream says where to post; everything the server says comes on it, posts get 202 [D.1 D.2]", async () => {
  const http = await serve(server(), { httpSse: true });
  const stream = await EventReader.open(http.port, {});
  const endpoint = await stream.next();
  expect(endpoint.event).toBe("endpoint");
  const path = endpoint.data;
  expect(path).toMatch(/^\/mcp\?sessionId=[\w-]{22}$/);
  expect((await http.raw({ path, body: initialize("2024-11-05") })).status).toBe(202);
  expect(JSON.parse((await stream.next()).data)).toMatchObject({ id: 1, result: { protocolVersion: "2024-11-05" } });
  await http.raw({ path, body: { jsonrpc: "2.0", method: "notifications/initialized" } });
  expect(
    (await http.raw({ path, body: { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "hello" } } })).status,
  ).toBe(202);
  expect(JSON.parse((await stream.next()).data)).toMatchObject({ id: 2, result: { content: [{ text: "Hello" }] } });
});

test("a post before there is a stream, with another id, or after the stream is gone, is not executed [fault E2]", async () => {
  const http = await serve(server(), { httpSse: true });
  expect((await http.raw({ body: { jsonrpc: "2.0", id: 1, method: "tools/list" } })).status).toBe(400);
  expect((await http.raw({ path: "/mcp?sessionId=unknown", body: initialize("2024-11-05") })).status).toBe(404);
  const stream = await EventReader.open(http.port, {});
  const path = (await stream.next()).data;
  stream.destroy();
  await expect.poll(async () => (await http.raw({ path, body: initialize("2024-11-05") })).status).toBe(404);
});

test("both endpoints stand behind the same guard [fault E3 D.3]", async () => {
  const http = await serve(server(), { httpSse: true });
  const foreign = { origin: "https://evil.example" };
  expect((await http.raw({ method: "GET", headers: foreign })).status).toBe(403);
  expect((await http.raw({ path: "/mcp?sessionId=x", headers: foreign, body: initialize("2024-11-05") })).status).toBe(403);
});

test("a client that does not take event streams learns what to accept", async () => {
  const http = await serve(server(), { httpSse: true });
  const refused = await http.raw({ method: "GET", headers: { accept: "application/json" } });
  expect([refused.status, refused.json]).toMatchObject([
    406,
    { error: { message: expect.stringContaining("text/event-stream") as string } },
  ]);
});

test("an open stream does not hold up draining", async () => {
  const http = await serve(server(), { httpSse: true });
  const stream = await EventReader.open(http.port, {});
  await stream.next();
  await http.drain(60_000);
  expect(await stream.rest()).toEqual([]);
});

test("old clients and new ones are served by one endpoint at the same time [D.4 B4.4]", async () => {
  const http = await serve(server(), { httpSse: true });
  const stream = await EventReader.open(http.port, {});
  const path = (await stream.next()).data;
  await http.raw({ path, body: initialize("2024-11-05") });
  expect(JSON.parse((await stream.next()).data)).toMatchObject({ result: { protocolVersion: "2024-11-05" } });
  expect((await (await http.open("2025-11-25")).send({ jsonrpc: "2.0", id: 5, method: "ping" })).status).toBe(200);
  expect((await http.post("tools/call", { name: "hello" })).status).toBe(200);
});

test("without the option a GET opens nothing [D.5]", async () => {
  const http = await serve(server());
  expect((await http.raw({ method: "GET" })).status).toBe(400);
});

test("a client that stalls is cut, and delays no other client [fault E5 fault H9]", async () => {
  const made = server();
  const aborted = new Promise<void>((resolve) => {
    made.tool("flood", {}, async (_input, ctx) => {
      ctx.signal.addEventListener("abort", () => resolve());
      const text = "x".repeat(10_000);
      for (let i = 1; !ctx.signal.aborted; i++) {
        void ctx.log.info(text);
        if (i % 20 === 0) await new Promise((again) => setImmediate(again));
      }
      return "";
    });
  });
  const http = await serve(made, { httpSse: true, limits: { maxBuffered: 200_000, maxStalled: 60 }, streams: { keepAlive: 20 } });
  const open = async (): Promise<{ stream: EventReader; path: string }> => {
    const stream = await EventReader.open(http.port, {});
    const path = (await stream.next()).data;
    await http.raw({ path, body: initialize("2024-11-05") });
    await stream.next();
    await http.raw({ path, body: { jsonrpc: "2.0", method: "notifications/initialized" } });
    return { stream, path };
  };
  const call = (name: string): object => ({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name } });
  const stalled = await open();
  stalled.stream.pause();
  await http.raw({ path: stalled.path, body: call("flood") });
  const other = await open();
  await http.raw({ path: other.path, body: call("hello") });
  expect(JSON.parse((await other.stream.next()).data)).toMatchObject({ id: 2, result: { content: [{ text: "Hello" }] } });
  await aborted;
});

test("a result that is too large becomes an error that names the limit [fault E5 fault H15]", async () => {
  const made = server();
  made.tool("large", {}, () => "x".repeat(50_000));
  const http = await serve(made, { httpSse: true, limits: { maxResultSize: 10_000 } });
  const stream = await EventReader.open(http.port, {});
  const path = (await stream.next()).data;
  await http.raw({ path, body: initialize("2024-11-05") });
  await stream.next();
  await http.raw({ path, body: { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "large" } } });
  expect(JSON.parse((await stream.next()).data)).toMatchObject({
    id: 2,
    error: { code: -32603, data: { limit: "limits.maxResultSize" } },
  });
});

test("a stream that dies stops what runs for it [fault E4]", async () => {
  const { opened: stopped, open: stop } = gate();
  const made = server();
  made.tool(
    "notice",
    {},
    (_input, ctx) => new Promise<string>((resolve) => ctx.signal.addEventListener("abort", () => (stop(), resolve("")))),
  );
  const http = await serve(made, { httpSse: true });
  const stream = await EventReader.open(http.port, {});
  const path = (await stream.next()).data;
  await http.raw({ path, body: initialize("2024-11-05") });
  await http.raw({ path, body: { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "notice" } } });
  stream.destroy();
  await expect(stopped).resolves.toBeUndefined();
});

test("what waits for a client that reads no stream is bounded in bytes: 429; what was taken is kept [R8 fault E5]", async () => {
  const made = server();
  made.tool("large", {}, () => "x".repeat(15_000_000));
  const http = await serve(made, {
    httpSse: true,
    limits: { maxBuffered: 2_000_000, maxInFlight: 1_000 },
  });
  const stream = await EventReader.open(http.port, {});
  const path = (await stream.next()).data;
  await http.raw({ path, body: initialize("2024-11-05") });
  await stream.next();
  await http.raw({ path, body: { jsonrpc: "2.0", method: "notifications/initialized" } });
  stream.pause();
  const call = (id: number, name: string, pad = ""): Promise<Received> =>
    http.raw({ path, body: { jsonrpc: "2.0", id, method: "tools/call", params: { name, _meta: { pad } } } });
  // More than a socket takes, then as many responses as may be unsent before the server receives no more.
  await call(2, "large");
  for (let id = 3; id < 300; id++) expect((await call(id, "hello")).status).toBe(202);
  const statuses: number[] = [];
  let refused: Received | undefined;
  for (let id = 300; id < 310; id++) {
    const response = await call(id, "hello", "x".repeat(900_000));
    statuses.push(response.status);
    if (response.status !== 202) refused = response;
  }
  expect(statuses).toEqual([202, 202, ...Array.from({ length: 8 }, () => 429)]);
  expect(refused!.json).toMatchObject({
    error: { message: 'Busy (limit "limits.maxBuffered")', data: { limit: "limits.maxBuffered" } },
  });
  stream.resume();
  const ids: unknown[] = [];
  while (ids.at(-1) !== 301) ids.push((JSON.parse((await stream.next()).data) as { id: number }).id);
  expect(ids).toEqual(Array.from({ length: 300 }, (_, i) => i + 2));
});
