/**
 * An engine that is away, is killed, or is configured to lose data: each call fails at once and by name, and nothing that was
 * stored is lost.
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from "vitest";
import { Client } from "pg";
import { McpUsageError } from "tenon";
import { postgresStores } from "tenon/stores/postgres";
import { redisStores, StoreUnavailableError, type StoreOptions, type Stores } from "tenon/stores/redis";
import { assertStarted, startEngine, startRedis, type Engine } from "./engines.ts";
import { storedTask } from "./stored-task.ts";

const LONG = 600_000;
const away = (): Error => new Error("no callback expected");

describe.each(["redis", "postgres", "nats"] as const)("%s", (name) => {
  let engine: Engine | undefined;
  let spaces = 0;
  beforeAll(async () => void (engine = await startEngine(name)));
  afterAll(() => engine?.stop());

  function stores(context: TestContext): Stores {
    const made = assertStarted(engine, name, context).stores(`outage_${++spaces}`);
    onTestFinished(() => made.close());
    return made;
  }

  test("if strict, it keeps values and claims through a crash, and serves again by itself [X6]", async (context) => {
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
      await attempt(() => there.tasks.insert(storedTask(id), { worker: "a", until: 1 }, {}));
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

  test("a process that was busy for longer than `timeout` has the responses that came meanwhile", async (context) => {
    const made = assertStarted(engine, name, context).stores(`outage_${++spaces}`, { timeout: 2_000 });
    onTestFinished(() => made.close());
    await made.ready();
    await made.states.put("one", "value", LONG);
    const reading = Array.from({ length: 20 }, async () => made.states.get("one"));
    await new Promise((resolve) => setImmediate(resolve)); // they are sent
    for (const end = performance.now() + 2_500; performance.now() < end;);
    expect(new Set(await Promise.all(reading))).toEqual(new Set(["value"]));
  });

  test("more than 2,000 commands at once: those above it fail before they are sent, and no other", async (context) => {
    const { states } = stores(context);
    await states.put("one", "value", LONG);
    const outcomes = await Promise.all(Array.from({ length: 2_500 }, () => attempt(() => states.get("one"))));
    const refused = outcomes.filter((outcome) => outcome !== "value");
    // A sweep of the store that runs meanwhile takes a place, too.
    expect([500, 501]).toContain(refused.length);
    for (const error of refused)
      expect(error).toMatchObject({ delivery: "not-sent", data: { retryAfterMs: expect.any(Number) } });
  });

  test("what is called while it is away fails before it is sent, and later calls do not wait for each other", async (context) => {
    const { states } = stores(context);
    await engine!.kill();
    onTestFinished(() => engine!.restart());
    const failures = await Promise.all(Array.from({ length: 50 }, () => attempt(() => states.get("one"))));
    for (const failure of failures) expect(failure).toMatchObject({ delivery: "not-sent" });
  });
});

describe.each(["redis", "postgres", "nats"] as const)("shared by nodes: %s", (name) => {
  let engine: Engine | undefined;
  let spaces = 0;
  beforeAll(async () => void (engine = await startEngine(name)));
  afterAll(() => engine?.stop());

  function stores(context: TestContext, options?: StoreOptions): Stores {
    const made = assertStarted(engine, name, context).stores(`shared_${++spaces}`, options);
    onTestFinished(() => made.close());
    return made;
  }

  test("entries, members, counters and events outlive a crash; writes of unknown outcome can be repeated", async (context) => {
    const { keyed, events } = stores(context);
    const at = { session: "session", stream: "stream" };
    const version = await keyed.swap("one", undefined, { value: "value", ms: LONG });
    const number = await keyed.next("counter", 7);
    await keyed.join("set", "member", { ms: LONG, max: 1 });
    await events.open(at, { writer: "a", ms: LONG });
    await events.append(at, { writer: "a", first: 1, data: ["1"], ms: LONG });
    await engine!.kill();
    const append = { writer: "a", first: 2, data: ["2", "3"], ms: LONG };
    await expect(keyed.read("one")).rejects.toMatchObject({ data: { reason: "storeUnavailable" } });
    await expect(events.append(at, append)).rejects.toThrow(StoreUnavailableError);
    await engine!.restart();
    await expect.poll(async () => attempt(() => events.append(at, append))).toBe("kept");
    expect(await events.append(at, append)).toBe("kept");
    expect(await events.read(at, 0, 9)).toMatchObject({ last: 3, events: [{ data: "1" }, { data: "2" }, { data: "3" }] });
    expect(await keyed.read("one")).toEqual({ value: "value", version });
    expect(await keyed.next("counter", 1)).toBeGreaterThan(number);
    expect(await keyed.join("set", "another", { ms: LONG, max: 1 })).toBe(false);
  });

  test("a bus whose connection was lost says that messages may be missing, and delivers the next ones", async (context) => {
    const { bus } = stores(context);
    const heard: string[] = [];
    let gaps = 0;
    bus.onGap(() => void gaps++);
    await bus.subscribe("topic", (message) => heard.push(message));
    await bus.publish("topic", "before");
    await expect.poll(() => heard).toEqual(["before"]);
    await engine!.kill();
    await engine!.restart();
    await expect.poll(() => gaps, { timeout: 60_000 }).toBeGreaterThan(0);
    const publish = async (): Promise<boolean> => {
      await attempt(() => bus.publish("topic", "after"));
      return heard.includes("after");
    };
    await expect.poll(publish, { interval: 100, timeout: 60_000 }).toBe(true);
  });
});

test("Redis that stands still fails calls in time, later ones unsent, and serves again when it goes on", async (context) => {
  const engine = assertStarted(await startRedis(), "redis", context);
  onTestFinished(() => engine.stop());
  const made = engine.stores("still", { timeout: 3_000 });
  onTestFinished(() => made.close());
  await made.ready();
  engine.pause!();
  const read = async (): Promise<unknown> => {
    const failure = (await attempt(() => made.keyed.read("one"))) as StoreUnavailableError | undefined;
    return failure?.delivery;
  };
  expect(await read()).toBe("unknown");
  await expect.poll(read, { interval: 0 }).toBe("not-sent");
  engine.resume!();
  await expect.poll(read, { timeout: 60_000 }).toBeUndefined();
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
