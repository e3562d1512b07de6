/**
 * A client whose requests come to other nodes at the same moment: nothing that changes between them is missed, and no message is on two
 * streams. Each node has its own connections to the engine.
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from "vitest";
import { McpServer } from "tenon/server";
import type { JsonObject } from "tenon";
import { assertStarted, ENGINES, startEngine, type Engine } from "../stores/engines.ts";
import { Nodes, SHARED, type RawEvent, type RawResponse } from "./nodes.ts";

const REVISION = "2025-11-25";

function makeServer(): McpServer {
  const server = new McpServer({ name: "s", version: "1" }, { ...SHARED, logging: true });
  server.tool("tell", { input: { type: "object", properties: { text: { type: "string" } } } as const }, async (input, ctx) => {
    await ctx.session.standalone.sendLogMessage({ level: "info", data: input.text ?? "" });
    return "told";
  });
  server.resourceTemplate("note://{id}", {}, () => "text");
  return server;
}

const request = (method: string, params: JsonObject = {}): JsonObject => ({ jsonrpc: "2.0", id: 1, method, params });

interface Session {
  readonly post: (at: number, body: JsonObject) => Promise<JsonObject>;
  /** Opens the GET stream. It is closed with the test. */
  readonly listen: (at: number) => Promise<RawResponse>;
}

interface World {
  readonly servers: readonly McpServer[];
  readonly open: (at: number) => Promise<Session>;
}

const dataOf = ({ message }: RawEvent): unknown => (message["params"] as JsonObject)["data"] ?? (message["params"] as JsonObject)["uri"];

describe.each(ENGINES)("%s", (name) => {
  let engine: Engine | undefined;
  let spaces = 0;
  beforeAll(async () => void (engine = await startEngine(name)));
  afterAll(() => engine?.stop());

  /** Three nodes. */
  function start(context: TestContext): World {
    const { stores } = assertStarted(engine, name, context);
    const space = `races_${++spaces}`;
    const nodes = Array.from({ length: 3 }, () => {
      const own = stores(space);
      onTestFinished(() => own.close());
      return new Nodes(makeServer, { stores: own, sessions: { max: 1_000, maxPerPrincipal: 1_000 } }, 1);
    });
    const open = async (at: number): Promise<Session> => {
      const { id } = await nodes[at]!.open(REVISION);
      const headers = { "mcp-session-id": id, "mcp-protocol-version": REVISION };
      return {
        post: async (to, body) => (await nodes[to]!.send(0, { headers, body })).message(),
        listen: async (to) => {
          const stream = await nodes[to]!.send(0, { method: "GET", headers });
          onTestFinished(() => stream.drop());
          return stream;
        },
      };
    };
    return { servers: nodes.map((one) => one.nodes[0]!.server), open };
  }

  test("a change right after a subscription at one node reaches the stream that is opened at another one", async (context) => {
    const { servers, open } = start(context);
    for (let round = 0; round < 60; round++) {
      const [here, there, elsewhere] = [round % 3, (round + 1) % 3, (round + 2) % 3];
      const session = await open(here);
      const uri = `note://${round}`;
      expect(await session.post(there, request("resources/subscribe", { uri }))).toHaveProperty("result");
      servers[round % 2 === 0 ? here : there]!.resourceUpdated(uri);
      const stream = await session.listen(elsewhere);
      expect(dataOf((await stream.next())!)).toBe(uri);
      await stream.drop();
    }
  });

  test("messages that are sent while the stream moves to another node arrive once, in order, on one of the two", async (context) => {
    const { open } = start(context);
    const session = await open(0);
    let stream = await session.listen(0);
    for (let round = 1; round <= 20; round++) {
      const sent = ["a", "b", "c"].map((part) => `${part}${round}`);
      const telling = (async () => {
        for (const [at, one] of sent.entries()) await session.post(at, request("tools/call", { name: "tell", arguments: { text: one } }));
      })();
      const next = await session.listen(round % 3);
      await telling;
      const before = await stream.rest(); // the stream before has ended
      const after: RawEvent[] = [];
      while (before.length + after.length < sent.length) after.push((await next.next())!);
      expect([...before, ...after].map(dataOf)).toEqual(sent);
      stream = next;
    }
    await session.post(1, request("tools/call", { name: "tell", arguments: { text: "end" } }));
    expect(dataOf((await stream.next())!)).toBe("end"); // nothing came twice
  });

  test("of two streams that are opened at the same moment one ends, and the other one has the messages", async (context) => {
    const { open } = start(context);
    const session = await open(0);
    for (let round = 0; round < 20; round++) {
      const both = await Promise.all([session.listen(round % 3), session.listen((round + 1) % 3)]);
      await session.post(2, request("tools/call", { name: "tell", arguments: { text: `${round}` } }));
      const events = await Promise.all(both.map((stream) => stream.next()));
      expect(events.flatMap((event) => (event === undefined ? [] : [dataOf(event)]))).toEqual([`${round}`]);
      for (const stream of both) await stream.drop();
    }
  });
});
