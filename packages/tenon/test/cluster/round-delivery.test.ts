/**
 * A round (MCP 2026-07-28) that fails where it came to says whether the node of its handler may have run it: only then a client
 * must not repeat it blindly. Of a round that its client gives up, the nodes send each other no more than they must.
 */
import { describe, expect, onTestFinished, test } from "vitest";
import type { RequestContext } from "tenon";
import { McpServer, type SharedStores } from "tenon/server";
import { memoryStores } from "tenon/stores/memory";
import { StoreUnavailableError } from "tenon/stores/redis";
import * as z from "zod";
import { Nodes, SHARED } from "./nodes.ts";
import { begin, run, send } from "./rounds.ts";
import { deferred, gate } from "../support/gate.ts";

const lost = new StoreUnavailableError("not-sent", new Error("2000 commands wait already"));

interface World {
  readonly nodes: Nodes;
  /** What handlers did, with the index of their node. */
  readonly effects: string[];
}

/** Nodes whose stores fail as `fails` says of each of their methods. */
function start(fails: (method: string, args: readonly unknown[]) => boolean): World {
  const effects: string[] = [];
  const makeServer = (index: number): McpServer => {
    const server = new McpServer({ name: "s", version: "1" }, SHARED);
    server.tool("book", {}, async (_input, ctx) => {
      effects.push(`begin ${index}`);
      await ctx.elicit("first", { message: "First?", schema: z.object({}) });
      await ctx.step("pay", () => void effects.push(`pay ${index}`));
      await ctx.elicit("second", { message: "Second?", schema: z.object({}) });
      return "booked";
    });
    onTestFinished(() => server.close());
    return server;
  };
  const cut = <T extends object>(store: T): T =>
    new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]): unknown => {
          if (fails(String(name), args)) throw lost;
          return Reflect.apply(member, target, args);
        };
      },
    });
  const { keyed, events, bus, states } = memoryStores();
  const stores = { keyed: cut(keyed), events, bus: cut(bus), states: cut(states) };
  return { nodes: new Nodes(makeServer, { stores }), effects };
}

test("a round that fails where it came to, and may have run at the holder, does not say that it was not sent [X1]", async () => {
  let isAway = false;
  const { nodes, effects } = start((method, args) => {
    if (isAway || String(args[1]).includes('"kind":"taken"')) return true; // the holder's acknowledgement
    if (method === "claim") isAway = true; // after that of the holder
    return false;
  });
  const state = await begin(nodes, 0, { name: "book" });
  const { error } = await run(nodes, 1, { name: "book", state, accepts: ["first"] });
  expect(error).toMatchObject({ code: -32603, data: { reason: "storeUnavailable", delivery: "unknown" } });
  expect(effects).toEqual(["begin 0", "pay 0", "begin 1"]);
});

test.each(["has", "has not"])(
  "a round that was not passed on, and fails where it came to, is said to be not sent, if its node %s joined the others before",
  async (joined) => {
    let isAway = false;
    const { nodes, effects } = start(() => isAway);
    if (joined === "has") await begin(nodes, 1, { name: "book" });
    const state = await begin(nodes, 0, { name: "book" });
    effects.length = 0;
    isAway = true;
    const { error } = await run(nodes, 1, { name: "book", state, accepts: ["first"] });
    expect(error).toMatchObject({ code: -32603, data: { reason: "storeUnavailable", delivery: "not-sent" } });
    isAway = false;
    expect((await run(nodes, 2, { name: "book", state, accepts: ["first"] })).state).toBeDefined();
    expect(effects).toEqual(["begin 1", "pay 0"]);
  },
);

describe("a round that its client gives up", () => {
  /** A round at another node than its handler, which has told its progress, and how many messages of a kind the nodes sent. */
  async function begun(goOn: (ctx: RequestContext) => Promise<string>, before = async (_kind: string): Promise<void> => {}) {
    const { bus, ...others } = memoryStores();
    const messages = new Set<string>(); // one that is sent again has the same id
    const publish: SharedStores["bus"]["publish"] = async (topic, text) => {
      const { id, kind } = JSON.parse(text) as { id: string; kind: string };
      messages.add(`${kind} ${id}`);
      await before(kind);
      await bus.publish(topic, text);
    };
    const overheard = {
      maxMessage: bus.maxMessage,
      publish,
      subscribe: bus.subscribe.bind(bus),
      onGap: bus.onGap.bind(bus),
    };
    const makeServer = (): McpServer => {
      const server = new McpServer({ name: "s", version: "1" }, SHARED);
      server.tool("tell", {}, async (_input, ctx) => {
        await ctx.elicit("first", { message: "First?", schema: z.object({}) });
        await ctx.progress(1);
        return goOn(ctx);
      });
      onTestFinished(() => server.close());
      return server;
    };
    const nodes = new Nodes(makeServer, { stores: { ...others, bus: overheard }, streams: { after: Infinity } });
    const state = await begin(nodes, 0, { name: "tell" });
    const stream = await send(nodes, 1, { name: "tell", state, accepts: ["first"], meta: { progressToken: 1 } });
    await stream.next();
    return {
      stream,
      ended: () => nodes.nodes[0]!.handler.drain(60_000),
      sent: (kind: string) => [...messages].filter((one) => one.startsWith(`${kind} `)).length,
    };
  }

  test("tells its client's node nothing more", async () => {
    const wentOn = deferred<void>();
    const { stream, ended, sent } = await begun(async (ctx) => {
      await new Promise((resolve) => {
        if (ctx.signal.aborted) resolve(undefined);
        ctx.signal.addEventListener("abort", resolve);
      });
      await ctx.progress(2);
      wentOn.resolve();
      return "done";
    });
    await stream.drop();
    await wentOn.promise;
    await ended();
    expect(sent("roundTold")).toBe(1);
  });

  test("sends no more parts of its result", async () => {
    const { opened, open } = gate();
    const [ending, cancelled] = [deferred<void>(), deferred<void>()];
    const { stream, ended, sent } = await begun(
      async () => {
        await opened;
        return "x".repeat(2_000_000);
      },
      async (kind) => {
        if (kind === "roundCancelled") cancelled.resolve();
        if (kind === "roundPart" || kind === "roundEnded") ending.resolve();
        if (kind === "roundPart") await cancelled.promise;
      },
    );
    open();
    await ending.promise;
    await stream.drop();
    await ended();
    expect([1, 2]).toContain(sent("roundPart")); // of six
  });
});
