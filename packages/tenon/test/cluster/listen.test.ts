/** Streams of changes of the stateless revisions at several nodes: opened again at any node, they hear what was missed. */
import { describe, expect, onTestFinished, test } from "vitest";
import { connect, McpError, type JsonObject } from "tenon";
import type { Fetch } from "tenon/client";
import { McpServer, type SharedStores } from "tenon/server";
import { memoryStores } from "tenon/stores/memory";
import { VirtualClock } from "tenon/testing";
import { mirrored, statelessBody } from "../http/support.ts";
import { Nodes, SHARED, type RawResponse } from "./nodes.ts";

const CURSOR = "dev.tenon/cursor";
const URI = "note://1";

function makeServer(clock?: VirtualClock): McpServer {
  const options = { ...SHARED, ...(clock && { clock }), capabilities: { tools: { listChanged: true } } };
  const server = new McpServer({ name: "s", version: "1" }, options);
  server.tool("echo", {}, () => "hi");
  server.resource(URI, {}, () => "text");
  server.resource("note://2", {}, () => "text");
  return server;
}

/** Nodes that have all joined: a node joins with the first request that needs the others. */
async function start(stores: SharedStores = memoryStores()): Promise<Nodes> {
  const nodes = new Nodes(() => makeServer(), { stores });
  for (const at of nodes.nodes.keys()) await nodes.open("2025-11-25", at);
  return nodes;
}

const FILTER = { toolsListChanged: true, resourceSubscriptions: [URI] };

/** A stream as it arrives: what each message announces, with the cursor on it. */
class Listening {
  readonly #response: RawResponse;

  constructor(response: RawResponse) {
    this.#response = response;
  }

  static async open(nodes: Nodes, at: number, cursor?: unknown, notifications: JsonObject = FILTER): Promise<Listening> {
    const params = { notifications };
    const body = statelessBody("subscriptions/listen", params);
    const sent = body["params"] as { _meta: JsonObject };
    if (cursor !== undefined) sent._meta = { ...sent._meta, [CURSOR]: cursor };
    const response = await nodes.send(at, { headers: mirrored("subscriptions/listen", params), body });
    if (response.status !== 200) throw new Error(`The stream was refused with ${response.status}`);
    onTestFinished(() => response.drop());
    return new Listening(response);
  }

