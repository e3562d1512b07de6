// The timers of an endpoint: none of them keeps a process alive that has nothing else to do.
import { expect, onTestFinished, test } from "vitest";
import { createFetchHandler, type EndpointAuth, type FetchHandlerOptions } from "tenon/server";
import { memoryStores } from "tenon/stores/memory";
import { VirtualClock } from "tenon/testing";
import { SHARED } from "../cluster/nodes.ts";
import { BOTH, initialize, mirrored, statelessBody } from "./support.ts";
import { testServer } from "../support/test-server.ts";

/** A clock that knows which of its timers would keep a process of Node alive. */
class HoldingClock extends VirtualClock {
  readonly holding = new Set<object>();

  override setTimer(ms: number, callback: () => void): object {
    const timer = super.setTimer(ms, () => {
      this.holding.delete(timer);
      callback();
    }) as object;
    this.holding.add(timer);
    return Object.assign(timer, { unref: () => this.holding.delete(timer) });
  }

  override clearTimer(timer: unknown): void {
    this.holding.delete(timer as object);
    super.clearTimer(timer);
  }
}

/** A client whose token lasts for an hour. */
const auth = (clock: VirtualClock): EndpointAuth => ({
  authorize: () => ({
    principal: "alice",
    auth: { issuer: "https://issuer.example", subject: "alice", scopes: [], claims: {} },
    until: clock.wallNow() + 3_600_000,
  }),
  insufficientScope: () => ({ status: 403, headers: [], message: "no" }),
});

const tool = (id: number): object => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "step", arguments: {}, _meta: { progressToken: 1 } },
});

test.each([
  ["one process", (): FetchHandlerOptions => ({})],
  ["nodes that share stores", (clock: VirtualClock): FetchHandlerOptions => ({ stores: memoryStores({ clock }) })],
])("open sessions and streams of %s keep no process alive", async (_what, more) => {
  const clock = new HoldingClock();
  const server = testServer(SHARED);
  server.tool("step", {}, async (_input, ctx) => {
    await ctx.progress(1);
    return "done";
  });
  const handler = createFetchHandler(server, { clock, auth: auth(clock), ...more(clock) });
  onTestFinished(() => handler.close());
  const send = async (headers: Record<string, string>, body?: object): Promise<Response> => {
    const init = body === undefined ? { method: "GET" } : { method: "POST", body: JSON.stringify(body) };
    const response = await handler(
      new Request("http://localhost/mcp", { ...init, headers: { accept: BOTH, "content-type": "application/json", ...headers } }),
    );
    expect(response.status).toBeLessThan(300);
    return response;
  };
  const opened = await send({}, initialize("2025-11-25"));
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id")!, "mcp-protocol-version": "2025-11-25" };
  await send(session, { jsonrpc: "2.0", method: "notifications/initialized" });
  const streams = [await send(session)];
  const params = { notifications: { toolsListChanged: true } };
  streams.push(await send(mirrored("subscriptions/listen", params), statelessBody("subscriptions/listen", params)));
  await (await send(session, tool(2))).text();
  const reading = streams.map((stream) => stream.text().catch(() => "")); // a client that waits for what comes
  await clock.advance(60_000); // the time limits of calls have ended; heartbeats, renewals and searches come again
  expect(clock.pending).toBeGreaterThan(2);
  expect(clock.holding).toEqual(new Set());
  await handler.close();
  await Promise.all(reading);
  expect(clock.pending).toBe(0);
});
