/** Mistakes other SDKs made and mended: those with streams of events, and coming back to them. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect as connectTo } from "tenon";
import { toNodeHandler } from "tenon/node";
import { EventReader } from "../http/event-reader.ts";
import { exchange, initialize } from "../http/support.ts";
import { scriptedHttp, stateful } from "../http-client/scripted-http.ts";
import { closing } from "../support/matrix.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { testServer } from "../support/test-server.ts";

describe("The standing stream of a session", () => {
  it("that a server ends in good order, again and again, is left alone after a while, without a word until then", async () => {
    const clock = new VirtualClock();
    const http = await scriptedHttp(
      stateful((request, reply) => {
        if (request.method !== "GET") return reply.result({ tools: [] });
        reply.stream();
        return void reply.response.end();
      }),
    );
    const reported: unknown[] = [];
    const client = await closing(
      connectTo(http.url, { revision: "2025-11-25", clock, onError: (error) => void reported.push(error) }),
    );
    const gets = (): number => http.methods.filter((method) => method === "GET").length;
    await expect.poll(() => clock.advance(2_000).then(() => reported.length)).toBe(1);
    expect(String(reported[0])).toContain("without anything new");
    const last = gets();
    await clock.advance(3_600_000);
    expect((await client.listTools()).tools).toEqual([]);
    expect(gets()).toBe(last);
    expect(last).toBeLessThan(10);
  });

  it("that was resumed, and ends before it said anything, is resumed from where it stood [E3.2]", async () => {
    const clock = new VirtualClock();
    const http = await scriptedHttp(
      stateful((request, reply) => {
        if (request.method !== "GET") return reply.result({ tools: [] });
        reply.stream();
        const isFirst = http.methods.filter((method) => method === "GET").length === 1;
        if (isFirst) reply.event({ jsonrpc: "2.0", method: "notifications/tools/list_changed" }, "e1");
        return void reply.response.end();
      }),
    );
    await closing(connectTo(http.url, { revision: "2025-11-25", clock }));
    for (let count = 2; count <= 4; count++) {
      const arrived = http.received("GET", count);
      const gets = (): number => http.methods.filter((method) => method === "GET").length;
      await expect.poll(() => clock.advance(60_000).then(gets)).toBeGreaterThanOrEqual(count);
      await arrived;
    }
    const ids = http.requests.filter(({ method }) => method === "GET").map(({ headers }) => headers["last-event-id"]);
    expect(ids.slice(0, 4)).toEqual([undefined, "e1", "e1", "e1"]);
  });
});

it("HTTP+SSE below a place where something else is mounted: the stream says the whole path, which works [D.2]", async () => {
  const server = testServer();
  server.tool("hello", {}, () => "Hello");
  const handler = toNodeHandler(server, { httpSse: true });
  const app = express();
  const inner = express.Router();
  inner.use("/tools", handler);
  app.use("/api", inner);
  const http = createServer(app);
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(async () => {
    await handler.close();
    http.close();
    http.closeAllConnections();
  });
  const { port } = http.address() as AddressInfo;
  const stream = await EventReader.open(port, { path: "/api/tools/sse" });
  const path = (await stream.next()).data;
  expect(path).toMatch(/^\/api\/tools\/sse\?sessionId=/);
  expect((await exchange(port, { path, body: initialize("2024-11-05") })).status).toBe(202);
  expect(JSON.parse((await stream.next()).data)).toMatchObject({ result: { protocolVersion: "2024-11-05" } });
});
