/**
 * The GET stream of a session at several nodes: no change of what its client watches is missed, and no message is on two streams.
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from "vitest";
import type { McpServer, SharedStores } from "tenon/server";
import type { JsonObject } from "tenon";
import { memoryStores } from "tenon/stores/memory";
import { assertStarted, startEngine, type Engine } from "../stores/engines.ts";
import { Nodes, SHARED, type RawResponse, type RawSession } from "./nodes.ts";
import { testServer } from "../support/test-server.ts";

const REVISION = "2025-11-25";
/** Sessions of one test, and how many of them are under way together. */
const [ROUNDS, AT_ONCE] = [120, 12];

function makeServer(): McpServer {
  const server = testServer({ ...SHARED, logging: true });
  server.resourceTemplate("note://{n}", {}, () => "text");
  server.tool("tell", { input: { type: "object", properties: { text: { type: "string" } } } as const }, async ({ text }, ctx) => {
    await ctx.session.standalone.sendLogMessage({ level: "info", data: text ?? "" });
    return "told";
  });
  return server;
}

const request = (id: number, method: string, params: JsonObject = {}): JsonObject => ({ jsonrpc: "2.0", id, method, params });
const tell = (id: number, text: string): JsonObject => request(id, "tools/call", { name: "tell", arguments: { text } });
const paramsOf = (message: JsonObject): JsonObject => message["params"] as JsonObject;

/** Three nodes, each with stores of its own of one engine. */
class Three {
  readonly nodes: readonly Nodes[];

  constructor(storesOf: (index: number) => SharedStores) {
    this.nodes = [0, 1, 2].map((index) => new Nodes(makeServer, { stores: storesOf(index) }, 1));
  }

  /** Opens a session at the first node. `send` names the node. */
  async open(): Promise<RawSession> {
    const { id } = await this.nodes[0]!.open(REVISION);
    const own = { "mcp-session-id": id, "mcp-protocol-version": REVISION };
    return { id, send: (at, raw) => this.nodes[at]!.send(0, { ...raw, headers: { ...own, ...raw.headers } }) };
  }

  updated(at: number, uri: string): void {
    this.nodes[at]!.nodes[0]!.server.resourceUpdated(uri);
  }
}

async function inRounds(work: (round: number) => Promise<void>): Promise<void> {
  for (let first = 0; first < ROUNDS; first += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => work(first + index)));
}

/** Reads a stream as it comes. */
function follow(stream: RawResponse): { readonly texts: unknown[]; readonly ended: Promise<void>; hasEnded: boolean } {
  const followed = { texts: [] as unknown[], hasEnded: false, ended: Promise.resolve() };
  followed.ended = (async () => {
    for (let event = await stream.next(); event !== undefined; event = await stream.next())
      followed.texts.push(paramsOf(event.message)["data"]);
    followed.hasEnded = true;
  })();
  return followed;
}

async function assertWatches(three: Three, round: number): Promise<void> {
  const session = await three.open();
  const uri = `note://${round}`;
  // this node believes what it has read for a second
  expect((await session.send(2, { body: request(2, "ping") })).status).toBe(200);
  const subscribed = await session.send(1, { body: request(3, "resources/subscribe", { uri }) });
  expect(await subscribed.message()).toMatchObject({ result: {} });
  three.updated(round % 3, uri);
  const stream = await session.send(2, { method: "GET" });
  const event = await stream.next();
  expect(event!.message).toMatchObject({ method: "notifications/resources/updated", params: { uri } });
  await stream.drop();
}

/** Two streams of one session are opened at once, at two nodes or at one. */
async function assertOneStream(three: Three, round: number): Promise<void> {
  const session = await three.open();
  await (await session.send(0, { body: tell(2, "a") })).text();
  const opened = await Promise.all([1, 1 + (round % 2)].map((at) => session.send(at, { method: "GET" })));
  const streams = opened.map(follow);
  await (await session.send(0, { body: tell(3, "b") })).text();
  await expect.poll(() => streams.filter(({ hasEnded }) => hasEnded).length).toBe(1);
  const left = streams.find(({ hasEnded }) => !hasEnded)!;
  await (await session.send(0, { body: tell(4, "c") })).text();
  await expect.poll(() => left.texts.at(-1)).toBe("c");
  expect(streams.flatMap(({ texts }) => texts).sort()).toEqual(["a", "b", "c"]);
  expect((await session.send(0, { method: "DELETE" })).status).toBe(204);
}

/** The stream of a session moves from node to node while messages are sent. */
async function assertMoves(three: Three): Promise<void> {
  const session = await three.open();
  let stream = await session.send(0, { method: "GET" });
  for (let round = 1; round <= 20; round++) {
    const sent = ["a", "b", "c"].map((part) => `${part}${round}`);
    const telling = (async () => {
      for (const [at, text] of sent.entries()) await (await session.send(at, { body: tell(round * 3 + at, text) })).text();
    })();
    const next = await session.send(round % 3, { method: "GET" });
    await telling;
    const events = await stream.rest(); // the stream before has ended
    while (events.length < sent.length) events.push((await next.next())!);
    expect(events.map(({ message }) => paramsOf(message)["data"])).toEqual(sent);
    stream = next;
  }
  await (await session.send(1, { body: tell(100, "end") })).text();
  expect(paramsOf((await stream.next())!.message)["data"]).toBe("end"); // nothing came twice
  await stream.drop();
}

describe("memory", () => {
  const stores = memoryStores();
  const memory = (): Three => new Three(() => stores);

  test("a client that subscribes at one node, and opens its stream at another, misses no change", async () => {
    const three = memory();
    await inRounds((round) => assertWatches(three, round));
  });

  test("a node that did not hear of a subscription sends the changes of it", async () => {
    const deaf = {
      ...stores,
      bus: { maxMessage: 1_000, publish: () => undefined, subscribe: () => () => undefined, onGap: () => () => undefined },
    };
    await assertWatches(new Three((index) => (index === 2 ? deaf : stores)), 0);
  });

  test("messages that are sent while the stream moves to another node arrive once, in order, on one of the two", async () => {
    await assertMoves(memory());
  });

  test("streams of one session that are opened at once: one of them gets the messages, each once", async () => {
    const three = memory();
    await inRounds((round) => assertOneStream(three, round));
  });
});

describe.each(["redis", "postgres", "nats"] as const)("%s", (name) => {
  let engine: Engine | undefined;
  let spaces = 0;
  beforeAll(async () => void (engine = await startEngine(name)));
  afterAll(() => engine?.stop());

  function threeOf(context: TestContext): Three {
    const space = `get_${++spaces}`;
    return new Three(() => {
      const stores = assertStarted(engine, name, context).stores(space);
      onTestFinished(() => stores.close());
      return stores;
    });
  }

  test("a client that subscribes at one node, and opens its stream at another, misses no change", async (context) => {
    const three = threeOf(context);
    await inRounds((round) => assertWatches(three, round));
  });

  test("messages sent while the stream moves to another node arrive once, in order, on one of the two", async (context) => {
    await assertMoves(threeOf(context));
  });

  test("streams of one session that are opened at once: one of them gets the messages, each once", async (context) => {
    const three = threeOf(context);
    await inRounds((round) => assertOneStream(three, round));
  });
});
