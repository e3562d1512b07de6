/**
 * An engine that goes away while another node runs a round (MCP 2026-07-28): the client gets an error soon, and the nodes go on
 * when it is back.
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from "vitest";
import { McpServer, type SharedStores } from "tenon/server";
import * as z from "zod";
import { assertStarted, startEngine, type Engine } from "../stores/engines.ts";
import { Nodes, SHARED } from "./nodes.ts";
import { begin, run } from "./rounds.ts";
import { gate } from "../support/gate.ts";

/** The same bus, which tells of each acknowledgement that arrives here. */
function watched(bus: SharedStores["bus"], acknowledged: () => void): SharedStores["bus"] {
  return {
    maxMessage: bus.maxMessage,
    publish: (topic, message) => bus.publish(topic, message),
    subscribe: (topic, listener) =>
      bus.subscribe(topic, (message) => {
        listener(message);
        if (message.includes('"kind":"taken"')) acknowledged();
      }),
    onGap: (listener) => bus.onGap(listener),
  };
}

describe.each(["redis", "postgres", "nats"] as const)("%s", (name) => {
  let engine: Engine | undefined;
  beforeAll(async () => void (engine = await startEngine(name)));
  afterAll(() => engine?.stop());

  test("a round at another node fails if the engine is gone; its handler runs only once [X1]", async (context: TestContext) => {
    const started = assertStarted(engine, name, context);
    const effects: string[] = [];
    const { opened, open: goOn } = gate();
    const { opened: taken, open: acknowledged } = gate();
    const places = [0, 1].map((index) => {
      const stores = started.stores("round_outage");
      onTestFinished(() => stores.close());
      const makeServer = (): McpServer => {
        const server = new McpServer({ name: "s", version: "1" }, SHARED);
        server.tool("pay", {}, async (_input, ctx) => {
          await ctx.elicit("sure", { message: "Sure?", schema: z.object({}) });
          effects.push(`pay ${index}`);
          await opened;
          return "paid";
        });
        return server;
      };
      const { keyed, events, bus, states } = stores;
      return new Nodes(makeServer, { stores: { keyed, events, states, bus: watched(bus, acknowledged) } }, 1);
    });
    const [holder, other] = [places[0]!, places[1]!];
    const state = await begin(holder, 0, { name: "pay" });
    const round = run(other, 0, { name: "pay", state, accepts: ["sure"] });
    await expect.poll(() => effects, { timeout: 60_000 }).toEqual(["pay 0"]);
    // A node that does not know whether the other one has the round runs it itself: the client has its result at least once.
    await taken;
    await started.kill();
    expect((await round).error).toMatchObject({ code: -32603, data: { reason: "storeUnavailable", delivery: "unknown" } });
    expect(effects).toEqual(["pay 0"]);

    await started.restart();
    goOn();
    const again = async (): Promise<unknown> => {
      const next = await begin(holder, 0, { name: "pay" });
      return run(other, 0, { name: "pay", state: next, accepts: ["sure"] }).catch((error: unknown) => error);
    };
    // Slowly: each try leaves a call that waits for its user at the holder.
    await expect.poll(again, { timeout: 60_000, interval: 500 }).toEqual({ text: "paid" });
    await expect
      .poll(async () => (await again(), effects.slice(-2)), { timeout: 60_000, interval: 500 })
      .toEqual(["pay 0", "pay 0"]);
  });
});
