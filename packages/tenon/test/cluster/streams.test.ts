/** Streams of sessions whose requests come to any node: resumed at another node, with and without the node that writes them. */
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { McpServer, RequestContext } from "tenon/server";
import type { JsonObject } from "tenon";
import { VirtualClock } from "tenon/testing";
import { memoryStores } from "tenon/stores/memory";
import { Nodes, SHARED, STATEFUL, type RawEvent, type RawSession, type Revision } from "./nodes.ts";
import { testServer } from "../support/test-server.ts";

/** A gate that a handler waits at, and the signal of that handler. */
class Gates {
  readonly #open: (() => void)[] = [];
  readonly aborted: string[] = [];

  wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#open.push(resolve);
      signal.addEventListener("abort", () => {
        this.aborted.push(String(signal.reason));
        reject(signal.reason as Error);
      });
    });
  }

  get waiting(): number {
    return this.#open.length;
  }

  async open(): Promise<void> {
    await vi.waitUntil(() => this.#open.length > 0, { timeout: 30_000, interval: 5 });
    this.#open.shift()!();
  }
}

function serverWith(gates: Gates): () => McpServer {
  return () => {
    const server = testServer({ ...SHARED });
    const steps = (name: string, idempotentHint: boolean): void => {
      server.tool(name, { annotations: { idempotentHint } }, async (_input, ctx) => {
        for (let i = 1; i <= 4; i++) {
          await ctx.progress(i);
          await gates.wait(ctx.signal);
        }
        return "done";
      });
    };
    steps("steps", false);
    steps("repeatable", true);
    const complete = async (_value: string, _resolved: object, ctx: RequestContext): Promise<string[]> => {
      await ctx.progress(1);
      await gates.wait(ctx.signal);
      return ["rye"];
    };
    server.resourceTemplate("bread://{flour}", { complete: { flour: complete } }, () => "");
    return server;
  };
}

const call = (name = "steps"): JsonObject => ({
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name, arguments: {}, _meta: { progressToken: "p" } },
});

const whatOf = ({ message }: RawEvent): unknown => (message["params"] as JsonObject | undefined)?.["progress"] ?? message["id"];

/** Two nodes that live, one whose clock stands still, and a session that all of them serve. */
async function withStandingNode(
  revision: Revision,
  gates: Gates,
  held = gates,
): Promise<{ clock: VirtualClock; session: RawSession; standing: Nodes; headers: { [name: string]: string } }> {
  const [clock, frozen] = [new VirtualClock(), new VirtualClock()];
  const stores = memoryStores({ clock });
  const streams = { after: Infinity };
  const living = new Nodes(serverWith(gates), { stores, clock, streams }, 2);
  const standing = new Nodes(serverWith(held), { stores, clock: frozen, streams }, 1);
  const session = await living.open(revision);
  await clock.advance(4_000); // a node that has just joined takes nothing over
  return { clock, session, standing, headers: { "mcp-session-id": session.id, "mcp-protocol-version": revision } };
}

/** Lets time pass until the test has finished, 100 ms at a time. */
function keepAdvancing(clock: VirtualClock): void {
  const ticking = setInterval(() => void clock.advance(100), 5);
  onTestFinished(() => clearInterval(ticking));
}

