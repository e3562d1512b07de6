/** Nodes whose clocks are wrong: the clock of the engine decides when a session, a state or a task ends, and who runs a task. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from "vitest";
import { connect, type Client } from "tenon";
import { tasks } from "tenon/ext/tasks";
import { createFetchHandler, McpServer } from "tenon/server";
import type { Stores } from "tenon/stores/redis";
import * as z from "zod";
import { systemClock, type Clock } from "../../src/base/clock.ts";
import { assertStarted, startEngine, type Engine } from "../stores/engines.ts";
import { Nodes, SHARED } from "./nodes.ts";
import { begin, run } from "./rounds.ts";
import { testServer } from "../support/test-server.ts";

const HOUR = 3_600_000;
/** What the clock of the first node is ahead of the others. */
const WRONG = [
  ["an hour ahead", HOUR],
  ["an hour behind", -HOUR],
] as const;

const clockAhead = (ms: number): Clock => ({ ...systemClock, wallNow: () => Date.now() + ms });

describe.each(["redis", "postgres", "nats"] as const)("%s", (name) => {
  let engine: Engine | undefined;
  let spaces = 0;
  beforeAll(async () => void (engine = await startEngine(name)));
  afterAll(() => engine?.stop());

  /** Two stores of one space. */
  function stores(context: TestContext): [Stores, Stores] {
    const started = assertStarted(engine, name, context);
    const space = `clocks_${++spaces}`;
    const open = (): Stores => {
      const made = started.stores(space);
      onTestFinished(() => made.close());
      return made;
    };
    return [open(), open()];
  }

  describe.each(WRONG)("a node whose clock is %s", (_, ahead) => {
    const clocks = [clockAhead(ahead), systemClock];

    test("opens sessions that another node serves for as long as `age` allows", async (context) => {
      const [wrong, right] = stores(context).map((own, index) => {
        const makeServer = (): McpServer => testServer({ ...SHARED, logging: true });
        const lives: number[] = [];
        const { keyed: engineStore } = own;
        const keyed: Stores["keyed"] = {
          read: (key) => engineStore.read(key),
          swap: (key, version, next) => engineStore.swap(key, version, next),
          renew: (key, version, ms) => {
            if (key.startsWith("session")) lives.push(ms);
            return engineStore.renew(key, version, ms);
          },
          join: (set, member, joining) => engineStore.join(set, member, joining),
          leave: (set, member) => engineStore.leave(set, member),
          next: (counter, least) => engineStore.next(counter, least),
          now: () => engineStore.now!(),
        };
        const sessions = { age: HOUR / 2, idle: HOUR };
        const nodes = new Nodes(makeServer, { stores: { ...own, keyed }, clock: clocks[index]!, sessions }, 1);
        return { nodes, lives };
      });
      for (const [from, to] of [
        [wrong!, right!],
        [right!, wrong!],
      ] as const) {
        const { id } = await from.nodes.open("2025-11-25");
        const headers = { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" };
        const body = { jsonrpc: "2.0", id: 2, method: "logging/setLevel", params: { level: "error" } };
        expect(await (await to.nodes.send(0, { headers, body })).message()).toMatchObject({ id: 2, result: {} });
        await expect.poll(() => to.lives.at(-1)).toBeGreaterThan(HOUR / 3);
        expect(to.lives.at(-1)).toBeLessThan((2 * HOUR) / 3); // what is asked over a slow connection is less exact
      }
    });

    test("exchanges rounds with others", async (context) => {
      const [wrong, right] = stores(context).map((own, index) => {
        const makeServer = (): McpServer => {
          const requestState = { ...SHARED.requestState, store: own.states, maxSuspended: 0 };
          const server = testServer({ ...SHARED, requestState, clock: clocks[index]! });
          server.tool("pay", {}, async (_input, ctx) => {
            await ctx.elicit("sure", { message: "Sure?", schema: z.object({}) });
            return ctx.step("paid", () => "paid");
          });
          return server;
        };
        return new Nodes(makeServer, { stores: own, clock: clocks[index]! }, 1);
      });
      for (const [from, to] of [
        [wrong!, right!],
        [right!, wrong!],
      ] as const) {
        const state = await begin(from, 0, { name: "pay" });
        expect(await run(to, 0, { name: "pay", state, accepts: ["sure"] })).toEqual({ text: "paid" });
      }
    });

    test("and others find each other's tasks, and steal none", async (context) => {
      const runs: number[] = [];
      const sweeps = [0, 0];
      const ends: (() => void)[] = [];
      const clients = await Promise.all(
        stores(context).map(async (own, index) => {
          const options = { clock: clocks[index]!, onError: (): undefined => undefined };
          const server = new McpServer(
            { name: "s", version: "1" },
            { ...options, extensions: [tasks({ store: counting(own.tasks, () => sweeps[index]!++), lease: 6_000 })] },
          );
          server.tool("job", { task: { ttl: 60_000 } }, async () => {
            runs.push(index);
            await new Promise<void>((resolve) => ends.push(resolve));
            return `done by ${index}`;
          });
          const handler = createFetchHandler(server);
          onTestFinished(() => handler.close());
          return closing(
            connect(
              { url: "http://localhost/mcp", fetch: (url, init) => handler(new Request(url, init)) },
              { extensions: [tasks()] },
            ),
          );
        }),
      );
      const ids: string[] = [];
      const calls = clients.map((client) => client.callTool("job", {}, { onTask: ({ taskId }) => void ids.push(taskId) }));
      await expect.poll(() => ids.length).toBe(2);
      for (const client of clients) expect((await client.task(ids[0]!).get()).status).toBe("working");
      // A node takes over in a sweep what it takes for abandoned.
      await expect.poll(() => Math.min(...sweeps), { timeout: 60_000 }).toBe(2);
      await expect.poll(() => ends.length).toBe(2);
      for (const end of ends) end();
      expect((await Promise.all(calls)).map(({ text }) => text)).toEqual(["done by 0", "done by 1"]);
      expect(runs.toSorted()).toEqual([0, 1]);
    });
  });
});

async function closing(connecting: Promise<Client>): Promise<Client> {
  const client = await connecting;
  onTestFinished(() => client.close());
  return client;
}

/** A store of tasks that tells when a node looks for abandoned tasks. */
function counting(store: Stores["tasks"], onSweep: () => void): Stores["tasks"] {
  return new Proxy(store, {
    get: (target, name: keyof Stores["tasks"]) => {
      if (name === "abandoned") onSweep();
      return (target[name] as (() => unknown) | undefined)?.bind(target);
    },
  });
}
