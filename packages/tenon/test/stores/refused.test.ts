/**
 * An engine that cannot do what the stores need is refused by name when it is first used, and not later by the request that needs
 * it.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, onTestFinished, test, type TestContext } from "vitest";
import { McpUsageError } from "tenon";
import { postgresStores } from "tenon/stores/postgres";
import type { Stores } from "tenon/stores/redis";
import { leaveOut, programOf } from "../support/needs.ts";
import { freePort } from "../../../../scripts/free-port.mjs";
import { assertStarted, startEngine, started, startNats, startRedis, unprivileged, type Engine } from "./engines.ts";

async function postgres(context: TestContext): Promise<Engine> {
  const engine = assertStarted(await startEngine("postgres"), "postgres", context);
  onTestFinished(() => engine.stop());
  return engine;
}

function closedAtEnd(stores: Stores): Stores {
  onTestFinished(() => stores.close());
  return stores;
}

async function run(url: string, text: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(text);
  await client.end();
}

const failureOf = (work: unknown): Promise<unknown> => Promise.resolve(work).then(() => "none", String);

test("a NATS that takes only small messages is refused", async (context) => {
  const engine = assertStarted(await startNats("max_payload: 64KB"), "nats", context);
  onTestFinished(() => engine.stop());
  const stores = closedAtEnd(engine.stores("small"));
  const message =
    "NATS takes messages of at most 65536 bytes (max_payload), and these stores need 1048576: set max_payload to 1MB or more";
  expect(await failureOf(stores.ready())).toContain(message);
  expect(await failureOf(stores.keyed.read("one"))).toContain(message);
  await expect(stores.ready()).rejects.toBeInstanceOf(McpUsageError);
});

test("a Redis that is a replica is refused", async (context) => {
  const engine = assertStarted(await startRedis(), "redis", context);
  onTestFinished(() => engine.stop());
  const replica = assertStarted(await startRedis(["--replicaof", "127.0.0.1", new URL(engine.url).port]), "redis", context);
  onTestFinished(() => replica.stop());
  const stores = closedAtEnd(replica.stores("replica"));
  const message = 'Redis is a replica, which takes no writes or loses them: name the primary in the option "url"';
  expect(await failureOf(stores.ready())).toContain(message);
  expect(await failureOf(stores.states.claim("one", 600_000))).toContain(message);
  await expect(stores.ready()).rejects.toBeInstanceOf(McpUsageError);
});

test("a PostgreSQL that is read-only is refused, and used when it takes writes", async (context) => {
  const engine = await postgres(context);
  await run(engine.url, "alter database postgres set default_transaction_read_only = on");
  const stores = closedAtEnd(engine.stores("read_only"));
  const message =
    'PostgreSQL takes no writes here: "default_transaction_read_only" is on, or it is a standby. ' +
    'Name the primary in the option "url"';
  expect(await failureOf(stores.ready())).toContain(message);
  await expect(stores.ready()).rejects.toBeInstanceOf(McpUsageError);
  await run(engine.url, "set transaction read write; alter database postgres set default_transaction_read_only = off");
  const others = closedAtEnd(engine.stores("read_only"));
  await others.ready();
  await expect(run(engine.url, "select 1 from read_only.entry")).resolves.toBeUndefined();
});

test("a PgBouncer that shares connections of transactions is reported, unless `listenUrl` leads around it", async (context) => {
  const engine = await postgres(context);
  const url = await pooled(engine, context);
  const reports: unknown[] = [];
  const stores = closedAtEnd(engine.stores("pooled", { url, onError: (error) => void reports.push(error) }));
  await stores.keyed.swap("one", undefined, { value: "value", ms: 600_000 });
  await stores.bus.subscribe("topic", () => undefined);
  expect(reports.map(String)).toEqual([
    expect.stringContaining(
      'PostgreSQL delivers no notifications here. If "url" leads to a pooler, name a direct address in the option "listenUrl"',
    ),
  ]);
  expect(reports[0]).toBeInstanceOf(McpUsageError);

  const around = closedAtEnd(
    postgresStores({ url, listenUrl: engine.url, schema: "pooled", timeout: 60_000, onError: () => undefined }),
  );
  const heard = new Promise((resolve) => void around.bus.subscribe("topic", resolve));
  await expect
    .poll(async () => (await around.bus.publish("topic", "hello"), Promise.race([heard, Promise.resolve()])), { timeout: 60_000 })
    .toBe("hello");
});

/** A PgBouncer in transaction mode in front of an engine. Returns its address. */
async function pooled({ url }: Engine, { skip }: TestContext): Promise<string> {
  const program = programOf("pgbouncer") ?? leaveOut(["pgbouncer"], { skip });
  const [folder, port] = [mkdtempSync(join(tmpdir(), "tenon-pgbouncer-")), await freePort()];
  const user = unprivileged(folder);
  const { port: enginePort, username } = new URL(url);
  const lines = [
    "[databases]",
    `postgres = host=127.0.0.1 port=${enginePort} user=${username}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "auth_type = any",
    "pool_mode = transaction",
    "unix_socket_dir =",
  ];
  writeFileSync(join(folder, "pgbouncer.ini"), lines.join("\n"), { mode: 0o644 });
  const child = await started(program, [join(folder, "pgbouncer.ini")], /process up/, { ...user, cwd: folder });
  onTestFinished(async () => {
    const ended = once(child, "close");
    child.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  return url.replace(enginePort, String(port));
}
