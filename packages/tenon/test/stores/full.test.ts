/** An engine that has no room: what is new is refused by name, and what was stored before is there, unharmed. */
import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, onTestFinished, test, type TestContext } from "vitest";
import type { JsonObject } from "tenon";
import { McpServer } from "tenon/server";
import { redisStores, StoreUnavailableError } from "tenon/stores/redis";
import { natsStores } from "tenon/stores/nats";
import { postgresStores } from "tenon/stores/postgres";
import { leaveOut } from "../support/needs.ts";
import { Nodes, SHARED } from "../cluster/nodes.ts";
import { initialize } from "../http/support.ts";
import { assertStarted, startEngine, startPostgres, startRedis, type Engine } from "./engines.ts";
import { gate } from "../support/gate.ts";

const LONG = 600_000;
/** Milliseconds of entries that expire while the test waits. */
const SHORT = 2_000;
/** Bytes at which NATS is full. */
const FULL_BYTES = 12_000_000;
/** Characters of an entry that fills the engine. No engine can make it smaller. */
const PIECE = 900_000;
const MAX_PIECES = 200;
const MAX_ENTRIES = 20_000;

const engines = {
  redis: () => startRedis(["--maxmemory", "12mb", "--maxmemory-policy", "noeviction"]),
  postgres: () => startPostgres(40_960),
};

test.for(["redis", "postgres"] as const)(
  "%s that is full refuses what is new, and forgets nothing [X7]",
  async (name, context: TestContext) => {
    const engine: Engine = assertStarted(await engines[name](), name, context);
    onTestFinished(() => engine.stop());
    const made = engine.stores("room");
    onTestFinished(() => made.close());
    const { keyed, events, states } = made;
    const at = { session: "session", stream: "stream" };
    const lease = (await keyed.swap("lease", undefined, { value: "held", ms: LONG }))!;
    expect(await states.claim("once", LONG)).toBe(true);
    await events.open(at, { writer: "a", ms: LONG });
    await events.append(at, { writer: "a", first: 1, data: ["1", "2"], ms: LONG });

    const pieces: string[] = [];
    let refusal: unknown;
    while (refusal === undefined && pieces.length < MAX_PIECES) {
      const value = randomBytes((PIECE * 3) / 4).toString("base64");
      refusal = await attempt(
        async () => void pieces.push((await keyed.swap(`piece ${pieces.length}`, undefined, { value, ms: LONG }))!),
      );
    }
    expect(refusal).toBeInstanceOf(StoreUnavailableError);
    expect(refusal).toMatchObject({ code: -32603, data: { reason: "storeUnavailable" } });
    expect(pieces.length).toBeGreaterThan(3);

    expect(await keyed.read("lease")).toEqual({ value: "held", version: lease });
    expect(await events.read(at, 0, 9)).toMatchObject({ last: 2, writer: "a", events: [{ data: "1" }, { data: "2" }] });
    expect(await attempt(() => states.claim("once", LONG))).not.toBe(true);
    expect((await keyed.read("piece 0"))?.version).toBe(pieces[0]);
    if (name === "redis") expect(await keyed.renew("lease", lease, LONG)).toBe(true);
    if (name === "postgres") return; // it finds the room again when it has cleaned up, at a time of its own
    for (const [index, version] of pieces.entries()) await keyed.swap(`piece ${index}`, version, undefined);
    expect(await keyed.swap("new", undefined, { value: "stored", ms: LONG })).toBeDefined();
  },
);