  async next(): Promise<{ what: unknown; cursor: unknown; reread: unknown }> {
    const { message } = (await this.#response.next())!;
    const { _meta: meta, uri } = (message["params"] ?? message["result"]) as { _meta: JsonObject; uri?: string };
    return { what: uri ?? message["method"] ?? "result", cursor: meta[CURSOR], reread: meta["dev.tenon/reread"] };
  }

  drop(): Promise<void> {
    return this.#response.drop();
  }
}

const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
const TOOLS = "notifications/tools/list_changed";

describe("a stream that is opened again at another node", () => {
  test("hears the changes that it has missed, each once, and then new ones [I9]", async () => {
    const nodes = await start();
    const [a, b, c] = nodes.nodes.map(({ server }) => server) as [McpServer, McpServer, McpServer];
    const first = await Listening.open(nodes, 0);
    expect(await first.next()).toMatchObject({ what: ACKNOWLEDGED, reread: undefined });
    const witness = await Listening.open(nodes, 1);
    const other = await Listening.open(nodes, 2);
    for (const stream of [witness, other]) await stream.next();
    b.listChanged("tools");
    const heard = await first.next();
    expect(heard.what).toBe(TOOLS);
    await first.drop();
    for (let time = 0; time < 2; time++) {
      c.resourceUpdated(URI);
      while ((await witness.next()).what !== URI);
    }
    const again = await Listening.open(nodes, 1, heard.cursor);
    expect(await again.next()).toEqual({ what: ACKNOWLEDGED, cursor: heard.cursor, reread: undefined });
    const missed = await again.next();
    expect(missed.what).toBe(URI);
    a.listChanged("tools");
    const later = await again.next();
    expect(later.what).toBe(TOOLS);
    expect(Number(later.cursor)).toBeGreaterThan(Number(missed.cursor));
  });

  test.each(["999999", "-1", "x", "1".repeat(40)])(
    "learns that it must read again if the cursor %j is not of the log",
    async (cursor) => {
      const nodes = await start();
      const stream = await Listening.open(nodes, 2, cursor);
      const acknowledged = await stream.next();
      expect(acknowledged).toMatchObject({ what: ACKNOWLEDGED, reread: true });
      nodes.nodes[0]!.server.listChanged("tools");
      expect((await stream.next()).what).toBe(TOOLS);
    },
  );

  test("learns that it must read again if what it missed is not kept any more", async () => {
    const stores = memoryStores();
    const nodes = await start(stores);
    const first = await Listening.open(nodes, 0);
    const { cursor } = await first.next();
    await first.drop();
    const changes = Array.from({ length: 250 }, (_, index) => JSON.stringify({ kind: "resource", uri: `note://${index}` }));
    for (let batch = 0; batch < 5; batch++) {
      await stores.events.add({ session: "changes", stream: "log" }, { key: `batch-${batch}`, data: changes, ms: 60_000 });
    }
    expect(await (await Listening.open(nodes, 1, cursor)).next()).toMatchObject({ what: ACKNOWLEDGED, reread: true });
  });

  test("learns that it must read again if the log grows faster than it can be read", async () => {
    const stores = memoryStores();
    const reads: number[] = [];
    let grows = false;
    const events: SharedStores["events"] = {
      open: (...args) => stores.events.open(...args),
      append: (...args) => stores.events.append(...args),
      add: (...args) => stores.events.add(...args),
      adopt: (...args) => stores.events.adopt(...args),
      drop: (...args) => stores.events.drop(...args),
      read: async (at, after, limit) => {
        const page = await stores.events.read(at, after, limit);
        if (!grows || typeof page === "string") return page;
        // In turns of their own, so that a node that reads for ever fails this test and does not hold it up.
        await new Promise(setImmediate);
        if (reads.push(after) > 100) throw new McpError(-32603, "Read for ever", {});
        return { ...page, last: page.last + 1 };
      },
    };
    const nodes = await start({ ...stores, events });
    const first = await Listening.open(nodes, 0);
    const { cursor } = await first.next();
    grows = true;
    const again = await Listening.open(nodes, 1, cursor);
    expect(await again.next()).toMatchObject({ what: ACKNOWLEDGED, reread: true });
    expect(reads.length).toBeLessThan(100);
  });

  test("learns that it must read again if the store cannot be asked, and hears what comes later", async () => {
    const stores = memoryStores();
    let away = false;
    const events: SharedStores["events"] = {
      open: (...args) => stores.events.open(...args),
      append: (...args) => stores.events.append(...args),
      add: (...args) => stores.events.add(...args),
      adopt: (...args) => stores.events.adopt(...args),
      drop: (...args) => stores.events.drop(...args),
      read: (...args) => {
        if (away) throw new McpError(-32603, "The store is not available", { reason: "storeUnavailable", delivery: "not-sent" });
        return stores.events.read(...args);
      },
    };
    const nodes = await start({ ...stores, events });
    const first = await Listening.open(nodes, 0);
    const { cursor } = await first.next();
    away = true;
    const again = await Listening.open(nodes, 0, cursor);
    expect(await again.next()).toMatchObject({ what: ACKNOWLEDGED, cursor, reread: true });
    away = false;
    nodes.nodes[0]!.server.listChanged("tools");
    expect((await again.next()).what).toBe(TOOLS);
  });

  test("and its node's other sessions, hear that everything may have changed if an opening stream notices first", async () => {
    const stores = memoryStores();
    const nodes = new Nodes(() => makeServer(), { stores, clock: new VirtualClock() }, 1); // no node looks at the log by itself
    const [open, opening] = [await nodes.open("2025-11-25", 0), await nodes.open("2025-11-25", 0)];
    const stream = await open.send(0, { method: "GET" });
    onTestFinished(() => stream.drop());
    for (let change = 0; change < 3; change++) {
      nodes.nodes[0]!.server.listChanged("tools");
      expect((await stream.next())!.message["method"]).toBe(TOOLS);
    }
    await stores.events.drop("changes", 1);
    const own = await opening.send(0, { method: "GET" });
    onTestFinished(() => own.drop());
    for (const one of [stream, own]) expect((await one.next())!.message["method"]).toBe(TOOLS);
  });

  test("and all open ones, hear that everything may have changed if the engine has lost the log", async () => {
    const stores = memoryStores();
    const nodes = await start(stores);
    const stream = await Listening.open(nodes, 0);
    const session = await nodes.open("2025-11-25", 1);
    await session.send(1, { body: { jsonrpc: "2.0", id: 7, method: "resources/subscribe", params: { uri: URI } } });
    const get = await session.send(1, { method: "GET" });
    onTestFinished(() => get.drop());
    await stream.next();
    for (let change = 0; change < 3; change++) {
      nodes.nodes[2]!.server.resourceUpdated(URI);
      expect([(await stream.next()).what, (await get.next())!.message["method"]]).toEqual([
        URI,
        "notifications/resources/updated",
      ]);
    }
    await stores.events.drop("changes", 1);
    nodes.nodes[2]!.server.listChanged("prompts");
    expect(new Set([(await stream.next()).what, (await stream.next()).what])).toEqual(new Set([TOOLS, URI]));
    const heard = new Set<unknown>();
    while (!heard.has("notifications/resources/updated")) heard.add((await get.next())!.message["method"]);
    expect(heard).toContain(TOOLS);
  });
});

test("a node that drains ends the stream with the cursor at which another goes on", async () => {
  const nodes = await start();
  const stream = await Listening.open(nodes, 0);
  const { cursor } = await stream.next();
  await nodes.nodes[0]!.handler.drain(1_000);
  const end = await stream.next();
  expect(end).toMatchObject({ what: "result", cursor });
  nodes.nodes[2]!.server.resourceUpdated(URI);
  const again = await Listening.open(nodes, 1, end.cursor);
  await again.next();
  expect((await again.next()).what).toBe(URI);
});

test.each(["drain", "close"] as const)(
  "a client whose node ends with %s goes on at another, and hears exactly what it has missed",
  async (end) => {
    const nodes = await start();
    let at = 0;
    const fetch: Fetch = (url, init) => nodes.at(at)(url, init);
    const client = await connect({ url: "http://localhost/mcp", fetch }, { revision: "2026-07-28" });
    onTestFinished(() => client.close());
    const changes = (await client.listen({ tools: true, resources: [URI] }))[Symbol.asyncIterator]();
    const witness = await Listening.open(nodes, 2);
    await witness.next();
    at = 1;
    await nodes.nodes[0]!.handler[end]();
    nodes.nodes[2]!.server.resourceUpdated(URI);
    expect((await witness.next()).what).toBe(URI);
    expect((await changes.next()).value).toEqual({ kind: "resource", uri: URI });
    nodes.nodes[2]!.server.listChanged("tools");
    expect((await changes.next()).value).toEqual({ kind: "tools" });
  },
);

describe("a change that a node makes while the store is away", () => {
  const END = "note://2";
  const UPDATED = "notifications/resources/updated";
  const PROMPTS = "notifications/prompts/list_changed";
  const RESOURCES = "notifications/resources/list_changed";
  const unavailable = (delivery: string): McpError =>
    new McpError(-32603, "The store is not available", { reason: "storeUnavailable", delivery });

  /** Three nodes whose log adds as `add` says. Streams at node 0 and node 1, and a session at node 1, which makes the changes. */
  async function listening(add: (stores: SharedStores, args: Parameters<SharedStores["events"]["add"]>) => unknown): Promise<{
    readonly change: (uri: string) => Promise<void>;
    readonly heard: (count: number) => Promise<unknown[][]>;
  }> {
    const stores = memoryStores();
    const events: SharedStores["events"] = new Proxy(stores.events, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        if (name !== "add") return (member as () => unknown).bind(target);
        return (...args: Parameters<SharedStores["events"]["add"]>) => add(stores, args);
      },
    });
    const clock = new VirtualClock();
    const nodes = new Nodes(() => makeServer(clock), { stores: { ...stores, events } });
    for (const at of nodes.nodes.keys()) await nodes.open("2025-11-25", at);
    const filter = { toolsListChanged: true, resourceSubscriptions: [URI, END] };
    const streams = [await Listening.open(nodes, 0, undefined, filter), await Listening.open(nodes, 1, undefined, filter)];
    for (const stream of streams) await stream.next();
    const session = await nodes.open("2025-11-25", 1);
    for (const [id, uri] of [URI, END].entries())
      await session.send(1, { body: { jsonrpc: "2.0", id, method: "resources/subscribe", params: { uri } } });
    const get = await session.send(1, { method: "GET" });
    onTestFinished(() => get.drop());
    await get.primed();
    const next = async (): Promise<unknown> => {
      const { method, params } = (await get.next())!.message;
      return method === UPDATED ? (params as JsonObject)["uri"] : method;
    };
    return {
      async change(uri) {
        nodes.nodes[1]!.server.resourceUpdated(uri);
        await clock.advance(50); // no change is coalesced with the next one
      },
      async heard(count) {
        const listeners = [...streams.map((stream) => async () => (await stream.next()).what), next];
        const all: unknown[][] = [];
        for (const listener of listeners) {
          const heard: unknown[] = [];
          while (heard.filter((what) => what === END).length < count) heard.push(await listener());
          all.push(heard);
        }
        return all;
      },
    };
  }

