/**
 * The engine of the stores is away: session traffic is refused by name and at once, nothing is lost, and what needs no store is
 * served.
 */
import { describe, expect, test } from "vitest";
import { McpError, McpUsageError, type JsonObject } from "tenon";
import { serveHttp } from "tenon/node";
import { createFetchHandler, McpServer, type SharedStores } from "tenon/server";
import { VirtualClock } from "tenon/testing";
import { memoryStores } from "tenon/stores/memory";
import { exchange, initialize, serve } from "../http/support.ts";
import { Nodes, SHARED, STATEFUL } from "./nodes.ts";
import { testServer } from "../support/test-server.ts";

function makeServer(): McpServer {
  const server = new McpServer({ name: "s", version: "1" }, SHARED);
  server.tool("echo", {}, () => "hi");
  server.tool("steps", {}, async (_input, ctx) => {
    for (let i = 1; i <= 3; i++) await ctx.progress(i);
    return "done";
  });
  return server;
}

/** Stores that can be cut off, as by a network. `calls` counts what they were asked. */
class CutStores implements SharedStores {
  away = false;
  calls = 0;
  readonly keyed: SharedStores["keyed"];
  readonly events: SharedStores["events"];
  readonly bus: SharedStores["bus"];

  constructor() {
    const stores = memoryStores();
    this.keyed = this.#cut(stores.keyed);
    this.events = this.#cut(stores.events);
    this.bus = this.#cut(stores.bus);
  }

  #cut<Store extends object>(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]): unknown => {
          this.calls++;
          if (this.away)
            throw new McpError(-32603, "The store is not available", { reason: "storeUnavailable", delivery: "not-sent" });
          return Reflect.apply(member, target, args);
        };
      },
    });
  }
}

const call = (name: string, id = 2): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: {}, _meta: { progressToken: "p" } },
});

describe.each(STATEFUL)("%s", (revision) => {
  test("a session is refused with 503 and by name, never with 404, and goes on afterwards [X1]", async () => {
    const stores = new CutStores();
    const nodes = new Nodes(makeServer, { stores, sessions: { idle: 600_000 } });
    const session = await nodes.open(revision);
    stores.away = true;
    for (const request of [{ body: call("echo") }, { method: "GET" }, { method: "DELETE" }]) {
      const refused = await session.send(2, request);
      expect([refused.status, refused.header("retry-after")]).toEqual([503, "1"]);
      expect(await refused.message()).toMatchObject({ error: { code: -32603, data: { reason: "storeUnavailable" } } });
    }
    const opened = await nodes.send(1, { body: initialize(revision) });
    expect(opened.status).toBe(503);
    stores.away = false;
    const response = await session.send(2, { body: call("echo") });
    expect(await response.message()).toMatchObject({ result: { content: [{ text: "hi" }] } });
  });

  test("a stream waits for the engine, and has no gap [X1]", async () => {
    const stores = new CutStores();
    const nodes = new Nodes(
      () => {
        const server = makeServer();
        server.tool("cut", {}, async (_input, ctx) => {
          await ctx.progress(1);
          stores.away = true;
          setTimeout(() => (stores.away = false), 100);
          await ctx.progress(2);
          return "done";
        });
        return server;
      },
      { stores },
    );
    const session = await nodes.open(revision);
    const stream = await session.send(0, { body: call("cut") });
    expect((await stream.rest()).map(({ id }) => id!.split(".")[1])).toEqual(["1", "2", "3"]);
  });
});

test("a stateless call asks no store, and is served while the engine is away [X1]", async () => {
  const stores = new CutStores();
  stores.away = true;
  const http = await serve(makeServer(), { stores, health: true });
  const before = stores.calls;
  expect((await http.post("tools/call", { name: "echo" })).json).toMatchObject({ result: { content: [{ text: "hi" }] } });
  expect(stores.calls).toBe(before);
  expect((await exchange(http.port, { method: "GET", path: "/readyz" })).status).toBe(503);
  stores.away = false;
  await expect.poll(async () => (await exchange(http.port, { method: "GET", path: "/readyz" })).status).toBe(200);
});

/** A clock that jumps, as time does for a process that stood still. */
class JumpingClock extends VirtualClock {
  #jumped = 0;

  jump(ms: number): void {
    this.#jumped += ms;
  }

  override now(): number {
    return super.now() + this.#jumped;
  }
}

test("a node that stood still runs nothing that it finds in its sockets until it has tried to renew its lease", async () => {
  const clock = new JumpingClock();
  const http = await serve(makeServer(), { stores: memoryStores(), clock });
  const session = await http.open("2025-11-25");
  clock.jump(1_900);
  expect((await http.post("tools/call", { name: "echo" })).status).toBe(200);
  clock.jump(2_100);
  for (const refused of [await http.post("tools/call", { name: "echo" }), await session.send(call("echo"))]) {
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);
    const message = "This process stood still, and serves again in a moment";
    expect(refused.json).toMatchObject({
      error: { code: -32603, message, data: { reason: "stoodStill", delivery: "not-sent" } },
    });
  }
  await clock.advance(700);
  expect((await http.post("tools/call", { name: "echo" })).status).toBe(200);
  expect((await session.send(call("echo"))).status).toBe(200);
});

test("a draining node is not ready first, serves on, and refuses later", async () => {
  const stores = memoryStores();
  const clock = new VirtualClock();
  const http = await serve(makeServer(), { stores, clock, health: true, drainDelay: 1_000 });
  const other = await serve(makeServer(), { stores });
  const session = await http.open("2025-11-25");
  const draining = http.drain();
  expect((await exchange(http.port, { method: "GET", path: "/readyz" })).status).toBe(404);
  expect((await session.send(call("echo"))).status).toBe(200);
  await clock.advance(1_000);
  await draining;
  const moved = await exchange(other.port, { body: call("steps"), headers: session.headers });
  expect(moved.messages.at(-1)).toMatchObject({ id: 2, result: { content: [{ text: "done" }] } });
});

describe("options", () => {
  const server = testServer();

  test("a server without keys of its own is refused", async () => {
    const stores = memoryStores();
    expect(() => createFetchHandler(server, { stores })).toThrow(McpUsageError);
    await expect(serveHttp(server, { stores, port: 0 })).rejects.toThrow(/requestState: \{ keys \}/);
  });

  test("stores that lack a part are refused by its name", () => {
    const { keyed, events } = memoryStores();
    expect(() => createFetchHandler(makeServer(), { stores: { keyed, events } as SharedStores })).toThrow(/"stores" lacks "bus"/);
  });
});
