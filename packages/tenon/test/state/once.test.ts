/**
 * What `once` of a tool promises: over every transport and revision, with tasks,
 * mounts and several nodes, and against callers who try.
 */
import { describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { connect, type Client, type McpServer } from "tenon";
import { tasks } from "tenon/ext/tasks";
import { ToolError, type McpServerOptions, type OnceOptions, type RequestContext } from "tenon/server";
import { forget } from "tenon/state";
import { memoryStores } from "tenon/stores/memory";
import { describeAsking } from "../asking/ways.ts";
import { gate } from "../support/gate.ts";
import { describeMatrix } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

const input = z.object({ id: z.string().optional(), cents: z.number() });

interface Shop {
  readonly server: McpServer;
  /** What the payment service did: one entry for each payment. */
  readonly paid: string[];
  readonly caller: { principal: string };
}

type Pay = (input: { cents: number }, ctx: RequestContext, paid: string[]) => unknown;
const payAtOnce: Pay = ({ cents }, _ctx, paid) => `receipt ${paid.push(`paid ${cents}`)}`;

function shop(pay: Pay = payAtOnce, once: Partial<OnceOptions> = {}, options: McpServerOptions = {}): Shop {
  const [paid, caller]: [string[], { principal: string }] = [[], { principal: "ann" }];
  const server = testServer({ onError: () => undefined, ...options });
  server.use((next) => (context) => next(Object.assign(context, { principal: caller.principal })));
  server.tool(
    "pay",
    { input, once: { key: "id", ttl: 60_000, ...once }, ...(options.extensions && { task: true }) },
    (given, ctx) => pay(given, ctx, paid) as string,
  );
  return { server, paid, caller };
}

const call = (client: Client, id: string | undefined, cents = 5): Promise<string> =>
  client.callTool("pay", { cents, ...(id !== undefined && { id }) }).then(({ text }) => text);

async function opened(server: McpServer): Promise<Client> {
  const client = await connect(server);
  onTestFinished(() => client.close());
  return client;
}

describeMatrix("a call with a key", ({ connect: open }) => {
  test("has one effect and one result, also from another connection; other arguments and users have none of it", async () => {
    const { server, paid, caller } = shop();
    const client = await open(server);
    expect([await call(client, "k"), await call(client, "k"), await call(await open(server), "k")]).toEqual(
      Array(3).fill("receipt 1"),
    );
    await expect(call(client, "k", 6)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("was used with other arguments") as string,
    });
    expect(paid).toEqual(["paid 5"]);
    expect([await call(client, "l"), await call(client, undefined), await call(client, undefined)]).toEqual([
      "receipt 2",
      "receipt 3",
      "receipt 4",
    ]);
    caller.principal = "bob";
    expect(await call(client, "k", 6)).toBe("receipt 5");
  });

  test("waits for the first that runs; a cancelled wait ends only itself", async () => {
    const [begun, may] = [gate(), gate()];
    const { server, paid } = shop(async (given, _ctx, done) => {
      begun.open();
      await may.opened;
      return payAtOnce(given, _ctx, done);
    });
    const [first, second] = [await open(server), await open(server)];
    const running = call(first, "k");
    await begun.opened;
    const gaveUp = new AbortController();
    const waits = second.callTool("pay", { id: "k", cents: 5 }, { signal: gaveUp.signal });
    const stays = call(second, "k");
    gaveUp.abort(new Error("gave up"));
    await expect(waits).rejects.toThrow("gave up");
    may.open();
    expect([await running, await stays]).toEqual(["receipt 1", "receipt 1"]);
    expect(paid).toEqual(["paid 5"]);
  });
});

describeAsking("a call with a key that asks", ({ connect: open }) => {
  test.each([0, 100])("asks and has its effect once, however its rounds run [maxSuspended %i]", async (maxSuspended) => {
    let runs = 0;
    const { server, paid } = shop(
      async ({ cents }, ctx, done) => {
        runs++;
        const receipt = await ctx.step("pay", () => `receipt ${done.push(`paid ${cents}`)}`);
        return (await ctx.confirm("gift", "A gift?")) ? `${receipt}, wrapped` : receipt;
      },
      {},
      { requestState: { maxSuspended } },
    );
    const client = await open(server, { onElicit: () => ({ action: "accept", content: {} }) });
    expect([await call(client, "k"), await call(client, "k")]).toEqual(Array(2).fill("receipt 1, wrapped"));
    expect(paid).toEqual(["paid 5"]);
    expect(runs).toBeLessThanOrEqual(2);
  });
});

