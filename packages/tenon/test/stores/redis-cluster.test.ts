/** Redis in cluster mode: one master is used, with the keys of each call in one slot; several masters are refused by name. */
import { createClient } from "redis";
import { expect, onTestFinished, test, type TestContext } from "vitest";
import { McpUsageError } from "tenon";
import { authStoreChecks, busChecks, eventLogChecks, keyedStoreChecks, stateStoreChecks, taskStoreChecks } from "tenon/testing";
import type { Stores } from "tenon/stores/redis";
import { freePort } from "../../../../scripts/free-port.mjs";
import { assertStarted, startRedis, type Engine } from "./engines.ts";

const SLOTS = 16_384;

/** Masters that have joined one cluster and share its slots. */
async function cluster(context: TestContext, count: number): Promise<readonly Engine[]> {
  const masters: Engine[] = [];
  for (let index = 0; index < count; index++) {
    const busPort = String(await freePort());
    const engine = assertStarted(await startRedis(["--cluster-enabled", "yes", "--cluster-port", busPort]), "redis", context);
    onTestFinished(() => engine.stop());
    masters.push(engine);
    if (index > 0) await send(masters[0]!, ["CLUSTER", "MEET", "127.0.0.1", new URL(engine.url).port, busPort]);
  }
  for (const [index, engine] of masters.entries()) {
    const [from, to] = [Math.floor((SLOTS * index) / count), Math.floor((SLOTS * (index + 1)) / count) - 1];
    await send(engine, ["CLUSTER", "ADDSLOTSRANGE", String(from), String(to)]);
  }
  const states = async (): Promise<Set<unknown>> => {
    const infos = await Promise.all(masters.map((engine) => send(engine, ["CLUSTER", "INFO"])));
    return new Set(infos.map((info) => /cluster_state:ok[^]*cluster_size:(\d+)/.exec(info)?.[1]));
  };
  await expect.poll(states, { timeout: 60_000, interval: 100 }).toEqual(new Set([String(count)]));
  return masters;
}

async function send({ url }: Engine, args: string[]): Promise<string> {
  const client = await createClient({ url }).connect();
  const response = await client.sendCommand<string>(args);
  client.destroy();
  return response;
}

test("a cluster of one master passes the checks of every store: the keys of each call are in one slot", async (context) => {
  const [engine] = (await cluster(context, 1)) as [Engine];
  let spaces = 0;
  const stores = (space = `slots_${++spaces}`): Stores => {
    const made = engine.stores(space);
    onTestFinished(() => made.close());
    return made;
  };
  const checks = [
    ...stateStoreChecks.map(
      ({ run }) =>
        () =>
          run(stores().states),
    ),
    ...authStoreChecks.map(
      ({ run }) =>
        () =>
          run(stores().logins),
    ),
    ...keyedStoreChecks.map(
      ({ run }) =>
        () =>
          run(stores().keyed),
    ),
    ...eventLogChecks.map(
      ({ run }) =>
        () =>
          run(stores().events),
    ),
    ...taskStoreChecks.map(
      ({ run }) =>
        () =>
          run(stores().tasks),
    ),
    ...busChecks.map(
      ({ run }) =>
        () =>
          run(stores().bus, stores(`slots_${spaces}`).bus),
    ),
  ];
  await expect(Promise.all(checks.map((run) => run()))).resolves.toHaveLength(checks.length);
});

test("a cluster of three masters is refused by name, at each of them", async (context) => {
  for (const engine of await cluster(context, 3)) {
    const stores = engine.stores("masters");
    onTestFinished(() => stores.close());
    const message =
      "Redis is a cluster of 3 shards, and these stores need one primary with all keys: " +
      "name a Redis without cluster mode, or a cluster of one shard";
    await expect(stores.ready()).rejects.toThrow(new McpUsageError(message));
    await expect(Promise.resolve(stores.states.claim("one", 60_000))).rejects.toThrow(new McpUsageError(message));
  }
});
