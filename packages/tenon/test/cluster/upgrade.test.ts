/**
 * Nodes are upgraded one after the other: nodes of a version and of the next one serve the same sessions, in both directions. The
 * next version is this one with stores that write what a later format may add: members of records, of notes and of messages
 * between nodes, and kinds of changes.
 */
import { describe, expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "tenon";
import type { McpServer, SharedStores } from "tenon/server";
import { VirtualClock } from "tenon/testing";
import { memoryStores } from "tenon/stores/memory";
import { Nodes, SHARED, type RawSession } from "./nodes.ts";
import { testServer } from "../support/test-server.ts";

const REVISION = "2025-11-25";

/** How often the tool that hangs the first time has run. */
let runs = 0;

function makeServer(): McpServer {
  const server = testServer({ ...SHARED, logging: true, capabilities: { tools: { listChanged: true } } });
  server.tool("tell", {}, async (_input, ctx) => {
    await ctx.session.standalone.sendLogMessage({ level: "info", data: "told" });
    return "done";
  });
  server.tool("roots", {}, async (_input, ctx) => String((await ctx.session.listRoots()).roots.length));
  server.tool("hang", { annotations: { readOnlyHint: true } }, async (_input, ctx) => {
    await ctx.progress(1);
    if (++runs > 1) return `run ${runs}`;
    return new Promise((_resolve, reject) => ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason as Error)));
  });
  return server;
}

/** Changes a JSON text. */
const edited = (text: string, edit: (value: JsonObject) => JsonObject): string =>
  JSON.stringify(edit(JSON.parse(text) as JsonObject));
const later = (value: JsonObject): JsonObject => ({ ...value, later: { added: true } });

/** What the next version writes, with records of that format. */
function nextVersion({ keyed, events, bus }: SharedStores, format = 2): SharedStores {
  const record = (value: JsonObject): JsonObject => ({ ...later(value), format, facts: later(value["facts"] as JsonObject) });
  return {
    keyed: {
      read: (key) => keyed.read(key),
      swap: (key, version, next) => {
        const isRecord = next !== undefined && key.startsWith("session ");
        return keyed.swap(key, version, isRecord ? { ...next, value: edited(next.value, record) } : next);
      },
      renew: (...args) => keyed.renew(...args),
      join: (...args) => keyed.join(...args),
      leave: (...args) => keyed.leave(...args),
      next: (...args) => keyed.next(...args),
    },
    events: {
      open: (at, opening) =>
        events.open(at, opening.note === undefined ? opening : { ...opening, note: edited(opening.note, later) }),
      append: (...args) => events.append(...args),
      add: (at, addition) => {
        const isChanges = at.session === "changes";
        return events.add(at, isChanges ? { ...addition, data: addition.data.map((change) => edited(change, later)) } : addition);
      },
      read: (...args) => events.read(...args),
      adopt: (...args) => events.adopt(...args),
      drop: (...args) => events.drop(...args),
    },
    bus: {
      maxMessage: bus.maxMessage,
      publish: (topic, message) => bus.publish(topic, message.startsWith("{") ? edited(message, later) : message),
      subscribe: (...args) => bus.subscribe(...args),
      onGap: (listener) => bus.onGap(listener),
    },
  };
}

interface BothVersions {
  readonly clock: VirtualClock;
  readonly stores: SharedStores;
  readonly now: Nodes;
  readonly next: Nodes;
}

function start(format?: number): BothVersions {
  const clock = new VirtualClock();
  const stores = memoryStores({ clock });
  const options = { clock, streams: { after: Infinity } };
  const now = new Nodes(makeServer, { ...options, stores }, 1);
  return { clock, stores, now, next: new Nodes(makeServer, { ...options, stores: nextVersion(stores, format) }, 1) };
}

let ids = 10;
const request = (method: string, params: JsonObject = {}): JsonObject => ({ jsonrpc: "2.0", id: ++ids, method, params });
const call = (name: string): JsonObject => request("tools/call", { name, arguments: {}, _meta: { progressToken: "p" } });

/** Sends requests of one session to any node. */
function at(nodes: Nodes, { id }: RawSession): RawSession["send"] {
  const headers = { "mcp-session-id": id, "mcp-protocol-version": REVISION };
  return (index, sent) => nodes.send(index, { ...sent, headers: { ...headers, ...sent.headers } });
}

function withoutFormat(record: JsonObject): JsonObject {
  const { format, ...old } = record;
  if (format !== 1) throw new Error(`The record has format ${String(format)}`);
  return old;
}

const recordOf = async ({ keyed }: SharedStores, { id }: RawSession): Promise<JsonObject> =>
  JSON.parse((await keyed.read(`session ${id}`))!.value) as JsonObject;

