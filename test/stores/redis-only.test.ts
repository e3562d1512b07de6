/** What only Redis does: it forgets scripts, and may share its keys among several processes. */
import { execFileSync } from "node:child_process";
import { expect, onTestFinished, test, type TestContext } from "vitest";
import { createClient } from "redis";
import { McpUsageError } from "tenon";
import { eventLogChecks, keyedStoreChecks, stateStoreChecks, taskStoreChecks } from "tenon/testing";
import type { Stores } from "tenon/stores/redis";
import { freePort } from "../support/free-port.ts";
import { assertStarted, found, startRedis, type Engine } from "./engines.ts";

async function redis(context: TestContext, settings: readonly string[] = [], port?: number): Promise<Engine> {
  const engine = assertStarted(await startRedis(settings, port), "redis", context);
  onTestFinished(() => engine.stop());
  return engine;
}

/** A node of a cluster. Nodes talk to each other on the port that is 10,000 above. */
async function clusterNode(context: TestContext): Promise<Engine> {
  let port: number;
  do port = await freePort();
  while (port + 10_000 > 65_535);
  return redis(context, ["--cluster-enabled", "yes"], port);
}

test("a Redis that forgets its scripts again and again loses nothing", async (context) => {
  const engine = await redis(context);
  const client = createClient({ url: engine.url });
  await client.connect();
  let flushes = 0;
  const over = new AbortController();
  const flushing = (async () => {
    for (; !over.signal.aborted; flushes++) await client.sendCommand(["SCRIPT", "FLUSH"]);
    await client.close();
  })();
  await passesChecks(engine);
  over.abort();
  await flushing;
  expect(flushes).toBeGreaterThan(100);
});

test("a Redis Cluster of one shard is one Redis; of three it is refused by name", async (context) => {
  const one = await clusterNode(context);
  cli(one.url, "cluster", "addslotsrange", "0", "16383");
  await expect.poll(() => cli(one.url, "cluster", "info")).toContain("cluster_state:ok");
  await passesChecks(one);

  const others = [await clusterNode(context), await clusterNode(context)];
  const three = [await clusterNode(context), ...others];
  cli("", "--cluster", "create", ...three.map(({ url }) => new URL(url).host), "--cluster-yes");
  await expect.poll(() => cli(three[0]!.url, "cluster", "info")).toMatch(/cluster_state:ok[^]*cluster_size:3/);
  const refused = three[0]!.stores("cluster");
  onTestFinished(() => refused.close());
  const failure: unknown = await refused.ready().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(McpUsageError);
  expect(String(failure)).toContain("Redis is a cluster of 3 shards, and these stores need one primary with all keys");
});

/** Runs the published checks of each store, each with stores of its own. */
async function passesChecks(engine: Engine): Promise<void> {
  let spaces = 0;
  const withStores = async (work: (stores: Stores) => Promise<void>): Promise<void> => {
    const stores = engine.stores(`space_${++spaces}`);
    await work(stores);
    await stores.close();
  };
  for (const { run } of keyedStoreChecks) await withStores(({ keyed }) => run(keyed));
  for (const { run } of stateStoreChecks) await withStores(({ states }) => run(states));
  for (const { run } of eventLogChecks) await withStores(({ events }) => run(events));
  for (const { run } of taskStoreChecks) await withStores(({ tasks }) => run(tasks));
}

/** What `redis-cli`, a part of Redis, prints. */
function cli(url: string, ...words: readonly string[]): string {
  return execFileSync(found("redis-cli", ["/usr/bin", "/usr/local/bin"])!, [...(url === "" ? [] : ["-u", url]), ...words], {
    encoding: "utf8",
  });
}
