/**
 * Thousands of entries whose time is over together: no call waits for all of them, and no engine searches for them by scanning
 * its keys.
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createClient } from "redis";
import pg from "pg";
import { Link } from "../support/link.ts";
import { assertStarted, startEngine, type Engine } from "./engines.ts";

const COUNT = 10_000;
const MEMBERS = 2_000;

describe("redis", () => {
  let engine: Engine | undefined;
  beforeAll(async () => void (engine = await startEngine("redis")));
  afterAll(() => engine?.stop());

  test("a join removes at most 100 expired members, counts none of them, and nothing scans the keys [X11]", async (context) => {
    const stores = assertStarted(engine, "redis", context).stores("expiry");
    const client = await createClient({ url: engine!.url }).connect();
    onTestFinished(() => client.destroy());
    await stores.keyed.join("sessions", "living", { ms: 600_000, max: 2 });
    const [set] = await client.keys("*");
    const over = Array.from({ length: COUNT }, (_, index) => ({ score: 1_000 + index, value: `m${index}` }));
    await client.zAdd(set!, over);
    await client.configResetStat();
    expect(await stores.keyed.join("sessions", "second", { ms: 600_000, max: 2 })).toBe(true);
    expect(await client.zCard(set!)).toBe(COUNT + 2 - 100);
    expect(await stores.keyed.join("sessions", "third", { ms: 600_000, max: 2 })).toBe(false);
    expect(await stores.keyed.join("sessions", `m${COUNT - 1}`, { ms: 600_000, max: 2 })).toBe(false); // its own time is over too
    expect(await stores.keyed.join("sessions", "living", { ms: 600_000, max: 2 })).toBe(true);
    expect(await client.zCard(set!)).toBe(COUNT + 2 - 400);
    const used = await client.info("commandstats");
    expect(used).toMatch(/cmdstat_zadd/);
    expect(used).not.toMatch(/cmdstat_(keys|scan|zscan|hscan|sscan|zrange:|smembers|hgetall)/);
    await stores.close();
  });
});

describe("postgres", () => {
  let engine: Engine | undefined;
  beforeAll(async () => void (engine = await startEngine("postgres")));
  afterAll(() => engine?.stop());

  test("a join reads few members of a large set, and finds the room of those that left or expired", async (context) => {
    const { url, stores: open } = assertStarted(engine, "postgres", context);
    const stores = open("room");
    onTestFinished(() => stores.close());
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    const join = (member: string, max: number): unknown => stores.keyed.join("sessions", member, { ms: 600_000, max });
    expect(await join("first", MEMBERS)).toBe(true);
    const { rows } = await client.query("select set from room.member");
    await client.query("select room.join_2($1, 'm' || n, 600000, $2) from generate_series(2, $2) n", [rows[0].set, MEMBERS]);
    expect(await join("refused", MEMBERS)).toBe(false);

    await client.query("begin");
    await client.query("select room.join_2($1, 'counted', 600000, $2)", [rows[0].set, MEMBERS * 2]);
    const read = await client.query(
      "select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as count " +
        "from pg_stat_xact_user_tables where schemaname = 'room' and relname = 'member'",
    );
    await client.query("rollback");
    expect(Number(read.rows[0].count)).toBeLessThan(10);

    await stores.keyed.leave("sessions", "first");
    expect(await join("instead", MEMBERS)).toBe(true);
    expect(await join("refused", MEMBERS)).toBe(false);
    await client.query("update room.member set until = clock_timestamp() where member = 'm2'");
    expect(await join("expired", MEMBERS)).toBe(true);
    expect(await join("refused", MEMBERS)).toBe(false);
    expect(await join("expired", MEMBERS)).toBe(true); // renews
  });

  test("of all that join at once, over several connections, exactly as many as fit are in the set", async (context) => {
    const { stores: open } = assertStarted(engine, "postgres", context);
    const made = [open("race"), open("race"), open("race")];
    onTestFinished(async () => void (await Promise.all(made.map((stores) => stores.close()))));
    const join = async (index: number): Promise<boolean> =>
      made[index % 3]!.keyed.join("set", `m${index}`, { ms: 600_000, max: 40 });
    const joins = Array.from({ length: 90 }, (_, index) => join(index));
    expect((await Promise.all(joins)).filter(Boolean)).toHaveLength(40);
  });

  test("a join removes at most 100 expired members, and the others are removed in parts [X11]", async (context) => {
    const { url, stores: open } = assertStarted(engine, "postgres", context);
    const stores = open("expiry");
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const members = async (): Promise<number> => Number((await client.query("select count(*) from expiry.member")).rows[0].count);
    try {
      await stores.keyed.join("sessions", "living", { ms: 600_000, max: 2 });
      const { rows } = await client.query("select set from expiry.member");
      await client.query(
        "insert into expiry.member select $1, 'm' || n, clock_timestamp() - interval '1 hour' from generate_series(1, $2) n",
        [rows[0].set, COUNT],
      );
      expect(await stores.keyed.join("sessions", "second", { ms: 600_000, max: 2 })).toBe(true);
      expect(await stores.keyed.join("sessions", "third", { ms: 600_000, max: 2 })).toBe(false);
      expect(await members()).toBe(COUNT + 2 - 100);
      const other = open("expiry"); // a process that has not removed anything yet
      await other.keyed.join("another set", "m", { ms: 600_000, max: 2 });
      await expect.poll(members, { timeout: 60_000 }).toBe(3);
      await other.close();
    } finally {
      await client.end();
      await stores.close();
    }
  });
});

describe("nats", () => {
  let engine: Engine | undefined;
  beforeAll(async () => void (engine = await startEngine("nats")));
  afterAll(() => engine?.stop());

  test("a stream read as expired is written no more, even if the engine's clock came over a slow network", async (context) => {
    const url = new URL(assertStarted(engine, "nats", context).url);
    const link = await Link.to(Number(url.port));
    onTestFinished(() => link.close());
    url.port = String(link.port);
    const stores = engine!.stores("expiry", { url: url.href });
    onTestFinished(() => stores.close());
    const [writer, session] = ["a", "session"];
    link.delay = 200;
    await stores.events.open({ session, stream: "first" }, { writer, ms: 60_000 });
    link.delay = 0;
    const at = { session, stream: "short" };
    await stores.events.open(at, { writer, ms: 50 });
    await expect.poll(() => stores.events.read(at, 0, 1)).toBe("unknown");
    expect(await stores.events.append(at, { writer, first: 1, data: ["1"], ms: 60_000 })).toBe("gone");
  });
});
