/** An engine that has no room: what is new is refused by name, and what was stored before is there, unharmed. */
import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test, type TestContext } from "vitest";
import { StoreUnavailableError } from "tenon/stores/redis";
import { natsStores } from "tenon/stores/nats";
import { assertStarted, startEngine, startPostgres, startRedis, type Engine } from "./engines.ts";

const LONG = 600_000;
/** Milliseconds of entries that expire while the test waits. */
const SHORT = 2_000;
/** Bytes at which NATS is full. */
const FULL_BYTES = 12_000_000;
/** Characters of an entry that fills the engine. No engine can make it smaller. */
const PIECE = 900_000;
const MAX_PIECES = 200;

const engines = {
  redis: () => startRedis(["--maxmemory", "12mb", "--maxmemory-policy", "noeviction"]),
  postgres: () => startPostgres(40_960),
};

test.for(["redis", "postgres"] as const)("%s that is full refuses what is new, and forgets nothing", async (name, context: TestContext) => {
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
    refusal = await attempt(async () => void pieces.push((await keyed.swap(`piece ${pieces.length}`, undefined, { value, ms: LONG }))!));
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
});

test("nats that is full makes room when entries are removed, and by itself when they expire", async (context: TestContext) => {
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

/** What it returns, or the error that it throws. */
async function attempt(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    return error;
  }
}
