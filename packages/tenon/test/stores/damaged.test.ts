/**
 * What an operator, another program or a half-written entry left in a store: it is refused by name, never quoted, and harms
 * nothing beside it.
 */
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from "vitest";
import { connect, type JsonObject } from "tenon";
import { tasks } from "tenon/ext/tasks";
import type { McpServer } from "tenon/server";
import { memoryStores } from "tenon/stores/memory";
import { DamagedEntryError, type Stores } from "tenon/stores/redis";
import { Nodes, SHARED, type RawResponse, type RawSession } from "../cluster/nodes.ts";
import { damageOf, natsMessages, type Damage } from "./damage.ts";
import { assertStarted, startEngine, type Engine } from "./engines.ts";
import { testServer } from "../support/test-server.ts";

const LONG = 600_000;
const SECRET = "key-secret";
const PING = { body: { jsonrpc: "2.0", id: 7, method: "ping" } };
const ERROR = { code: -32603, message: "An entry of the store is damaged", data: { reason: "storeDamaged" } };
/** Records of sessions that no version writes. */
const RECORDS = [
  `{"stream":"${SECRET}`,
  SECRET,
  "",
  `"${SECRET}"`,
  "[]",
  "null",
  "{}",
  `{"format":"${SECRET}"}`,
  '{"sets":"sessions","createdAt":1,"stream":"aaaaaaaaaaaaaaaaaaaaaa","change":1,"facts":{"clientParams":{},' +
    '"version":"2025-11-25"}}',
  '{"sets":[],"createdAt":1,"stream":"aaaaaaaaaaaaaaaaaaaaaa","change":1,"facts":{"version":"2025-11-25"}}',
];
/** Texts of entries that no version writes. */
const ENTRIES = [
  "",
  SECRET,
  `${"v".repeat(22)}${SECRET}`,
  `${"v".repeat(22)}{"a":1}`,
  `${"v".repeat(22)}"${SECRET.repeat(1_000_000)}"`,
];

interface ReportingNodes {
  readonly nodes: Nodes;
  /** What the operator is told. */
  readonly reported: unknown[];
}

function nodesOn(stores: Pick<Stores, "keyed" | "events" | "bus">): ReportingNodes {
  const reported: unknown[] = [];
  const onError = (error: unknown): undefined => void reported.push(error);
  const makeServer = (): McpServer => {
    const server = testServer({ ...SHARED, onError });
    server.tool("change", {}, () => {
      server.listChanged("resources");
      return "";
    });
    server.resource("text://one", {}, () => "text");
    return server;
  };
  return { nodes: new Nodes(makeServer, { stores, onError }, 2), reported };
}

async function assertRefused(response: RawResponse, { reported }: ReportingNodes, name: string): Promise<void> {
  expect(response.status).toBe(503);
  expect(response.header("retry-after")).toBe("1");
  const { error } = await response.message();
  expect(error).toMatchObject(ERROR);
  expect(JSON.stringify(error)).not.toContain(SECRET);
  const told = reported.find((one) => one instanceof DamagedEntryError);
  expect(String((told as Error | undefined)?.cause)).toContain(name);
  expect(inspect(reported)).not.toContain(SECRET);
  reported.length = 0;
}

const ENGINES = ["redis", "postgres", "nats", "memory"] as const;