describe.each(["this version", "the next version"])("a session that %s has opened", (opener) => {
  const parts = (): BothVersions & { here: Nodes; there: Nodes } => {
    const both = start();
    return opener === "this version"
      ? { ...both, here: both.now, there: both.next }
      : { ...both, here: both.next, there: both.now };
  };

  test("is served and changed by nodes of both, and no member is lost [X9]", async () => {
    const { stores, here, there, clock } = parts();
    const session = await here.open(REVISION, 0, { roots: {} });
    const [sendHere, sendThere] = [at(here, session), at(there, session)];
    const setLevel = (send: RawSession["send"], level: string): Promise<{ status: number }> =>
      send(0, { body: request("logging/setLevel", { level }) });
    for (const [send, level] of [
      [sendThere, "error"],
      [sendHere, "info"],
      [sendThere, "debug"],
    ] as const) {
      expect((await setLevel(send, level)).status).toBe(200);
      await clock.advance(1_100);
    }
    const record = await recordOf(stores, session);
    expect(record).toMatchObject({ later: { added: true }, facts: { later: { added: true } } });
    const asking = await sendHere(0, { body: call("roots") });
    const asked = (await asking.next())!.message;
    const response = { jsonrpc: "2.0", id: asked["id"], result: { roots: [] } };
    expect((await sendThere(0, { body: response })).status).toBe(202);
    expect(await asking.message()).toMatchObject({ result: { content: [{ text: "0" }] } });
  });

  test("hears messages and changes of both, also those of a kind that only the next version knows [X9]", async () => {
    const { stores, here, there, clock } = parts();
    const session = await here.open(REVISION);
    const stream = await at(there, session)(0, { method: "GET" });
    onTestFinished(() => stream.drop());
    const passing = setInterval(() => void clock.advance(100), 5);
    onTestFinished(() => clearInterval(passing));
    for (const nodes of [here, there]) {
      expect(await (await at(nodes, session)(0, { body: call("tell") })).message()).toMatchObject({ result: {} });
      expect((await stream.next())!.message["method"]).toBe("notifications/message");
      nodes.nodes[0]!.server.listChanged("tools");
      expect((await stream.next())!.message["method"]).toBe("notifications/tools/list_changed");
    }
    const unknown = JSON.stringify({ kind: "a kind of later", of: "something" });
    await stores.events.add({ session: "changes", stream: "log" }, { key: "later", data: [unknown], ms: 60_000 });
    await stores.bus.publish("changes", "");
    expect((await stream.next())!.message["method"]).toBe("notifications/tools/list_changed"); // anything may have changed
  });

  test("loses a node in a call, and a node of the other version runs the call again [X9]", async () => {
    const { here, there, clock } = parts();
    runs = 0;
    const session = await here.open(REVISION);
    expect((await at(there, session)(0, { body: request("ping") })).status).toBe(200);
    const first = await at(here, session)(0, { body: call("hang") });
    const { id } = (await first.next())!;
    await clock.advance(4_000);
    await here.nodes[0]!.handler.close();
    const resumed = await at(there, session)(0, { method: "GET", headers: { "last-event-id": id! } });
    const passing = setInterval(() => void clock.advance(100), 5);
    onTestFinished(() => clearInterval(passing));
    expect((await resumed.rest()).map(({ message }) => message)).toMatchObject([
      { id: ids, result: { content: [{ text: "run 2" }] } },
    ]);
  });
});

test("a session two formats ahead is refused by name with 503, not with 404, and stays as it is [X9]", async () => {
  const { stores, now, next } = start(3);
  const session = await next.open(REVISION);
  const refused = await at(now, session)(0, { body: request("ping") });
  expect(refused.status).toBe(503);
  expect(await refused.message()).toMatchObject({
    error: { message: expect.stringContaining("format 3"), data: { reason: "newerFormat" } },
  });
  expect(await recordOf(stores, session)).toMatchObject({ format: 3 });
});

test("a record whose format is not a number is refused, with what is wrong, and stays as it is", async () => {
  const errors: string[] = [];
  const stores = memoryStores();
  const onError = (error: Error): void => void errors.push(String((error.cause as Error | undefined)?.message));
  const nodes = new Nodes(makeServer, { stores, onError }, 2);
  const session = await nodes.open(REVISION);
  const key = `session ${session.id}`;
  const { value, version } = (await stores.keyed.read(key))!;
  await stores.keyed.swap(key, version, { value: edited(value, (record) => ({ ...record, format: "1" })), ms: 60_000 });
  expect((await at(nodes, session)(1, { body: request("ping") })).status).toBeGreaterThanOrEqual(500);
  expect(errors.join()).toContain('The record of a session is damaged: it has no number as "format"');
  expect(await recordOf(stores, session)).toMatchObject({ format: "1" });
});

test("a record without a format, as the first version wrote it, is served [X9]", async () => {
  const { stores, now } = start();
  const session = await now.open(REVISION);
  const key = `session ${session.id}`;
  const { value, version } = (await stores.keyed.read(key))!;
  await stores.keyed.swap(key, version, { value: edited(value, withoutFormat), ms: 60_000 });
  const other = new Nodes(makeServer, { stores }, 1);
  expect((await at(other, session)(0, { body: request("ping") })).status).toBe(200);
});
