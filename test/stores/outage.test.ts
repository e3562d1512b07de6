/** An engine that is away, is killed, or is configured to lose data: each call fails at once and by name, and nothing that was stored is lost. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from "vitest";
import { Client } from "pg";
import { McpUsageError } from "tenon";
import { postgresStores } from "tenon/stores/postgres";
import { redisStores, StoreUnavailableError, type Stores } from "tenon/stores/redis";
import { assertStarted, startEngine, startRedis, type Engine } from "./engines.ts";

const LONG = 600_000;
const away = (): Error => new Error("no callback expected");

describe.each(["redis", "postgres"] as const)("%s", (name) => {
  let engine: Engine | undefined;
  let spaces = 0;
  beforeAll(async () => void (engine = await startEngine(name)));
  afterAll(() => engine?.stop());

  function stores(context: TestContext): Stores {
    const made = assertStarted(engine, name, context).stores(`outage_${++spaces}`);
    onTestFinished(() => made.close());
    return made;
  }

  test("keeps values and claims through a crash, and serves again by itself", async (context) => {
    const { states, logins } = stores(context);
    await states.put("one", "value", LONG);
    await logins.set("issuer", { token: "secret" });
    expect(await states.claim("one", LONG)).toBe(true);
    await engine!.kill();
    await expect(states.claim("one", LONG)).rejects.toThrow(StoreUnavailableError);
    await expect(states.get("one")).rejects.toMatchObject({
      code: -32603,
      message: "The store is not available",
      data: { reason: "storeUnavailable" },
    });
    await engine!.restart();
    await expect.poll(async () => attempt(() => states.get("one"))).toBe("value");
    expect(await states.claim("one", LONG)).toBe(false);
    expect(await logins.get("issuer")).toEqual({ token: "secret" });
  });

  test("tells listeners of changes after a crash too", async (context) => {
    const [here, there] = [stores(context), engine!.stores(`outage_${spaces}`)];
    onTestFinished(() => there.close());
    const told = new Set<string>();
    onTestFinished(here.tasks.subscribe((id) => told.add(id)));
    await here.ready();
    await engine!.kill();
    await engine!.restart();
    let count = 0;
    const insert = async (): Promise<boolean> => {
      const id = `task${++count}`;
      await attempt(() => there.tasks.insert(task(id), { worker: "a", until: 1 }, {}));
      return [...told].some((one) => one.startsWith("task"));
    };
    await expect.poll(insert, { interval: 100 }).toBe(true);
  });

  test("ids and owners that a client chose are never found, and harm nothing", async (context) => {
    const { tasks } = stores(context);
    for (const id of ["\u0000", "\ud800", "x".repeat(20_000), "'; drop table task; --", "*", ""]) {
      expect(await tasks.get(id)).toBeUndefined();
      expect(await tasks.lease(id, { worker: "a", until: 2 }, 1)).toBe(false);
      expect(await tasks.list(id, { createdAt: 0, id }, 5)).toEqual([]);
    }
  });

  test("what is called while it is away fails before it is sent, and later calls do not wait for each other", async (context) => {
    const { states } = stores(context);
    await engine!.kill();
    onTestFinished(() => engine!.restart());
    const failures = await Promise.all(Array.from({ length: 50 }, () => attempt(() => states.get("one"))));
    for (const failure of failures) expect(failure).toMatchObject({ delivery: "not-sent" });
  });
});

test("Redis that evicts live entries is refused when it connects, unless the user accepts it", async (context) => {
  const engine = assertStarted(await startRedis(["--maxmemory", "20mb", "--maxmemory-policy", "allkeys-lru"]), "redis", context);
  onTestFinished(() => engine.stop());
  const refused = redisStores({ url: engine.url, timeout: 60_000, onError: away });
  onTestFinished(() => refused.close());
  await expect(refused.states.claim("one", LONG)).rejects.toThrow(/maxmemory-policy allkeys-lru.*noeviction.*evicting/s);
  await expect(refused.ready()).rejects.toThrow(McpUsageError);
  const accepted = redisStores({ url: engine.url, timeout: 60_000, evicting: "accept", onError: () => undefined });
  onTestFinished(() => accepted.close());
  expect(await accepted.states.claim("one", LONG)).toBe(true);
});

test("Redis without an append-only file is reported to the operator", async (context) => {
  const engine = assertStarted(await startRedis(["--appendonly", "no"]), "redis", context);
  onTestFinished(() => engine.stop());
  const reported: unknown[] = [];
  const made = redisStores({ url: engine.url, timeout: 60_000, onError: (error) => reported.push(error) });
  onTestFinished(() => made.close());
  await made.ready();
  expect(reported).toEqual([expect.objectContaining({ message: expect.stringContaining("appendonly no") as string })]);
});

test("tables of a newer version are refused by name", async (context) => {
  const engine = assertStarted(await startEngine("postgres"), "postgres", context);
  onTestFinished(() => engine.stop());
  const [first, second] = [engine.stores("newer"), engine.stores("newer")];
  onTestFinished(async () => void (await Promise.all([first.close(), second.close()])));
  await first.ready();
  const client = new Client(engine.url);
  await client.connect();
  await client.query("update newer.version set version = 99");
  await client.end();
  await expect(second.ready()).rejects.toThrow(/Schema "newer" of PostgreSQL has version 99.*newer version of tenon/);
});

test("wrong options are refused when the stores are made", () => {
  expect(() => redisStores({ uri: "redis://x" } as never)).toThrow(/Unknown option "uri" of redisStores\(\)/);
  expect(() => redisStores({ timeout: 0 })).toThrow(RangeError);
  expect(() => postgresStores({ schema: "a; drop" })).toThrow(/Option "schema"/);
  expect(() => postgresStores({ pglite: {} as never, url: "postgres://x" })).toThrow(TypeError);
});

/** What it returns, or the error that it throws. */
async function attempt(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    return error;
  }
}

/** A stored task. */
function task(id: string): Parameters<Stores["tasks"]["insert"]>[0] {
  const call = { method: "tools/call", params: { name: "t" }, version: "2026-07-28", client: { capabilities: {} } } as never; // never run
  const journal = { answers: [], refusals: [], steps: [], keys: [] };
  const times = { createdAt: 1, updatedAt: 1, ttl: 1_000, pollInterval: 1 };
  return {
    id,
    owner: "",
    version: 1,
    status: "working",
    ...times,
    call,
    restart: false,
    run: 1,
    tries: 1,
    maxRuns: 1,
    journal,
    questions: [],
  };
}