describe.each(STATEFUL)("%s", (revision) => {
  test("a stream that is resumed at another node goes on without a gap or a repetition", async () => {
    const gates = new Gates();
    const nodes = new Nodes(serverWith(gates), { streams: { after: Infinity } });
    const session = await nodes.open(revision);
    const first = await session.send(1, { body: call() });
    const events = [(await first.next())!];
    await gates.open();
    events.push((await first.next())!);
    const second = await session.send(2, { method: "GET", headers: { "last-event-id": events.at(-1)!.id! } });
    await gates.open();
    events.push((await second.next())!);
    await second.drop();
    await gates.open();
    const third = await session.send(0, { method: "GET", headers: { "last-event-id": events.at(-1)!.id! } });
    events.push((await third.next())!);
    await gates.open();
    events.push(...(await third.rest()));
    expect(events.map(whatOf)).toEqual([1, 2, 3, 4, 2]);
    expect(events.at(-1)!.message).toMatchObject({ id: 2, result: { content: [{ text: "done" }] } });
    expect(await first.rest()).toEqual([]); // what a client resumes elsewhere ends here
    const again = await session.send(1, { method: "GET", headers: { "last-event-id": events[0]!.id! } });
    expect((await again.rest()).map(whatOf)).toEqual([2, 3, 4, 2]);
  });

  test("an event id of no stream is refused, and one of another session", async () => {
    const nodes = new Nodes(serverWith(new Gates()));
    const [one, two] = [await nodes.open(revision), await nodes.open(revision, 1)];
    const stream = await one.send(0, { body: call() });
    const { id } = (await stream.next())!;
    for (const lastEventId of ["nonsense", `${"a".repeat(22)}.1`, id!])
      expect((await two.send(2, { method: "GET", headers: { "last-event-id": lastEventId } })).status).toBe(400);
  });

  test("a call whose node stands still ends with one error; the node is refused when it goes on [X2 X3]", async () => {
    const gates = new Gates();
    const { clock, session, standing, headers } = await withStandingNode(revision, gates);
    const own = await session.send(0, { body: { jsonrpc: "2.0", id: 1, method: "ping" } });
    expect(own.status).toBe(200);
    const first = await standing.send(0, { body: call(), headers });
    const event = (await first.next())!;
    const resumed = await session.send(1, { method: "GET", headers: { "last-event-id": event.id! } });
    const rest = resumed.rest();
    keepAdvancing(clock);
    const [error, ...more] = await rest;
    expect(more).toEqual([]);
    expect(error!.message).toMatchObject({
      id: 2,
      error: { code: -32603, data: { reason: "nodeLost", delivery: "unknown", repeatable: false } },
    });
    expect(gates.aborted).toEqual([]);
    await gates.open(); // the node that stood still goes on
    await expect.poll(() => gates.aborted.length).toBe(1);
    const again = await session.send(0, { method: "GET", headers: { "last-event-id": event.id! } });
    expect((await again.rest()).map(({ message }) => message)).toEqual([error!.message]);
  });

  test("a repeatable call whose node stands still runs again at another, and has one response [X2 X3]", async () => {
    const [gates, held] = [new Gates(), new Gates()];
    const { clock, session, standing, headers } = await withStandingNode(revision, gates, held);
    const first = await standing.send(0, { body: call("repeatable"), headers });
    const events = [(await first.next())!];
    await held.open();
    events.push((await first.next())!);
    const resumed = await session.send(1, { method: "GET", headers: { "last-event-id": events[0]!.id! } });
    const rest = resumed.rest();
    keepAdvancing(clock);
    for (let step = 1; step <= 4; step++) await gates.open();
    const received = await rest;
    expect(received.map(whatOf)).toEqual([2, 3, 4, 2]); // the second run begins at 1 again, and progress only grows
    expect(received.at(-1)!.message).toMatchObject({ id: 2, result: { content: [{ text: "done" }] } });
    await held.open(); // the node that stood still goes on
    await expect.poll(() => held.aborted.length).toBeGreaterThan(0);
    const again = await session.send(0, { method: "GET", headers: { "last-event-id": events[0]!.id! } });
    expect(await again.rest()).toEqual(received);
    expect(gates.aborted).toEqual([]);
  });

  test("a completion whose node stands still runs again at another [X2 X3]", async () => {
    const [gates, held] = [new Gates(), new Gates()];
    const { clock, session, standing, headers } = await withStandingNode(revision, gates, held);
    const params = {
      ref: { type: "ref/resource", uri: "bread://{flour}" },
      argument: { name: "flour", value: "r" },
      _meta: { progressToken: "p" },
    };
    const first = await standing.send(0, { body: { jsonrpc: "2.0", id: 2, method: "completion/complete", params }, headers });
    const { id } = (await first.next())!;
    const resumed = await session.send(1, { method: "GET", headers: { "last-event-id": id! } });
    const rest = resumed.rest();
    keepAdvancing(clock);
    await gates.open();
    expect((await rest).at(-1)!.message).toMatchObject({ id: 2, result: { completion: { values: ["rye"] } } });
  });

  test("a repeatable call whose second node stands still as well ends with one error [X2]", async () => {
    const [clock, second] = [new VirtualClock(), new VirtualClock()];
    const gates = new Gates();
    const stores = memoryStores({ clock });
    const streams = { after: Infinity };
    const [a, b, c] = [new VirtualClock(), second, clock].map(
      (own) => new Nodes(serverWith(gates), { stores, clock: own, streams }, 1),
    ) as [Nodes, Nodes, Nodes];
    const session = await c.open(revision);
    const headers = { "mcp-session-id": session.id, "mcp-protocol-version": revision };
    const first = await a.send(0, { body: call("repeatable"), headers });
    const { id } = (await first.next())!;
    expect((await b.send(0, { headers, body: { jsonrpc: "2.0", id: 1, method: "ping" } })).status).toBe(200);
    const atSecond = await b.send(0, { method: "GET", headers: { ...headers, "last-event-id": id! } });
    let lives = true;
    const pass = async (): Promise<void> => {
      if (lives) await second.advance(100);
      await clock.advance(100);
    };
    const ticking = setInterval(() => void pass(), 5);
    onTestFinished(() => clearInterval(ticking));
    await expect.poll(() => gates.waiting, { timeout: 60_000 }).toBe(2);
    lives = false; // the node that runs the call again stands still
    await atSecond.drop();
    const resumed = await c.send(0, { method: "GET", headers: { ...headers, "last-event-id": id! } });
    const events = await resumed.rest();
    expect(events.map(({ message }) => message)).toMatchObject([
      { id: 2, error: { data: { reason: "nodeLost", repeatable: true } } },
    ]);
    expect(gates.waiting).toBe(2);
  });

  test("ending a session at one node aborts its calls at all", async () => {
    const gates = new Gates();
    const nodes = new Nodes(serverWith(gates));
    const session = await nodes.open(revision);
    const stream = await session.send(1, { body: call() });
    await stream.next();
    await expect.poll(() => gates.waiting).toBe(1);
    expect((await session.send(2, { method: "DELETE" })).status).toBe(204);
    await expect.poll(() => gates.aborted.length).toBe(1);
    expect(await stream.rest()).toEqual([]);
  });

  test("a cancel at another node reaches the handler, and the call gets no response", async () => {
    const gates = new Gates();
    const nodes = new Nodes(serverWith(gates));
    const session = await nodes.open(revision);
    const stream = await session.send(1, { body: call() });
    await stream.next();
    await expect.poll(() => gates.waiting).toBe(1);
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2, reason: "changed my mind" } };
    expect((await session.send(2, { body: cancel })).status).toBe(202);
    await expect.poll(() => gates.aborted.length).toBe(1);
    expect(await stream.rest()).toEqual([]);
  });
});

