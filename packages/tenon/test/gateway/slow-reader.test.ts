/**
 * A client of a gateway that reads more slowly than a server tells: what waits for it is bounded, and nobody else waits for it.
 */
import { expect, test } from "vitest";
import type { JsonObject, McpError } from "tenon";
import { createGateway } from "tenon/gateway";
import type { McpServer } from "tenon/server";
import { EventReader } from "../http/event-reader.ts";
import { mirrored, serve, statelessBody, type Served } from "../http/support.ts";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

/** Messages of the flood, and the characters of each: 40 MB in all, more than the sockets of both ends hold. */
const STEPS = 4_000;
const WORDS = "x".repeat(10_000);

/** A server whose tool floods its caller, and then calls `ended`. */
function floodServer(ended: () => void): McpServer {
  const server = testServer({ name: "flood" });
  server.tool("flood", {}, async (_input, ctx) => {
    for (let i = 1; i <= STEPS; i++) await ctx.log.info(WORDS);
    ended();
    return "done";
  });
  server.tool("quick", {}, () => "quick");
  return server;
}

/** A call whose response is not read yet. */
async function floodedCall(http: Served, revision: string): Promise<EventReader> {
  const params = { name: "up__flood", arguments: {} };
  if (revision === "2026-07-28") {
    const logging = { ...params, _meta: { "io.modelcontextprotocol/logLevel": "debug" } };
    return EventReader.open(http.port, { headers: mirrored("tools/call", logging), body: statelessBody("tools/call", logging) });
  }
  const { headers, send } = await http.open(revision);
  await send({ jsonrpc: "2.0", id: 1, method: "logging/setLevel", params: { level: "debug" } });
  return EventReader.open(http.port, { headers, body: { jsonrpc: "2.0", id: 2, method: "tools/call", params } });
}

test.each(["2026-07-28", "2025-11-25"])(
  "%s: the server and other clients go on while one client does not read; what does not fit is dropped and counted [fault G10]",
  async (revision) => {
    const errors: McpError[] = [];
    const { opened: ended, open: end } = gate();
    const gateway = createGateway({ readyTimeout: 60_000, servers: { up: floodServer(end) } });
    const http = await serve(gateway, {
      limits: { maxBuffered: 200_000 },
      onError: (error) => void errors.push(error as McpError),
    });
    await http.post("tools/list");
    const slow = await floodedCall(http, revision);
    slow.pause();
    await ended;
    expect((await http.post("tools/call", { name: "up__quick" })).text).toContain('"text":"quick"');
    slow.response.resume();
    const messages = (await slow.rest()).filter(({ data }) => data !== "").map(({ data }) => JSON.parse(data) as JsonObject);
    expect(messages.at(-1)).toMatchObject({ result: { content: [{ text: "done" }] } });
    const logged = messages.filter(({ method }) => method === "notifications/message").length;
    const omitted = errors.map(({ data }) => data as { limit: string; omitted: number });
    expect(omitted.every(({ limit }) => limit === "limits.maxBuffered")).toBe(true);
    expect(logged + omitted.reduce((sum, one) => sum + one.omitted, 0)).toBe(STEPS);
    expect(logged).toBeLessThan(STEPS);
    await gateway.close();
  },
);
