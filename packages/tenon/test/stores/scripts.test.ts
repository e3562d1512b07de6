/**
 * Redis forgets the scripts of the stores, as after `SCRIPT FLUSH` or a restart: each call sends its script again, and nothing is
 * lost.
 */
import { createClient } from "redis";
import { expect, onTestFinished, test, type TestContext } from "vitest";
import { McpServer } from "tenon/server";
import type { Stores } from "tenon/stores/redis";
import { dataOf } from "../http/support.ts";
import { Nodes, SHARED } from "../cluster/nodes.ts";
import { assertStarted, startRedis, type Engine } from "./engines.ts";
import { storedTask } from "./stored-task.ts";

const LONG = 600_000;
const ROUNDS = 60;
const PROGRESS = 20;

async function redis(context: TestContext): Promise<Engine> {
  const engine = assertStarted(await startRedis(), "redis", context);
  onTestFinished(() => engine.stop());
  return engine;
}

/** Uses every script of the stores, two nodes at once where only one of them may succeed. */
async function work([here, there]: readonly [Stores, Stores], round: string): Promise<void> {
  const both = [here, there] as const;
  await Promise.all([workOnKeys(both, round), workOnEvents(both, round), workOnTasks(both, round)]);
}

async function workOnKeys(both: readonly [Stores, Stores], round: string): Promise<void> {
  const [{ keyed, logins }, there] = both;
  const claims = await Promise.all(both.map(async ({ states }) => states.claim(round, LONG)));
  expect(claims.filter(Boolean)).toHaveLength(1);
  const numbers = await Promise.all(both.map(async (stores) => stores.keyed.next("counter", 0)));
  expect(new Set(numbers).size).toBe(2);
  const version = (await keyed.swap(round, undefined, { value: "a", ms: LONG }))!;
  const swaps = await Promise.all(both.map(async (stores) => stores.keyed.swap(round, version, { value: "b", ms: LONG })));
  expect(swaps.filter((swapped) => swapped !== undefined)).toHaveLength(1);
  expect(await keyed.renew(round, version, LONG)).toBe(false);
  expect(
    await keyed.renew(
      round,
      swaps.find((swapped) => swapped !== undefined)!,
      LONG,
    ),
  ).toBe(true);
  const joins = await Promise.all(
    both.map(async (stores, node) => stores.keyed.join(round, `member ${node}`, { ms: LONG, max: 1 })),
  );
  expect(joins.filter(Boolean)).toHaveLength(1);
  await there.logins.lock(round, async () => logins.set(round, { token: "t" }));
  expect(await logins.lock(round, async () => there.logins.get(round))).toEqual({ token: "t" });
}

async function workOnEvents([{ events }, there]: readonly [Stores, Stores], round: string): Promise<void> {
  const at = { session: round, stream: "stream" };
  expect(await events.open(at, { writer: "a", ms: LONG })).toBe("opened");
  for (let first = 1; first <= 3; first++)
    expect(await events.append(at, { writer: "a", first, data: [`${first}`], ms: LONG })).toBe("kept");
  expect(await there.events.adopt(at, "a", "b")).toBe(true);
  expect(await events.append(at, { writer: "a", first: 4, data: ["4"], ms: LONG })).toBe("fenced");
  expect(await events.read(at, 0, 9)).toMatchObject({
    last: 3,
    writer: "b",
    events: [{ data: "1" }, { data: "2" }, { data: "3" }],
  });
  const shared = { session: round, stream: "shared" };
  const added = await Promise.all(
    [events, there.events].map(async (log, node) => log.add(shared, { key: `${node}`, data: ["x"], ms: LONG })),
  );
  expect([...added].sort()).toEqual([1, 2]);
  await events.drop(round, LONG);
  expect(await there.events.read(at, 0, 9)).toBe("unknown");
}

async function workOnTasks([{ tasks }, there]: readonly [Stores, Stores], round: string): Promise<void> {
  const task = storedTask(round, { owner: round, createdAt: Date.now(), ttl: LONG });
  await tasks.insert(task, { worker: "a", until: 2 }, {});
  const replaced = await Promise.all(
    [tasks, there.tasks].map(async (store, node) => store.replace({ ...task, version: 2, statusMessage: `${node}` })),
  );
  expect(replaced.filter(Boolean)).toHaveLength(1);
  expect(await there.tasks.lease(round, { worker: "b", until: 9 }, 1)).toBe(false);
  await tasks.release(round, "a");
  expect(await there.tasks.lease(round, { worker: "b", until: 9 }, 1)).toBe(true);
  expect(await tasks.list(round, undefined, 9)).toMatchObject([{ id: round, version: 2 }]);
  await tasks.forget(1);
  expect(await there.tasks.get(round)).toMatchObject({ version: 2 });
}

test("scripts that are flushed again and again in the middle of work cost no call, and each happens once", async (context) => {
  const engine = await redis(context);
  const both = [engine.stores("flushed"), engine.stores("flushed")] as const;
  onTestFinished(async () => void (await Promise.all(both.map((stores) => stores.close()))));
  const makeServer = (): McpServer => {
    const server = new McpServer({ name: "s", version: "1" }, SHARED);
    server.tool("steps", {}, async (_input, ctx) => {
      for (let step = 1; step <= PROGRESS; step++) await ctx.progress(step);
      return "done";
    });
    return server;
  };
  const nodes = new Nodes(makeServer, { stores: both[0] }, 2);
  const admin = await createClient({ url: engine.url }).connect();
  onTestFinished(() => admin.destroy());

  const over = new AbortController();
  let flushes = 0;
  const flushing = (async (): Promise<void> => {
    for (; !over.signal.aborted; flushes++) await admin.scriptFlush();
  })();
  try {
    for (let round = 0; round < ROUNDS; round++) await work(both, `round_${round}`);
    const session = await nodes.open("2025-11-25");
    const body = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "steps", _meta: { progressToken: "p" } } };
    const events = dataOf(await (await session.send(1, { body })).text()).map((text) => JSON.parse(text) as { id?: number });
    expect([events.length, events.at(-1)!.id]).toEqual([PROGRESS + 1, 2]);
  } finally {
    over.abort();
    await flushing;
  }
  expect(flushes).toBeGreaterThan(ROUNDS);
});

test("a Redis that was restarted knows no script, and the first call of each has its result", async (context) => {
  const engine = await redis(context);
  const both = [engine.stores("restarted"), engine.stores("restarted")] as const;
  onTestFinished(async () => void (await Promise.all(both.map((stores) => stores.close()))));
  await work(both, "before");
  await engine.kill();
  await engine.restart();
  // Reads without a script, so that the scripts are not known when the work begins.
  for (const { states } of both)
    await expect.poll(async () => Promise.resolve(states.get("none")).catch(String), { timeout: 60_000 }).toBeUndefined();
  await work(both, "after");
  expect(await both[0].states.claim("before", LONG)).toBe(false);
  expect(await both[1].tasks.get("before")).toMatchObject({ version: 2 });
});
