/**
 * An engine that is away for longer than leases last, with many open streams: nothing is taken over, no stream ends, and its
 * return is no storm.
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from "vitest";
import { McpServer, type SharedStores } from "tenon/server";
import type { JsonObject } from "tenon";
import { assertStarted, startEngine, type Engine } from "../../packages/tenon/test/stores/engines.ts";
import { initialize } from "../../packages/tenon/test/http/support.ts";
import { Nodes, SHARED, type RawEvent, type RawRequest, type RawResponse } from "../../packages/tenon/test/cluster/nodes.ts";
import { Link } from "../../packages/tenon/test/support/link.ts";

const REVISION = "2025-11-25";
/** GET streams and running calls of each node. */
const [STREAMS, CALLS] = [330, 20];
/**
 * Renewals of its lease that each node tries meanwhile: they take longer than a lease, 2.5 seconds, and a node stays quiet
 * afterwards.
 */
const FAILURES = 8;

/** Stores that count what they are asked. */
function counting(stores: SharedStores): { stores: SharedStores; count: () => number; renewals: () => number } {
  let [asked, renewed] = [0, 0];
  const count = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]): unknown => {
          asked++;
          if (name === "renew" && String(args[0]).startsWith("node ")) renewed++;
          return Reflect.apply(member, target, args);
        };
      },
    });
  const { keyed, events, bus } = stores;
  return { stores: { keyed: count(keyed), events: count(events), bus: count(bus) }, count: () => asked, renewals: () => renewed };
}

/**
 * Sends again what a node refused because its engine took longer than a second: on a busy machine that says nothing of the
 * engine.
 */
async function taken(send: () => Promise<RawResponse>): Promise<RawResponse> {
  for (;;) {
    const response = await send();
    if (response.status !== 503) return response;
    await response.text();
  }
}

describe.each(["redis", "postgres", "nats"] as const)("%s", (name) => {
  let engine: Engine | undefined;
  beforeAll(async () => void (engine = await startEngine(name)));
  afterAll(() => engine?.stop());

  test(
    "away for longer than leases last: no call is taken over, no stream ends, and the nodes ask it little when it is back",
    { timeout: 300_000 },
    async (context: TestContext) => {
      const url = new URL(assertStarted(engine, name, context).url);
      const link = await Link.to(Number(url.port));
      onTestFinished(() => link.close());
      url.port = String(link.port);
      let goOn!: () => void;
      const gate = new Promise<void>((resolve) => (goOn = resolve));
      const nodes = [0, 1, 2].map((index) => {
        const own = engine!.stores("away", { url: url.href, timeout: 1_000 });
        onTestFinished(() => own.close());
        const counted = counting(own);
        const server = (): McpServer => {
          const made = new McpServer({ name: "s", version: "1" }, SHARED);
          made.tool("wait", {}, async (_input, ctx) => {
            await ctx.progress(1);
            await gate;
            return String(index);
          });
          return made;
        };
        return { ...counted, nodes: new Nodes(server, { stores: counted.stores, streams: { after: Infinity, max: 10_000 } }, 1) };
      });
      const send = (at: number, request: RawRequest): Promise<RawResponse> => taken(() => nodes[at]!.nodes.send(0, request));
      const open = async (at: number): Promise<{ [name: string]: string }> => {
        const opened = await send(at, { body: initialize(REVISION) });
        const headers = { "mcp-session-id": opened.header("mcp-session-id"), "mcp-protocol-version": REVISION };
        await send(at, { headers, body: { jsonrpc: "2.0", method: "notifications/initialized" } });
        return headers;
      };
      const ended: unknown[] = [];
      const follow = (stream: { next(): Promise<RawEvent | undefined> }, seen: JsonObject[] = []): JsonObject[] => {
        void (async () => {
          for (let event = await stream.next(); event !== undefined; event = await stream.next()) seen.push(event.message);
          ended.push(stream);
        })().catch((error: unknown) => ended.push(error));
        return seen;
      };
      const gets: JsonObject[][] = [];
      const calls: { at: number; seen: JsonObject[] }[] = [];
      for (const at of [0, 1, 2]) {
        for (let first = 0; first < STREAMS; first += 10) {
          await Promise.all(
            Array.from({ length: 10 }, async () => {
              const stream = await send(at, { method: "GET", headers: await open(at) });
              gets.push(follow(stream));
              onTestFinished(() => stream.drop());
            }),
          );
        }
        for (let call = 0; call < CALLS; call++) {
          const headers = await open(at);
          const params = { name: "wait", _meta: { progressToken: "p" } };
          const stream = await send(at, { body: { jsonrpc: "2.0", id: 2, method: "tools/call", params }, headers });
          const { id } = (await stream.next())!;
          // Its client resumes it at the next node, which takes it over if this one ends.
          const resumed = await send((at + 1) % 3, { method: "GET", headers: { ...headers, "last-event-id": id! } });
          calls.push({ at, seen: follow(resumed) });
        }
      }
      expect(ended).toEqual([]);

      link.cut();
      const renewed = nodes.map(({ renewals }) => renewals());
      const failed = (): number => Math.min(...nodes.map(({ renewals }, index) => renewals() - renewed[index]!));
      await expect.poll(failed, { timeout: 60_000 }).toBeGreaterThanOrEqual(FAILURES);
      const before = nodes.map(({ count }) => count());
      link.mend();
      goOn();
      await expect.poll(() => calls.filter(({ seen }) => seen.length > 0).length, { timeout: 60_000 }).toBe(calls.length);
      nodes[0]!.nodes.nodes[0]!.server.listChanged("tools");
      await expect.poll(() => gets.filter((seen) => seen.length > 0).length, { timeout: 60_000 }).toBe(gets.length);
      const after = nodes.map(({ count }, index) => count() - before[index]!);
      for (const { at, seen } of calls) expect(seen).toMatchObject([{ id: 2, result: { content: [{ text: String(at) }] } }]);
      for (const seen of gets) expect(seen).toMatchObject([{ method: "notifications/tools/list_changed" }]);
      expect(ended).toHaveLength(calls.length);
      for (const count of after) expect(count).toBeLessThan(2_000);
    },
  );
});
