/**
 * A round of a call (MCP 2026-07-28) comes to another node than the one where its handler waits: the handler goes on there, so
 * that the code before its question runs once. Nodes of this process over stores in memory; for processes that are killed see
 * round-faults.test.ts.
 */
import { describe, expect, onTestFinished, test } from "vitest";
import { McpServer, ToolError, type McpServerOptions, type RequestContext } from "tenon";
import { bearer } from "tenon/auth";
import type { FetchHandlerOptions, SharedStores } from "tenon/server";
import { memoryStores } from "tenon/stores/memory";
import { VirtualClock } from "tenon/testing";
import * as z from "zod";
import { Nodes, SHARED } from "./nodes.ts";
import { begin, requestOf, run, send } from "./rounds.ts";
import { gate } from "../support/gate.ts";

const FORM = z.object({});

interface World {
  readonly nodes: Nodes;
  /** What handlers did, with the index of their node. */
  readonly effects: string[];
  /** What `onError` of the nodes got. */
  readonly reports: unknown[];
}

type Tool = (ctx: RequestContext, effect: (what: string) => void, input: { readonly size?: number }) => Promise<unknown>;

/** Nodes with these tools, whose questions are forms without members. */
function start(tools: Readonly<Record<string, Tool>>, options: FetchHandlerOptions & { server?: McpServerOptions } = {}): World {
  const { server: serverOptions, ...endpoint } = options;
  const [effects, reports]: [string[], unknown[]] = [[], []];
  const makeServer = (index: number): McpServer => {
    const own = { ...SHARED, logging: true, onError: (error: unknown) => void reports.push(error), ...serverOptions };
    const server = new McpServer({ name: "s", version: "1" }, own);
    const input = z.object({ size: z.number().optional() });
    for (const [name, tool] of Object.entries(tools))
      server.tool(
        name,
        { input },
        (given, ctx) => tool(ctx, (what) => void effects.push(`${what} ${index}`), given as { size?: number }) as Promise<string>,
      );
    onTestFinished(() => server.close());
    return server;
  };
  return { nodes: new Nodes(makeServer, { streams: { after: Infinity }, ...endpoint }), effects, reports };
}

const ask = (ctx: RequestContext, name: string): Promise<unknown> => ctx.elicit(name, { message: `${name}?`, schema: FORM });

const book: Tool = async (ctx, effect) => {
  effect("begin");
  await ask(ctx, "first");
  await ctx.step("pay", () => effect("pay"));
  await ask(ctx, "second");
  await ctx.step("send", () => effect("send"));
  return "booked";
};