test.for(["redis", "nats", "postgres"] as const)(
  "a node whose %s is full refuses sessions by name, serves those it has, and loses no event [X7]",
  async (name, context: TestContext) => {
    const engine = assertStarted(await (name === "redis" ? engines.redis() : startEngine(name)), name, context);
    onTestFinished(() => engine.stop());
    const disk = name === "postgres" ? await smallDisk(engine.url, context) : undefined;
    const options = { url: engine.url, timeout: 60_000, onError: () => undefined };
    const makers = {
      redis: () => redisStores(options),
      postgres: () => postgresStores(options),
      nats: () => natsStores({ ...options, maxBytes: FULL_BYTES }),
    };
    const stores = makers[name]();
    onTestFinished(() => stores.close());
    const { opened, open: goOn } = gate();
    const makeServer = (): McpServer => {
      const server = new McpServer({ name: "s", version: "1" }, SHARED);
      server.tool("echo", {}, () => "hi");
      server.tool("steps", {}, async (_input, ctx) => {
        await ctx.progress(1);
        await opened;
        await ctx.progress(2);
        return "done";
      });
      return server;
    };
    const node = new Nodes(makeServer, { stores }, 1);
    const call = (id: number, tool: string): JsonObject => {
      return { jsonrpc: "2.0", id, method: "tools/call", params: { name: tool, arguments: {}, _meta: { progressToken: "p" } } };
    };
    const session = await node.open("2025-11-25");
    const stream = await session.send(0, { body: call(2, "steps") });
    const begun = [(await stream.next())!];

    // The smaller the entries, the less room is left.
    const versions: string[] = [];
    for (const size of [PIECE, 9_000, 90]) {
      for (let version: unknown = ""; typeof version === "string";) {
        const value = randomBytes(size).toString("base64").slice(0, size);
        version = await attempt(() => stores.keyed.swap(`piece ${versions.length}`, undefined, { value, ms: LONG }));
        if (typeof version === "string") versions.push(version);
        if (versions.length > MAX_ENTRIES) throw new Error("The engine is never full");
      }
    }
    let refused = await node.send(0, { body: initialize("2025-11-25") });
    // Buffers that the engine has freed since then are room for a few sessions more.
    for (let opened = 0; refused.status === 200 && opened < MAX_ENTRIES; opened++)
      refused = await node.send(0, { body: initialize("2025-11-25") });
    expect([refused.status, refused.header("retry-after")]).toEqual([503, "1"]);
    expect(await refused.message()).toMatchObject({ error: { code: -32603, data: { reason: "storeUnavailable" } } });
    const served = await session.send(0, { body: call(3, "echo") });
    expect(await served.message()).toMatchObject({ result: { content: [{ text: "hi" }] } });
    goOn(); // what the engine does not take waits
    if (disk === undefined)
      for (const [index, version] of versions.entries()) await stores.keyed.swap(`piece ${index}`, version, undefined);
    else disk.enlarge();
    const events = [...begun, ...(await stream.rest())];
    expect(events.map(({ id }) => Number(id!.split(".")[1]))).toEqual([1, 2, 3]);
    expect(events.at(-1)!.message).toMatchObject({ id: 2, result: { content: [{ text: "done" }] } });
    const resumed = await session.send(0, { method: "GET", headers: { "last-event-id": begun[0]!.id! } });
    expect((await resumed.rest()).map(({ id }) => id)).toEqual(events.slice(1).map(({ id }) => id));
    expect((await node.send(0, { body: initialize("2025-11-25") })).status).toBe(200);
  },
);

test("full nats makes room when entries are removed, and by itself when they expire [X7]", async (context: TestContext) => {
  const engine = assertStarted(await startEngine("nats"), "nats", context);
  onTestFinished(() => engine.stop());
  const made = natsStores({ url: engine.url, prefix: "room", maxBytes: FULL_BYTES, timeout: 60_000, onError: () => undefined });
  onTestFinished(() => made.close());
  const store = (key: string, ms: number): Promise<unknown> => {
    const value = randomBytes((PIECE * 3) / 4).toString("base64");
    return attempt(() => made.keyed.swap(key, undefined, { value, ms }));
  };
  /** Stores entries until one is refused. Returns their versions. */
  const fill = async (name: string, ms: number): Promise<string[]> => {
    const versions: string[] = [];
    for (;;) {
      const version = await store(`${name} ${versions.length}`, ms);
      if (typeof version !== "string") return versions;
      if (versions.push(version) > MAX_PIECES) throw new Error("The engine is never full");
    }
  };
  const versions = await fill("removed", LONG);
  expect(versions.length).toBeGreaterThan(3);
  for (const [index, version] of versions.entries()) await made.keyed.swap(`removed ${index}`, version, undefined);
  expect((await fill("expired", SHORT)).length).toBeGreaterThan(0);
  await expect.poll(() => store("new", LONG), { timeout: 60_000, interval: 200 }).toEqual(expect.any(String));
});

/** Lets PostgreSQL keep its tables on a disk of its own, which is small until it is enlarged. */
async function smallDisk(url: string, { skip }: TestContext): Promise<{ enlarge: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), "tenon-disk-"));
  const isMounted =
    spawnSync("mount", ["-t", "tmpfs", "-o", "size=12m,uid=65534,gid=65534,mode=700", "tmpfs", folder]).status === 0;
  onTestFinished(() => {
    if (isMounted) execFileSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  if (!isMounted) leaveOut(["disk"], { skip });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`create tablespace small location '${folder}'`);
  await client.query("alter database postgres set default_tablespace = small");
  await client.end();
  return { enlarge: () => void execFileSync("mount", ["-o", "remount,size=64m", folder]) };
}

/** What it returns, or the error that it throws. */
async function attempt(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    return error;
  }
}
