/**
 * A replica of Redis becomes the primary without the last writes: what they said may be said again, and everything is served
 * without a restart.
 */
import { createClient } from "redis";
import { expect, onTestFinished, test, type TestContext } from "vitest";
import { McpServer } from "tenon/server";
import { Link } from "../support/link.ts";
import { Nodes, SHARED } from "../cluster/nodes.ts";
import { assertStarted, startRedis, type Engine } from "./engines.ts";

const LONG = 600_000;
const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo", arguments: {} } };

async function redis(context: TestContext, more: readonly string[] = []): Promise<Engine> {
  const engine = assertStarted(await startRedis(more), "redis", context);
  onTestFinished(() => engine.stop());
  return engine;
}

const portOf = ({ url }: Engine): number => Number(new URL(url).port);

async function keysOf({ url }: Engine): Promise<number> {
  const client = await createClient({ url }).connect();
  const count = await client.dbSize();
  client.destroy();
  return count;
}

test("a Redis replica promoted without last writes keeps earlier claims; later ones and sessions are lost", async (context) => {
  const primary = await redis(context);
  const replica = await redis(context, ["--replicaof", "127.0.0.1", String(portOf(primary))]);
  const link = await Link.to(portOf(primary));
  onTestFinished(() => link.close());
  const stores = primary.stores("failover", { url: `redis://127.0.0.1:${link.port}` });
  onTestFinished(() => stores.close());
  const { states, keyed, events, bus } = stores;
  const makeServer = (): McpServer => {
    const server = new McpServer({ name: "s", version: "1" }, SHARED);
    server.tool("echo", {}, () => "done");
    return server;
  };
  const nodes = new Nodes(makeServer, { stores }, 2);

  const kept = await nodes.open("2025-11-25");
  const heard: string[] = [];
  await bus.subscribe("topic", (message) => heard.push(message));
  const at = { session: "session", stream: "stream" };
  await events.open(at, { writer: "a", ms: LONG });
  await events.append(at, { writer: "a", first: 1, data: ["1"], ms: LONG });
  expect(await states.claim("kept", LONG, "one")).toBe(true);
  await expect.poll(async () => (await keysOf(replica)) - (await keysOf(primary)), { timeout: 60_000 }).toBe(0);

  const admin = await createClient({ url: replica.url }).connect();
  await admin.sendCommand(["REPLICAOF", "NO", "ONE"]);
  admin.destroy();
  expect(await states.claim("lost", LONG, "one")).toBe(true);
  await events.append(at, { writer: "a", first: 2, data: ["2"], ms: LONG });
  const lost = await nodes.open("2025-11-25", 1);
  await primary.kill();
  link.turnTo(portOf(replica));

  const attempt = async (work: () => unknown): Promise<unknown> => {
    try {
      return await work();
    } catch (error) {
      return error;
    }
  };
  await expect.poll(() => attempt(() => states.claim("kept", LONG, "one")), { timeout: 60_000 }).toBe(false);
  expect(await states.claim("lost", LONG, "one")).toBe(true);
  expect(await states.claim("lost", LONG, "one")).toBe(false);
  expect(await events.read(at, 0, 9)).toMatchObject({ last: 1, writer: "a" });
  await expect(events.append(at, { writer: "a", first: 3, data: ["3"], ms: LONG })).rejects.toBeInstanceOf(RangeError);
  expect(await keyed.join("set", "member", { ms: LONG, max: 1 })).toBe(true);
  const statusOf = async (session: typeof kept): Promise<number> => (await session.send(0, { body: CALL })).status;
  await expect.poll(() => statusOf(kept), { timeout: 60_000 }).toBe(200);
  await expect.poll(() => statusOf(lost), { timeout: 60_000 }).toBe(404);
  expect(await statusOf(await nodes.open("2025-11-25", 1))).toBe(200);
  await expect
    .poll(async () => (await attempt(() => bus.publish("topic", "after")), heard.includes("after")), { timeout: 60_000 })
    .toBe(true);
});
