/**
 * The engine has lost the counter of nodes while nodes live: ids of requests that servers send to one session are never the same.
 */
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import pg from "pg";
import { createClient } from "redis";
import { expect, onTestFinished, test, type TestContext } from "vitest";
import { McpServer } from "tenon/server";
import type { JsonObject } from "tenon";
import { assertStarted, startEngine, type Engine } from "../stores/engines.ts";
import { Nodes, SHARED } from "./nodes.ts";

const REVISION = "2025-11-25";
/**
 * Nodes that live, and nodes that start after the loss. Numbers count seconds, so the first ones are ahead of the clock for a
 * while.
 */
const [LIVING, NEW] = [30, 4];

/** Deletes the counters of a space, and nothing else. */
const FORGET: Record<"redis" | "postgres" | "nats", (engine: Engine, space: string) => Promise<void>> = {
  async redis({ url }, space) {
    const client = await createClient({ url }).connect();
    expect(await client.del(await client.keys(`${space}:n:*`))).toBe(1);
    client.destroy();
  },
  async postgres({ url }, space) {
    const client = new pg.Client(url);
    await client.connect();
    expect((await client.query(`delete from ${space}.counter`)).rowCount).toBe(1);
    await client.end();
  },
  async nats({ url }, space) {
    const connection = await connect({ servers: url });
    const { streams } = await jetstreamManager(connection);
    expect((await streams.purge(`${space}-keyed`, { filter: `${space}.keyed.n.>` })).purged).toBe(1);
    await connection.close();
  },
};

test.for(["redis", "postgres", "nats"] as const)(
  "%s: nodes that start after the counter was lost ask a session under ids of their own",
  { timeout: 240_000 },
  async (name, context: TestContext) => {
    const engine = assertStarted(await startEngine(name), name, context);
    onTestFinished(() => engine.stop());
    const makeServer = (): McpServer => {
      const server = new McpServer({ name: "s", version: "1" }, SHARED);
      server.tool("roots", {}, async (_input, ctx) => String((await ctx.session.standalone.listRoots()).roots.length));
      return server;
    };
    const stores = engine.stores("lost");
    onTestFinished(() => stores.close());
    const start = (): Nodes => new Nodes(makeServer, { stores }, 1);
    const first = start();
    const { id } = await first.open(REVISION, 0, { roots: {} });
    const headers = { "mcp-session-id": id, "mcp-protocol-version": REVISION };
    const send = (node: Nodes, body: JsonObject): ReturnType<Nodes["send"]> =>
      node.send(0, { body: { jsonrpc: "2.0", ...body }, headers });
    const join = async (node: Nodes): Promise<Nodes> => {
      expect((await send(node, { id: 2, method: "ping" })).status).toBe(200);
      return node;
    };
    const living = [first, ...(await Promise.all(Array.from({ length: LIVING }, () => join(start()))))];
    await FORGET[name](engine, "lost");
    const nodes = [...living, ...(await Promise.all(Array.from({ length: NEW }, () => join(start()))))];

    const stream = await first.send(0, { method: "GET", headers });
    onTestFinished(() => stream.drop());
    const calls = nodes.map((node, index) => send(node, { id: index + 10, method: "tools/call", params: { name: "roots" } }));
    const asked = new Set<unknown>();
    for (let count = 1; count <= nodes.length; count++) {
      const { message } = (await stream.next())!;
      asked.add(message["id"]);
      expect(asked.size).toBe(count);
      const result = { roots: Array.from({ length: count }, (_, root) => ({ uri: `file:///${root}` })) };
      expect((await send(nodes[count - 1]!, { id: message["id"]!, result } as JsonObject)).status).toBe(202);
    }
    const results = await Promise.all(calls.map(async (call) => (await call).message()));
    const texts = results.map(({ result }) => (result as { content: { text: string }[] }).content[0]!.text);
    expect(texts.map(Number).sort((a, b) => a - b)).toEqual(nodes.map((_, index) => index + 1));
  },
);
