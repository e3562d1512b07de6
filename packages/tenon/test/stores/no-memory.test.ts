/**
 * A Redis that takes no write at all for longer than every lease: no node counts as ended, no task changes its process, what is
 * refused is refused by name, and all goes on when there is room again.
 */
import { createClient } from "redis";
import { expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "tenon";
import { connect, type Client } from "tenon/client";
import { tasks } from "tenon/ext/tasks";
import type { McpServer } from "tenon/server";
import { StoreUnavailableError } from "tenon/stores/redis";
import { Nodes, SHARED, type RawRequest, type RawResponse, type RawSession } from "../cluster/nodes.ts";
import { initialize } from "../http/support.ts";
import { assertStarted, startRedis } from "./engines.ts";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

const REVISION = "2025-11-25";
/** Milliseconds of the lease of a task. That of a node has 2 500. */
const TASK_LEASE = 3_000;
/**
 * Milliseconds without room, by the clock of Redis: every lease that is not renewed ends, and others may take over what it had.
 */
const FULL_MS = 8_000;

const ALL_RUNS = ["early at 0", "early at 1", "early at 2", "late at 0", "late at 1", "late at 2"];

const call = (id: number, name: string): JsonObject => {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: {}, _meta: { progressToken: "p" } } };
};

test("on a Redis without room no node or task loses its lease, errors are named, and all goes on afterwards", async (context) => {
  const engine = assertStarted(await startRedis(), "redis", context);
  onTestFinished(() => engine.stop());
  const admin = await createClient({ url: engine.url }).connect();
  onTestFinished(() => admin.destroy());
  const observer = engine.stores("full");
  onTestFinished(() => observer.close());
  const [early, late] = [gate(), gate()];
  const reports: unknown[] = [];
  const runs: string[] = [];
  const onError = (error: unknown): void => void reports.push(error);

  /** Each node has a connection of its own. */
  const startNode = (index: number): Nodes => {
    const stores = engine.stores("full", { onError });
    onTestFinished(() => stores.close());
    const makeServer = (): McpServer => {
      const extensions = [tasks({ store: stores.tasks, lease: TASK_LEASE })];
      const server = testServer({ ...SHARED, logging: true, extensions, onError });
      server.tool("echo", {}, () => "hi");
      server.tool("tell", {}, async (_input, ctx) => {
        await ctx.session.standalone.sendLogMessage({ level: "info", data: "told" });
        return "done";
      });
      server.tool("steps", {}, async (_input, ctx) => {
        await ctx.progress(1);
        await early.opened;
        return "done";
      });
      for (const [name, { opened }] of Object.entries({ early, late })) {
        server.tool(name, { task: { restart: true, ttl: 600_000 } }, async () => {
          runs.push(`${name} at ${index}`);
          await opened;
          return "built";
        });
      }
      return server;
    };
    return new Nodes(makeServer, { stores }, 1);
  };
  const nodes = [startNode(0), startNode(1), startNode(2)] as const;
  const session = await nodes[0].open(REVISION);
  const ended = await nodes[0].open(REVISION);
  const send = (at: number, request: RawRequest): Promise<RawResponse> => sendTo(nodes[at]!, session, request);
  for (const at of nodes.keys()) await (await send(at, { body: call(9, "echo") })).text(); // a node joins with its first request
  const get = await send(2, { method: "GET" });
  onTestFinished(() => get.drop());
  await get.primed();
  const first = (await (await send(0, { body: call(2, "steps") })).next())!;
  const jobs = await Promise.all(nodes.flatMap((node) => ["early", "late"].map((name) => begin(node, name))));
  await expect.poll(() => [...runs].sort()).toEqual(ALL_RUNS);

  await admin.set("marker", "full", { PX: FULL_MS });
  await admin.configSet({ maxmemory: "1", "maxmemory-policy": "noeviction" });
  await admin.scriptFlush();
  const resumed = await send(1, { method: "GET", headers: { "last-event-id": first.id! } });
  const refused = await nodes[1].send(0, { body: initialize(REVISION) });
  expect([refused.status, refused.header("retry-after")]).toEqual([503, "1"]);
  expect(await refused.message()).toMatchObject({ error: { code: -32603, data: { reason: "storeUnavailable" } } });
  expect((await ended.send(0, { method: "DELETE" })).status).toBe(204); // frees memory
  expect((await sendTo(nodes[1], ended, { body: call(3, "echo") })).status).toBe(404);
  const served = async (): Promise<number> => {
    for (const at of nodes.keys()) expect((await send(at, { body: call(3, "echo") })).status).toBe(200);
    return admin.exists("marker");
  };
  await expect.poll(served, { timeout: 60_000, interval: 100 }).toBe(0);
  expect(await observer.tasks.abandoned(await observer.tasks.now!(), 9)).toEqual([]);
  early.open();
  // What the node has sent by now, Redis has refused: the call and the task end while there is no room.
  for (const { stores } of nodes) for (let read = 0; read < 20; read++) await stores!.keyed.read("none");

  await admin.configSet("maxmemory", "0");
  await admin.set("marker", "leases", { PX: TASK_LEASE }); // each node looks for tasks without a lease meanwhile
  await expect.poll(served, { timeout: 60_000, interval: 100 }).toBe(0);
  late.open();
  expect((await resumed.rest()).map(({ message }) => message)).toMatchObject([
    { id: 2, result: { content: [{ text: "done" }] } },
  ]);
  for (const job of jobs) expect((await job.result).text).toBe("built");
  expect([...runs].sort()).toEqual(ALL_RUNS);
  expect((await send(1, { body: call(4, "tell") })).status).toBe(200);
  expect((await get.next())!.message).toMatchObject({ params: { data: "told" } });
  expect((await nodes[1].send(0, { body: initialize(REVISION) })).status).toBe(200);
  for (const report of reports) {
    expect(report).toBeInstanceOf(StoreUnavailableError);
    expect(String((report as Error).cause)).toContain("OOM");
  }
});

function sendTo(node: Nodes, { id }: RawSession, request: RawRequest): Promise<RawResponse> {
  return node.send(0, { ...request, headers: { "mcp-session-id": id, "mcp-protocol-version": REVISION, ...request.headers } });
}

/** Begins a task at a node. */
async function begin(node: Nodes, name: string): Promise<{ readonly result: ReturnType<Client["callTool"]> }> {
  const client = await connect(
    { url: "http://localhost/mcp", fetch: node.at(0) },
    { revision: "2026-07-28", extensions: [tasks()] },
  );
  onTestFinished(() => client.close());
  const result = client.callTool(name);
  result.catch(() => undefined); // seen later
  return { result };
}
