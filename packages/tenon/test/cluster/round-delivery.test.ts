/**
 * A round (MCP 2026-07-28) that fails where it came to says whether the node of its handler may have run it: only then a client
 * must not repeat it blindly.
 */
import { expect, onTestFinished, test } from "vitest";
import { McpServer } from "tenon/server";
import { memoryStores } from "tenon/stores/memory";
import { StoreUnavailableError } from "tenon/stores/redis";
import * as z from "zod";
import { Nodes, SHARED } from "./nodes.ts";
import { begin, run } from "./rounds.ts";

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