describe("a round at another node", () => {
  test("continues the handler where it waits, through several nodes", async () => {
    const { nodes, effects } = start({ book });
    const first = await begin(nodes, 0, { name: "book" });
    const { state } = await run(nodes, 1, { name: "book", state: first, accepts: ["first"] });
    expect(await run(nodes, 2, { name: "book", state: state!, accepts: ["second"] })).toEqual({ text: "booked" });
    expect(effects).toEqual(["begin 0", "pay 0", "send 0"]);
  });

  test("runs again with its journal if that node's server was closed, and the next round finds the new handler", async () => {
    const { nodes, effects } = start({ book });
    const first = await begin(nodes, 0, { name: "book" });
    const { state } = await run(nodes, 1, { name: "book", state: first, accepts: ["first"] });
    await nodes.nodes[0]!.server.close();
    await nodes.nodes[0]!.handler.close();
    const again = await run(nodes, 1, { name: "book", state: state!, accepts: [] });
    expect(await run(nodes, 2, { name: "book", state: again.state!, accepts: ["second"] })).toEqual({ text: "booked" });
    expect(effects).toEqual(["begin 0", "pay 0", "begin 1", "send 1"]);
  });

  test("runs again if the handler no longer waits there: that node says so, and the operator gets no fault", async () => {
    const { nodes, effects, reports } = start(
      { book },
      { server: { requestState: { ...SHARED.requestState, maxSuspended: 1 } } },
    );
    const first = await begin(nodes, 0, { name: "book" });
    await begin(nodes, 0, { name: "book" }); // takes the place of the first
    expect((await run(nodes, 1, { name: "book", state: first, accepts: ["first"] })).state).toBeDefined();
    expect(effects).toEqual(["begin 0", "begin 0", "begin 1", "pay 1"]);
    expect(reports).toEqual([]);
  });

  test("has the progress, the log messages and the notifications of the handler, in order", async () => {
    const { nodes } = start({
      tell: async (ctx) => {
        await ask(ctx, "first");
        for (let step = 1; step <= 3; step++) await ctx.progress(step, 3, `step ${step}`);
        await ctx.log.warning("nearly");
        await ctx.notify("notifications/shop/sold", { item: "tea" });
        return String(ctx.requestId);
      },
    });
    const state = await begin(nodes, 0, { name: "tell" });
    const meta = { progressToken: "mine", "io.modelcontextprotocol/logLevel": "info" };
    const stream = await send(nodes, 1, { name: "tell", state, accepts: ["first"], meta });
    const messages = (await stream.rest()).map(({ message }) => message);
    expect(messages.slice(0, 5)).toMatchObject([
      ...[1, 2, 3].map((progress) => ({ params: { progressToken: "mine", progress, total: 3, message: `step ${progress}` } })),
      { method: "notifications/message", params: { level: "warning", data: "nearly" } },
      { method: "notifications/shop/sold", params: { item: "tea" } },
    ]);
    expect(messages[5]).toMatchObject({ id: 1, result: { content: [{ text: "1" }] } });
    expect(messages).toHaveLength(6);
  });

  test("is cancelled at the node of the handler when the client is gone", async () => {
    const { nodes, effects } = start({
      wait: async (ctx, effect) => {
        await ask(ctx, "first");
        await ctx.progress(1);
        return new Promise((_resolve, reject) => {
          ctx.signal.addEventListener("abort", () => {
            effect("cancelled");
            reject(ctx.signal.reason as Error);
          });
          effect("waits");
        });
      },
    });
    const state = await begin(nodes, 0, { name: "wait" });
    const abort = new AbortController();
    const { headers, body } = requestOf({ name: "wait", state, accepts: ["first"], meta: { progressToken: 1 } });
    const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const init = { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body), signal: abort.signal };
    const response = await nodes.at(1)("http://localhost/mcp", { ...init, redirect: "manual", cache: "no-store" });
    await expect.poll(() => effects).toEqual(["waits 0"]);
    await response.body!.cancel();
    abort.abort();
    await expect.poll(() => effects).toEqual(["waits 0", "cancelled 0"]);
  });

  test("that comes to two nodes at once runs its step once", async () => {
    const { nodes, effects } = start({ book });
    const state = await begin(nodes, 0, { name: "book" });
    const round = { name: "book", state, accepts: ["first"] };
    const outcomes = await Promise.all([run(nodes, 1, round), run(nodes, 2, round)]);
    expect(effects.filter((effect) => effect.startsWith("pay"))).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome.state !== undefined).length).toBeGreaterThan(0);
    for (const { error } of outcomes) expect(error?.data ?? { reason: "stateUsed" }).toEqual({ reason: "stateUsed" });
  });

  test("whose answer counts once is taken once, also when it is sent again to another node", async () => {
    const { nodes, effects } = start({
      once: async (ctx, effect) => {
        await ctx.elicit("first", { message: "first?", schema: FORM, once: true });
        effect("used");
        return "used";
      },
    });
    const round = { name: "once", state: await begin(nodes, 0, { name: "once" }), accepts: ["first"] };
    expect(await run(nodes, 1, round)).toEqual({ text: "used" });
    expect((await run(nodes, 2, round)).error).toMatchObject({ code: -32602, message: "Invalid or expired requestState" });
    expect(effects).toEqual(["used 0"]);
  });

  test("has the same result when it is sent again to a third node, because the handler's node keeps it for all", async () => {
    const { nodes, effects } = start({
      pay: async (ctx, effect) => {
        await ask(ctx, "first");
        return ctx.step("pay", () => {
          effect("pay");
          return "paid";
        });
      },
    });
    const round = { name: "pay", state: await begin(nodes, 0, { name: "pay" }), accepts: ["first"] };
    expect(await run(nodes, 1, round)).toEqual({ text: "paid" });
    expect(await run(nodes, 2, round)).toEqual({ text: "paid" });
    expect(effects).toEqual(["pay 0"]);
  });
});

describe("the outcome of a round at another node", () => {
  const failing: Readonly<Record<string, Tool>> = {
    secret: async (ctx) => {
      await ask(ctx, "first");
      throw new Error("the password is 1234");
    },
    forModel: async (ctx) => {
      await ask(ctx, "first");
      throw new ToolError("Give another city");
    },
    large: async (ctx, _effect, { size = 0 }) => {
      await ask(ctx, "first");
      return '"\u{1f600}\\'.repeat(size / 4);
    },
  };

  test("hides the error of a handler from the client, and the operator has it", async () => {
    const { nodes, reports } = start(failing);
    const { text } = await run(nodes, 1, {
      name: "secret",
      state: await begin(nodes, 0, { name: "secret" }),
      accepts: ["first"],
    });
    expect(text).toMatch(/^Tool "secret" failed \(error [0-9a-f]{8}\)$/);
    expect(reports.map(String)).toEqual(["Error: the password is 1234"]);
  });

  test("has the text that a tool's failure has for the model", async () => {
    const { nodes } = start(failing);
    const state = await begin(nodes, 0, { name: "forModel" });
    expect(await run(nodes, 1, { name: "forModel", state, accepts: ["first"] })).toEqual({ text: "Give another city" });
  });

  test("may be longer than a message between nodes", async () => {
    const { nodes } = start(failing);
    const large = { name: "large", arguments: { size: 3_000_000 } };
    const { text } = await run(nodes, 1, { ...large, state: await begin(nodes, 0, large), accepts: ["first"] });
    expect(text).toBe('"\u{1f600}\\'.repeat(750_000));
  });
});

