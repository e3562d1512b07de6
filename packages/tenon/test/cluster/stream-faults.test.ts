/** Streams of sessions whose event log is slow, or holds what no node has written. */
import { describe, expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "tenon";
import { McpServer, type SharedStores } from "tenon/server";
import { memoryStores } from "tenon/stores/memory";
import { VirtualClock } from "tenon/testing";
import { Nodes, SHARED } from "./nodes.ts";
import { gate } from "../support/gate.ts";

const REVISION = "2025-11-25";
const CALL = {
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name: "job", arguments: {}, _meta: { progressToken: "p" } },
};

type Events = SharedStores["events"];

/** An event log of which some methods are replaced. */
function withMethods(events: Events, methods: Partial<Events>): Events {
  return new Proxy(events, {
    get(target, name) {
      const member: unknown = Reflect.get(name in methods ? methods : target, name);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}

/** A node whose tool makes progress and then waits until its call ends. */
const job = (): McpServer => {
  const server = new McpServer({ name: "s", version: "1" }, SHARED);
  server.tool("job", {}, async (_input, ctx) => {
    await ctx.progress(1);
    return new Promise<string>((_resolve, reject) => ctx.signal.addEventListener("abort", reject));
  });
  return server;
};

describe("a stream that another node must end, and whose note is damaged", () => {
  test.each([
    ['{"ids":7}', "does not name its requests"],
    ['{"ids":[{}]}', "does not name its requests"],
    ["7", "does not name its requests"],
    ['{"ids":[2],"call":{"method":"ping"}}', "has a call that is not a request"],
  ])("is cut, so that its client notices, and the operator learns why: %s", async (note, problem) => {
    const [clock, frozen] = [new VirtualClock(), new VirtualClock()];
    const { events, ...others } = memoryStores({ clock });
    const read = async (...args: Parameters<Events["read"]>): Promise<Awaited<ReturnType<Events["read"]>>> => {
      const page = await events.read(...args);
      return typeof page === "string" || page.note === undefined ? page : { ...page, note };
    };
    const damaged = withMethods(events, { read });
    const reported: unknown[] = [];
    const options = { stores: { ...others, events: damaged }, streams: { after: Infinity } };
    const living = new Nodes(job, { ...options, clock, onError: (error) => void reported.push(error) }, 1);
    const standing = new Nodes(job, { ...options, clock: frozen }, 1);
    const session = await living.open(REVISION);
    await clock.advance(4_000);
    const headers = { "mcp-session-id": session.id, "mcp-protocol-version": REVISION };
    const event = (await (await standing.send(0, { body: CALL, headers })).next())!;
    const resumed = await session.send(0, { method: "GET", headers: { "last-event-id": event.id! } });
    const ticking = setInterval(() => void clock.advance(100), 5);
    onTestFinished(() => clearInterval(ticking));
    await expect(resumed.rest()).rejects.toThrow("The stream was cut");
    expect(reported.map((error) => String((error as Error).cause))).toEqual([
      `Error: The note of a stream is damaged: it ${problem}. It is not used; remove it from the store`,
    ]);
  });
});

test("while the event log is slow, progress is left out and the call goes on [fault H15]", async () => {
  const { events, ...others } = memoryStores();
  const log = gate();
  let waiting = Promise.resolve();
  const slow = new Proxy(events, {
    get(target, name) {
      const member = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      return name === "append"
        ? (...args: unknown[]) => waiting.then(() => Reflect.apply(member, target, args))
        : member.bind(target);
    },
  });
  const [steps, words] = [200, "x".repeat(1_000)];
  const flooded = gate();
  const errors: Error[] = [];
  const flood = (): McpServer => {
    const server = new McpServer({ name: "s", version: "1" }, SHARED);
    server.tool("job", {}, async (_input, ctx) => {
      for (let step = 1; step <= steps; step++) void ctx.progress(step, steps, words);
      flooded.open();
      await ctx.progress(steps + 1);
      return "done";
    });
    return server;
  };
  const options = { stores: { ...others, events: slow }, limits: { maxBuffered: 20_000 }, streams: { after: 0 } };
  const nodes = new Nodes(flood, { ...options, onError: (error) => void errors.push(error as Error) }, 1);
  const session = await nodes.open(REVISION);
  waiting = log.opened;
  const answer = session.send(0, { body: CALL });
  await flooded.opened;
  log.open();
  const messages = (await (await answer).rest()).map(({ message }) => message);
  expect(messages.at(-1)).toMatchObject({ id: 2, result: { content: [{ text: "done" }] } });
  const told = messages.flatMap(({ params }) => (params === undefined ? [] : [(params as JsonObject)["progress"]]));
  expect(told.at(-1)).toBe(steps + 1);
  expect(told.length).toBeLessThan(30);
  expect(errors).toMatchObject([{ data: { limit: "limits.maxBuffered", omitted: steps + 1 - told.length } }]);
});

describe("a log that loses events does not stop its node: others are served, and the stream goes on once resumed", () => {
  /** Resumes a stream after its first event, while the log does not have what comes next. */
  async function resumed(events: Events, others: Omit<SharedStores, "events">) {
    const reported: string[] = [];
    const onError = (error: unknown): void => void reported.push(String((error as Error).cause ?? error));
    const nodes = new Nodes(job, { stores: { ...others, events }, streams: { after: 0 }, onError }, 1);
    const session = await nodes.open(REVISION);
    const call = await session.send(0, { body: CALL });
    const { id } = (await call.next())!;
    const response = await session.send(0, { method: "GET", headers: { "last-event-id": id! } });
    const { status } = await session.send(0, { body: { jsonrpc: "2.0", id: 3, method: "ping" } });
    expect(status).toBe(200);
    return { response, reported };
  }

  test("it does not give what it says that it has: the response is cut, and the operator learns why", async () => {
    const { events, ...others } = memoryStores();
    const read: Events["read"] = async (...args) => {
      const page = await events.read(...args);
      return typeof page === "string" ? page : { ...page, events: [], last: page.last + 1 };
    };
    const { response, reported } = await resumed(withMethods(events, { read }), others);
    await expect(response.rest()).rejects.toThrow("The stream was cut");
    expect(reported).toContainEqual(expect.stringContaining("The event log gave no events after"));
  });

  test("it says that it has kept what it has not", async () => {
    const { events, ...others } = memoryStores();
    const append: Events["append"] = (at, given) => (given.first > 1 ? "kept" : events.append(at, given));
    const { reported } = await resumed(withMethods(events, { append }), others);
    expect(reported).toEqual([]);
  });
});