  /** Makes that many changes while the store is away, and one more when it is back. Returns what is heard of them. */
  async function afterOutage(changes: number): Promise<(count: number) => Promise<unknown[][]>> {
    let away = false;
    const { change, heard } = await listening((stores, args) => {
      if (away) throw unavailable("not-sent");
      return stores.events.add(...args);
    });
    away = true;
    for (let count = 0; count < changes; count++) await change(URI);
    away = false;
    await change(END);
    return heard;
  }

  test("is heard once by all clients when the store is back, in order, also by those of that node", async () => {
    const heard = await afterOutage(3);
    const expected = [URI, URI, URI, END];
    expect(await heard(1)).toEqual([expected, expected, expected]);
  });

  test("is one of everything if there are too many", async () => {
    const heard = await afterOutage(101);
    const expected = [URI, TOOLS, URI, END, END];
    expect(await heard(2)).toEqual([expected, expected, [URI, TOOLS, PROMPTS, RESOURCES, URI, END, END]]);
  });

  test("is written once if the log has it, although the store failed, and other nodes have added much since then", async () => {
    let failed = false;
    const { change, heard } = await listening(async (stores, args) => {
      const last = await stores.events.add(...args);
      if (failed || !args[1].data[0]?.includes(URI)) return last;
      failed = true;
      const at = { session: "changes", stream: "log" };
      for (let count = 0; count < 20; count++) {
        await stores.events.add(at, { key: `other-${count}`, data: [JSON.stringify({ kind: "prompts" })], ms: 60_000 });
      }
      throw unavailable("unknown");
    });
    await change(URI);
    await change(END);
    const [elsewhere, own, session] = await heard(1);
    expect([elsewhere, own]).toEqual([
      [URI, END],
      [URI, END],
    ]);
    expect(session!.filter((what) => what !== PROMPTS)).toEqual([URI, END]);
  });
});
