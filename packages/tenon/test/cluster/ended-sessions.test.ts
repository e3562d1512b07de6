/**
 * A session that its client has ended: what is under way at other nodes does not make it again, and leaves nothing in the engine.
 */
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import pg from "pg";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from "vitest";
import { McpServer } from "tenon/server";
import type { JsonObject } from "tenon";
import type { Stores } from "tenon/stores/redis";
import { assertStarted, startEngine, type Engine } from "../stores/engines.ts";
import { Nodes, SHARED } from "./nodes.ts";
import { testServer } from "../support/test-server.ts";

const REVISION = "2025-11-25";
const SESSIONS = 12;
const URI = "note://1";

/**
 * Names of all that the stores of a space keep, without the marks of sessions that were dropped, which expire after ten minutes.
 */
const KEPT: Record<"redis" | "postgres" | "nats", (engine: Engine, space: string) => Promise<string[]>> = {
  async redis({ url }) {
    const client = await createClient({ url }).connect();
    const keys = await client.keys("*");
    const members = await Promise.all(
      keys.map(async (key) =>
        (await client.type(key)) === "zset" ? (await client.zRange(key, 0, -1)).map((one) => `${key} ${one}`) : [],
      ),
    );
    client.destroy();
    return [...keys.filter((key) => !key.endsWith("dropped")), ...members.flat()];
  },
  async postgres({ url }, space) {
    const client = new pg.Client(url);
    await client.connect();
    const { rows: tables } = await client.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = $1 and table_name <> 'dropped'",
      [space],
    );
    const kept: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ text: string }>(`select row_to_json(t)::text as text from ${space}.${name} as t`);
      for (const { text } of rows) {
        const row = JSON.parse(text) as Record<string, string | null>;
        kept.push(`${name} ${["key", "set", "member", "session", "name"].map((column) => row[column] ?? "").join(" ")}`);
      }
    }
    await client.end();
    return kept;
  },
  async nats({ url }, space) {
    const connection = await connect({ servers: url });
    const { streams } = await jetstreamManager(connection);
    const kept = await Promise.all(
      ["keyed", "events"].map(async (name) =>
        Object.keys((await streams.info(`${space}-${name}`, { subjects_filter: ">" })).state.subjects ?? {}),
      ),
    );
    await connection.close();
    return kept.flat().filter((subject) => !/\.dropped\.|\.keyed\.m\./.test(subject)); // the parts of a set stay
  },
};

describe.each(["redis", "postgres", "nats"] as const)("%s", (name) => {
  let engine: Engine | undefined;
  beforeAll(async () => void (engine = await startEngine(name)));
  afterAll(() => engine?.stop());

  test("a session that is ended while other nodes serve it is not made again or left in part", async (context: TestContext) => {
    const space = "ended";
    const stores = (): Stores => {
      const made = assertStarted(engine, name, context).stores(space);
      onTestFinished(() => made.close());
      return made;
    };
    let running = 0;
    const makeServer = (): McpServer => {
      const server = testServer({ ...SHARED, logging: true });
      server.resource(URI, {}, () => "text");
      server.tool("hang", {}, async (_input, ctx) => {
        const { standalone } = ctx.session;
        await ctx.progress(1);
        running++;
        await new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve()));
        await ctx.progress(2);
        await standalone.sendLogMessage({ level: "info", data: "late" }).catch(() => undefined);
        running--;
        return "late";
      });
      server.tool("tell", {}, async (_input, ctx) => {
        await ctx.session.standalone.sendLogMessage({ level: "info", data: "told" });
        return "told";
      });
      return server;
    };
    const nodes = [0, 1, 2].map(() => new Nodes(makeServer, { stores: stores() }, 1));

    const use = async (end: number): Promise<void> => {
      const { id } = await nodes[0]!.open(REVISION);
      const headers = { "mcp-session-id": id, "mcp-protocol-version": REVISION };
      const send = (at: number, body: JsonObject): ReturnType<Nodes["send"]> =>
        nodes[at]!.send(0, { body: { jsonrpc: "2.0", ...body }, headers });
      await (await send(1, { id: 2, method: "resources/subscribe", params: { uri: URI } })).text();
      const call = await send(0, { id: 3, method: "tools/call", params: { name: "hang", _meta: { progressToken: "p" } } });
      await call.next();
      const first = await nodes[1]!.send(0, { method: "GET", headers });
      await (await send(2, { id: 4, method: "tools/call", params: { name: "tell" } })).text();
      expect((await first.next())!.message).toMatchObject({ params: { data: "told" } });
      const second = await nodes[2]!.send(0, { method: "GET", headers });
      await first.rest();
      // Requests that are under way at other nodes, and renew the life of the session, while it ends.
      const [ended] = await Promise.all([
        nodes[end]!.send(0, { method: "DELETE", headers }),
        ...[0, 1, 2].map((at) =>
          send(at, { id: 5, method: "tools/call", params: { name: "tell" } }).then((response) => response.text()),
        ),
        nodes[1]!.send(0, { method: "GET", headers }).then((stream) => stream.rest()),
      ]);
      expect(ended.status).toBe(204);
      await Promise.all([call.rest(), second.rest()]);
      await expect.poll(() => running).toBe(0);
    };
    await use(0);
    const before = await KEPT[name](engine!, space);
    for (let count = 0; count < SESSIONS; count++) await use(count % 3);
    const left = async (): Promise<string[]> => (await KEPT[name](engine!, space)).filter((key) => !before.includes(key));
    await expect.poll(left).toEqual([]);
  });

  test("other nodes' first requests, while a session is ended, do not count it again", async (context: TestContext) => {
    const space = "first";
    const nodes = [0, 1, 2].map(() => {
      const stores = assertStarted(engine, name, context).stores(space);
      onTestFinished(() => stores.close());
      return new Nodes(() => new McpServer({ name: "s", version: "1" }, SHARED), { stores }, 1);
    });
    const use = async (): Promise<void> => {
      const { id } = await nodes[0]!.open(REVISION);
      const headers = { "mcp-session-id": id, "mcp-protocol-version": REVISION };
      const pings = [1, 2].map((at) => nodes[at]!.send(0, { body: { jsonrpc: "2.0", id: 2, method: "ping" }, headers }));
      const responses = await Promise.all([...pings, nodes[0]!.send(0, { method: "DELETE", headers })]);
      expect(responses.map(({ status }) => status)).toEqual([expect.toBeOneOf([200, 404]), expect.toBeOneOf([200, 404]), 204]);
    };
    await use();
    const before = await KEPT[name](engine!, space);
    for (let count = 0; count < 60; count++) await use();
    const left = async (): Promise<string[]> => (await KEPT[name](engine!, space)).filter((key) => !before.includes(key));
    await expect.poll(left).toEqual([]);
  });
});