describe("a round runs again with its journal", () => {
  test("if it is too long for a message between nodes", async () => {
    const { nodes, effects } = start({ book });
    const state = await begin(nodes, 0, { name: "book" });
    const meta = { "shop/note": "x".repeat(1_100_000) };
    expect((await run(nodes, 1, { name: "book", state, accepts: ["first"], meta })).state).toBeDefined();
    expect(effects).toEqual(["begin 0", "begin 1", "pay 1"]);
  });

  /** A token is a user and a scope. */
  const auth = bearer({
    issuer: "https://issuer.example",
    audience: "http://localhost/mcp",
    verify: (token) => {
      const [subject, scope] = token.split("+") as [string, string];
      return { issuer: "https://issuer.example", audience: "http://localhost/mcp", subject, scopes: [scope] };
    },
  });
  const tools: Readonly<Record<string, Tool>> = {
    rights: async (ctx, effect) => {
      effect("begin");
      await ask(ctx, "first");
      return ctx.auth!.scopes.join();
    },
    admin: async (ctx, effect) => {
      effect("begin");
      await ask(ctx, "first");
      ctx.requireScopes("admin");
      return "done";
    },
  };
  const login = (token: string): { headers: Record<string, string> } => ({ headers: { authorization: `Bearer ${token}` } });

  test("if the login of the client is another, because a handler must not have the rights of an earlier request", async () => {
    const { nodes, effects } = start(tools, { auth });
    const call = (): Promise<string> => begin(nodes, 0, { name: "rights", ...login("ada+strong") });
    const [first, second] = [await call(), await call()];
    expect(await run(nodes, 1, { name: "rights", state: first, accepts: ["first"], ...login("ada+strong") })).toEqual({
      text: "strong",
    });
    expect(await run(nodes, 1, { name: "rights", state: second, accepts: ["first"], ...login("ada+weak") })).toEqual({
      text: "weak",
    });
    expect(effects).toEqual(["begin 0", "begin 0", "begin 1"]);
  });

  test("if the handler needs a scope that is missing, because only the node of the client can send the challenge", async () => {
    const { nodes, effects } = start(tools, { auth });
    const state = await begin(nodes, 0, { name: "admin", ...login("ada+read") });
    const refused = await send(nodes, 1, { name: "admin", state, accepts: ["first"], ...login("ada+read") });
    expect([refused.status, refused.header("www-authenticate")]).toEqual([403, expect.stringContaining('scope="admin"')]);
    expect(effects).toEqual(["begin 0", "begin 1"]);
  });
});

describe("a bus and stores that fail", () => {
  test("a bus that loses the first attempt of each message, and repeats the others, changes nothing", async () => {
    const { bus, ...stores } = memoryStores();
    const attempts = new Set<string>();
    const publish = async (topic: string, message: string): Promise<void> => {
      if (!attempts.has(message)) return void attempts.add(message);
      for (let copy = 0; copy < 2; copy++) await bus.publish(topic, message);
    };
    const lossy: SharedStores["bus"] = {
      maxMessage: bus.maxMessage,
      publish,
      subscribe: (topic, listener) => bus.subscribe(topic, listener),
      onGap: (listener) => bus.onGap(listener),
    };
    const { nodes, effects } = start({ book }, { stores: { ...stores, bus: lossy } });
    const { state } = await run(nodes, 1, { name: "book", state: await begin(nodes, 0, { name: "book" }), accepts: ["first"] });
    expect(await run(nodes, 2, { name: "book", state: state!, accepts: ["second"] })).toEqual({ text: "booked" });
    expect(effects).toEqual(["begin 0", "pay 0", "send 0"]);
  });

  test("while the stores are away a question is asked, its round runs where it arrives, and the operator hears why", async () => {
    const stores = memoryStores();
    let isAway = false;
    const keyed = new Proxy(stores.keyed, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]): unknown => {
          if (isAway) throw new Error("The store is away");
          return Reflect.apply(member, target, args);
        };
      },
    });
    const { nodes, effects, reports } = start({ book }, { stores: { ...stores, keyed } });
    const first = await begin(nodes, 0, { name: "book" });
    isAway = true;
    const { state } = await run(nodes, 1, { name: "book", state: first, accepts: ["first"] });
    expect(effects).toEqual(["begin 0", "begin 1", "pay 1"]);
    expect(reports.map(String)).toContain("Error: A round is not passed to the node where its handler waits: it runs again");
    expect(await run(nodes, 2, { name: "book", state: state!, accepts: ["second"] })).toEqual({ text: "booked" });
    expect(effects).toEqual(["begin 0", "begin 1", "pay 1", "begin 2", "send 2"]);
  });
});