describe("a call with a key", () => {
  test("that failed, thrown or returned, is not kept; its finished steps are, under the same key", async () => {
    const keys: string[] = [];
    let failures = 0;
    const { server, paid } = shop(async ({ cents }, ctx, done) => {
      const receipt = await ctx.step("pay", ({ key }) => (keys.push(key), `receipt ${done.push(`paid ${cents}`)}`));
      await ctx.step("mail", ({ key }) => {
        keys.push(key);
        if (failures++ < 1) throw new ToolError("The mail is down");
      });
      return failures < 3 ? (failures++, ctx.fail("Not yet")) : receipt;
    });
    const client = await opened(server);
    expect([await call(client, "k"), await call(client, "k"), await call(client, "k"), await call(client, "k")]).toEqual([
      "The mail is down",
      "Not yet",
      "receipt 1",
      "receipt 1",
    ]);
    expect(paid).toEqual(["paid 5"]);
    expect(keys).toHaveLength(3); // pay, and mail twice
    expect(keys[1]).toBe(keys[2]);
    expect(keys[0]!.replace(/pay$/, "mail")).toBe(keys[1]);
  });

  test("that failed before any step leaves the key free for other arguments", async () => {
    const { server } = shop(({ cents }) => {
      if (cents > 5) throw new ToolError("Too much");
      return `paid ${cents}`;
    });
    const client = await opened(server);
    expect([await call(client, "k", 9), await call(client, "k", 3)]).toEqual(["Too much", "paid 3"]);
  });

  test("that two nodes get at once has one effect", async () => {
    const store = memoryStores().keyed;
    const done: string[] = [];
    const shops = [1, 2, 3].map(() => shop(async ({ cents }) => `receipt ${done.push(`paid ${cents}`)}`, { store }));
    const clients = await Promise.all(shops.map(({ server }) => opened(server)));
    expect(new Set(await Promise.all(Array.from({ length: 12 }, (_, at) => call(clients[at % 3]!, "k"))))).toEqual(
      new Set(["receipt 1"]),
    );
    expect(done).toEqual(["paid 5"]);
  });

  test("as a task has one effect; each task has the result", async () => {
    const { server, paid } = shop(async (given, ctx, done) => payAtOnce(given, ctx, done), {}, { extensions: [tasks()] });
    const client = await connect(server, { extensions: [tasks()] });
    onTestFinished(() => client.close());
    expect(new Set(await Promise.all([call(client, "k"), call(client, "k"), call(client, "k")]))).toEqual(new Set(["receipt 1"]));
    expect(paid).toEqual(["paid 5"]);
  });

  test("in mounted servers is one of its mount: two of the same name share nothing", async () => {
    const [east, west] = [shop(), shop()];
    const server = testServer();
    server.mount("east", east.server);
    server.mount("west", west.server);
    const client = await opened(server);
    const at = async (name: string, cents = 5): Promise<string> =>
      (await client.callTool(`${name}__pay`, { id: "k", cents })).text;
    expect([await at("east"), await at("east"), await at("west", 7), await at("west", 7)]).toEqual(Array(4).fill("receipt 1"));
    expect([east.paid, west.paid]).toEqual([["paid 5"], ["paid 7"]]);
  });

  test("is limited: a long result is sent once and the effect stays one; keys, and what a key may be", async () => {
    const { server, paid } = shop((_given, _ctx, done) => `${done.push("paid")}`.repeat(100), { maxResult: 50, maxKeys: 2 });
    const client = await opened(server);
    expect(await call(client, "k")).toBe("1".repeat(100));
    expect(await client.callTool("pay", { id: "k", cents: 5 })).toMatchObject({
      isError: true,
      text: expect.stringContaining("was too long to keep") as string,
    });
    await call(client, "l");
    await expect(call(client, "m")).rejects.toMatchObject({ data: { limit: "once.maxKeys", max: 2 } });
    expect(paid).toEqual(["paid", "paid"]);
    await expect(call(client, "x".repeat(1_025))).rejects.toThrow("must be a text of 1 to 1024 characters");
    await forget("ann");
    expect(await call(client, "m")).toBe("3".repeat(100));
  });

  test("made by a function of the arguments does the same; a wrong option fails the call first, and says which", async () => {
    const told: unknown[] = [];
    const runs: number[] = [];
    const server = testServer({ onError: (error) => void told.push(error) });
    server.tool("pay", { input, once: { key: ({ cents }) => `cents ${cents}` } }, ({ cents }) => `run ${runs.push(cents)}`);
    server.tool("wrong", { input, once: { key: "id", ttl: 0 } }, ({ cents }) => `run ${runs.push(cents)}`);
    const client = await opened(server);
    expect([await call(client, "a"), await call(client, "a")]).toEqual(["run 1", "run 1"]);
    expect((await client.callTool("wrong", { id: "k", cents: 5 })).isError).toBe(true);
    expect(String(told[0])).toContain('RangeError: Option "once.ttl" must be milliseconds from 1');
    expect(runs).toEqual([5]);
  });
});