test("a batch whose node stands still ends with an error for each request, and none of them runs again [X2]", async () => {
  const [gates, held] = [new Gates(), new Gates()];
  const { clock, session, standing, headers } = await withStandingNode("2025-03-26", gates, held);
  const batch = [call("repeatable"), { ...call("repeatable"), id: 3 }, { jsonrpc: "2.0", id: 4, method: "tools/list" }];
  const first = await standing.send(0, { body: batch, headers });
  const { id } = (await first.next())!;
  const resumed = await session.send(1, { method: "GET", headers: { "last-event-id": id! } });
  const rest = resumed.rest();
  keepAdvancing(clock);
  const lost = { error: { code: -32603, data: { reason: "nodeLost", delivery: "unknown", repeatable: true } } };
  expect((await rest).at(-1)!.message).toMatchObject([2, 3, 4].map((id) => ({ id, ...lost })));
  expect(gates.waiting).toBe(0);
});

test("the error of a call whose node stands still is sent at once when it is written [X2]", async () => {
  const revision = "2025-11-25";
  const [clock, frozen] = [new VirtualClock(), new VirtualClock()];
  const stores = memoryStores({ clock });
  const ends: string[] = [];
  const events = new Proxy(stores.events, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      if (name !== "append") return (member as () => unknown).bind(target);
      return async (...args: Parameters<typeof stores.events.append>) => {
        const outcome = await target.append(...args);
        if (args[1].ends) ends.push(args[1].writer);
        return outcome;
      };
    },
  });
  const streams = { after: Infinity };
  const gates = new Gates();
  const living = new Nodes(serverWith(gates), { stores: { ...stores, events }, clock, streams }, 1);
  const standing = new Nodes(serverWith(gates), { stores, clock: frozen, streams }, 1);
  const session = await living.open(revision);
  await clock.advance(4_000); // a node that has just joined takes nothing over
  const headers = { "mcp-session-id": session.id, "mcp-protocol-version": revision };
  const first = await standing.send(0, { body: call(), headers });
  const { id } = (await first.next())!;
  const resumed = await session.send(0, { method: "GET", headers: { "last-event-id": id! } });
  let received: RawEvent[] | undefined;
  void resumed.rest().then((rest) => (received = rest));
  const pass = async (ms: number): Promise<void> => {
    await clock.advance(ms);
    await new Promise((resolve) => void setImmediate(resolve));
  };
  while (ends.length === 0) await pass(100);
  for (let step = 0; step < 10; step++) await pass(10);
  await expect
    .poll(() => received, { timeout: 30_000 })
    .toMatchObject([{ message: { error: { data: { reason: "nodeLost" } } } }]);
});

test("a handler that ends its response at once has given the client an id with which it comes back for the result", async () => {
  const gates = new Gates();
  const makeServer = (): McpServer => {
    const server = testServer({ ...SHARED });
    server.tool("back", {}, async (_input, ctx) => {
      ctx.closeStream();
      await gates.wait(ctx.signal);
      return "came back";
    });
    return server;
  };
  const nodes = new Nodes(makeServer);
  const session = await nodes.open("2025-11-25");
  const left = await session.send(0, { body: call("back") });
  const id = await left.primed();
  expect(await left.rest()).toEqual([]);
  await gates.open();
  const back = await session.send(1, { method: "GET", headers: { "last-event-id": id } });
  expect(await back.next()).toMatchObject({ message: { id: 2, result: { content: [{ text: "came back" }] } } });
});