describe.each(ENGINES)("%s", (name) => {
  let engine: Engine | undefined;
  let spaces = 0;
  beforeAll(async () => void (engine = name === "memory" ? undefined : await startEngine(name)));
  afterAll(() => engine?.stop());

  /** The space of the last stores that were made. */
  const space = (): string => `damaged_${spaces}`;
  function stores(context: TestContext): Pick<Stores, "keyed" | "events" | "bus"> {
    if (name === "memory") return memoryStores();
    const made = assertStarted(engine, name, context).stores(`damaged_${++spaces}`);
    onTestFinished(() => made.close());
    return made;
  }

  test("a damaged session is refused by name, and the sessions beside it are served", async (context) => {
    const { keyed, ...others } = stores(context);
    const made = nodesOn({ keyed, ...others });
    const [sound, damaged] = [await made.nodes.open("2025-11-25"), await made.nodes.open("2025-11-25")];
    const key = `session ${damaged.id}`;
    const before = (await keyed.read(key))!.value;
    for (const value of RECORDS) {
      await keyed.swap(key, (await keyed.read(key))!.version, { value, ms: LONG });
      await assertRefused(await damaged.send(1, PING), made, "The record of a session");
      expect((await sound.send(1, PING)).status).toBe(200);
    }
    await keyed.swap(key, (await keyed.read(key))!.version, { value: before, ms: LONG });
    expect((await damaged.send(1, PING)).status).toBe(200);
  });

  test("a damaged change is one of everything, and later changes are heard", async (context) => {
    const { events, ...others } = stores(context);
    const made = nodesOn({ events, ...others });
    const { nodes, reported } = made;
    const session = await nodes.open("2025-11-25");
    const stream = await session.send(1, { method: "GET" });
    const heard = async (): Promise<unknown> => (await stream.next())?.message["method"];
    for (const [index, data] of [SECRET, "null", '{"kind":"resource","uri":7}', '{"kind":["tools"]}'].entries()) {
      await events.add({ session: "changes", stream: "log" }, { key: `damage${index}`, data: [data], ms: LONG });
      await others.bus.publish("changes", "");
      await expect.poll(heard, { timeout: 60_000 }).toBe("notifications/resources/list_changed");
    }
    await session.send(0, { body: { jsonrpc: "2.0", id: 9, method: "tools/call", params: { name: "change", arguments: {} } } });
    expect(await heard()).toBe("notifications/resources/list_changed");
    expect(inspect(reported)).not.toContain(SECRET);
  });

  test("a damaged event is left out of its stream, and the events after it arrive", async (context) => {
    const { events, keyed, bus } = stores(context);
    const made = nodesOn({ events, keyed, bus });
    const session: RawSession = await made.nodes.open("2025-11-25");
    const { stream } = JSON.parse((await keyed.read(`session ${session.id}`))!.value) as { stream: string };
    const message = (text: string): string =>
      JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { data: text } });
    const data = [message("one"), `${SECRET}\n\ndata: x`, message("two")];
    await events.add({ session: session.id, stream }, { key: "damage", data, ms: LONG });
    const response = await session.send(1, { method: "GET" });
    const heard = [await response.next(), await response.next()].map((event) => (event!.message["params"] as JsonObject)["data"]);
    expect(heard).toEqual(["one", "two"]);
    expect(made.reported.map((error) => String((error as Error).cause))).toEqual([
      expect.stringContaining("An event of a stream is damaged: it is not JSON"),
    ]);
  });

  // The memory has no texts that another program could overwrite.
  if (name === "memory") return;

  test("an overwritten entry is refused by name, and what is beside it is served", async (context) => {
    const shared = stores(context);
    const damage: Damage = await damageOf(engine!, space());
    const made = nodesOn(shared);
    const [sound, damaged] = [await made.nodes.open("2025-11-25"), await made.nodes.open("2025-11-25")];
    for (const text of ENTRIES) {
      await damage.entry(`session ${damaged.id}`, text);
      await assertRefused(await damaged.send(1, PING), made, 'The entry "session ..." of the keyed store');
      expect((await sound.send(1, PING)).status).toBe(200);
    }
  });

  test("a damaged task is refused by name; others are listed, taken over and removed", async (context) => {
    const reported: unknown[] = [];
    const onError = (error: unknown): undefined => void reported.push(error);
    const made = assertStarted(engine, name, context).stores(`damaged_${++spaces}`, { onError });
    onTestFinished(() => made.close());
    const damage = await damageOf(engine!, space());
    const now = Date.now();
    for (const id of ["damaged", "sound", "other"])
      await made.tasks.insert(task(id, now), { worker: "gone", until: now + 1 }, {});
    for (const text of [
      `{"id":"${SECRET}`,
      "null",
      '{"id":"damaged"}',
      "",
      JSON.stringify({ ...task("damaged", now), journal: SECRET }),
    ]) {
      await damage.task("damaged", text);
      await expect(made.tasks.get("damaged")).rejects.toMatchObject(ERROR);
      expect((await made.tasks.list("", undefined, 9)).map(({ id }) => id)).toEqual(["other", "sound"]);
    }
    const extension = tasks({ store: made.tasks, lease: 600 });
    const server = testServer({ ...SHARED, extensions: [extension], onError });
    server.tool("t", { task: { ttl: LONG } }, () => "done");
    const client = await connect(server);
    onTestFinished(() => client.close());
    const statuses = async (): Promise<unknown[]> => [
      (await made.tasks.get("sound"))?.status,
      (await made.tasks.get("other"))?.status,
    ];
    await expect.poll(statuses, { timeout: 60_000 }).toEqual(["failed", "failed"]);
    await made.tasks.forget(now + 2 * LONG);
    expect(await made.tasks.get("sound")).toBeUndefined();
    expect(await made.tasks.list("", undefined, 9)).toEqual([]);
    expect(reported.some((error) => String((error as Error).cause).includes("The record of a task"))).toBe(true);
    expect(inspect(reported)).not.toContain(SECRET);
  });
});