describe("the holder of a handler", () => {
  test("does not know a state with the arguments of another call, or of another principal", async () => {
    const { nodes, effects } = start({ book });
    for (const { server } of nodes.nodes)
      server.use((next) => (ctx) => {
        ctx.principal = ctx.header("x-user");
        return next(ctx);
      });
    const ada = { "x-user": "ada" };
    const state = await begin(nodes, 0, { name: "book", headers: ada });
    const stolen = await run(nodes, 1, { name: "book", state, accepts: ["first"], headers: { "x-user": "eve" } });
    expect(stolen.error).toMatchObject({ code: -32602, message: "Invalid or expired requestState" });
    const other = await run(nodes, 1, { name: "book", state, accepts: ["first"], headers: ada, arguments: { size: 1 } });
    expect(other.error).toMatchObject({ code: -32602, message: "Invalid or expired requestState" });
    expect((await run(nodes, 1, { name: "book", state, accepts: ["first"], headers: ada })).state).toBeDefined();
    expect(effects).toEqual(["begin 0", "pay 0"]);
  });
});

describe("stores", () => {
  /** Stores that count what is asked of them. */
  function counting(): { stores: SharedStores; asked: string[] } {
    const asked: string[] = [];
    const stores = memoryStores();
    const count = <T extends object>(target: T, what: string): T =>
      new Proxy(target, {
        get: (from, name) => {
          const member: unknown = Reflect.get(from, name);
          if (typeof member !== "function") return member;
          return (...args: unknown[]): unknown => {
            asked.push(`${what}.${String(name)}`);
            return Reflect.apply(member, from, args);
          };
        },
      });
    return { stores: { ...stores, keyed: count(stores.keyed, "keyed"), bus: count(stores.bus, "bus") }, asked };
  }

  test("are not asked by calls that do not ask their client; the first question joins the nodes", async () => {
    const { stores, asked } = counting();
    const { nodes } = start({ book, plain: async () => "done" }, { stores });
    expect(await run(nodes, 0, { name: "plain" })).toEqual({ text: "done" });
    expect(asked).toEqual([]);
    await begin(nodes, 0, { name: "book" });
    expect(asked).toContain("bus.subscribe");
  });

  test("are not asked if no handler may wait", async () => {
    const { stores, asked } = counting();
    const { nodes, effects } = start({ book }, { stores, server: { requestState: { ...SHARED.requestState, maxSuspended: 0 } } });
    const state = await begin(nodes, 0, { name: "book" });
    await run(nodes, 1, { name: "book", state, accepts: ["first"] });
    expect(asked).toEqual([]);
    expect(effects).toEqual(["begin 0", "begin 1", "pay 1"]);
  });
});

describe("leaving", () => {
  test("a node that drains lets a round of another node end, and takes no more", async () => {
    const clock = new VirtualClock();
    const { opened, open: goOn } = gate();
    const { nodes, effects } = start(
      {
        slow: async (ctx, effect) => {
          effect("begin");
          await ask(ctx, "first");
          effect("works");
          await opened;
          return "done";
        },
      },
      { clock, stores: memoryStores({ clock }), server: { ...SHARED, clock } },
    );
    const [running, waiting] = [await begin(nodes, 0, { name: "slow" }), await begin(nodes, 0, { name: "slow" })];
    const done = run(nodes, 1, { name: "slow", state: running, accepts: ["first"] });
    await expect.poll(() => effects).toEqual(["begin 0", "begin 0", "works 0"]);
    const drained = nodes.nodes[0]!.handler.drain(10_000);
    const again = run(nodes, 1, { name: "slow", state: waiting, accepts: ["first"] });
    await expect.poll(() => effects).toEqual(["begin 0", "begin 0", "works 0", "begin 1", "works 1"]);
    goOn();
    expect([await done, await again]).toEqual([{ text: "done" }, { text: "done" }]);
    await drained;
  });
});