test("nats: a damaged set accepts no member, a damaged counter goes on, a damaged header is refused by name", async (context) => {
  const engine = assertStarted(await startEngine("nats"), "nats", context);
  onTestFinished(() => engine.stop());
  const made = engine.stores("odd");
  onTestFinished(() => made.close());
  const { client, replace } = await natsMessages(engine.url, "odd");
  await made.keyed.join("set", "member", { ms: LONG, max: 2 });
  const set = await subjectOf("m");
  for (const text of [SECRET, "[]", "null"]) {
    await replace(set, text);
    const failure = await Promise.resolve(made.keyed.join("set", "another", { ms: LONG, max: 2 })).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(DamagedEntryError);
    expect(inspect(failure)).not.toContain(SECRET);
  }
  expect(await made.keyed.join("another set", "member", { ms: LONG, max: 2 })).toBe(true);

  expect(await made.keyed.next("counter", 7)).toBe(7);
  await replace(await subjectOf("n"), SECRET);
  expect(await made.keyed.next("counter", 9)).toBe(9);
  expect(await made.keyed.next("counter", 9)).toBe(10);

  await made.states.put("one", "value", LONG);
  const state = await subjectOf("s");
  for (const facts of [SECRET, "7", '{"ms":1000000,"parts":7}', '{"ms":1000000,"parts":["a",1e9]}']) {
    await replace(state, "value", facts);
    await expect(made.states.get("one")).rejects.toBeInstanceOf(DamagedEntryError);
  }

  /** The first subject of entries of one kind. */
  async function subjectOf(letter: string): Promise<string> {
    const { state: kept } = await (await client.jetstreamManager()).streams.info("odd-keyed", { subjects_filter: ">" });
    return Object.keys(kept.subjects!)
      .find((subject) => subject.startsWith(`odd.keyed.${letter}.`))!
      .slice("odd.keyed.".length);
  }
});

/** A stored task. */
function task(id: string, createdAt: number): Parameters<Stores["tasks"]["insert"]>[0] {
  // never run
  const call = { method: "tools/call", params: { name: "t" }, version: "2026-07-28", client: { capabilities: {} } } as never;
  const journal = { answers: [], refusals: [], steps: [], keys: [] };
  const times = { createdAt, updatedAt: createdAt, ttl: LONG, pollInterval: 1 };
  const runs = { restart: false, run: 1, tries: 1, maxRuns: 1 };
  return { id, owner: "", version: 1, status: "working", ...times, call, ...runs, journal, questions: [] };
}
