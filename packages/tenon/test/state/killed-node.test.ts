/** A node is killed with SIGKILL while it counts in a state, and between an effect and the record of it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assertStarted, startEngine, type Engine } from "../stores/engines.ts";
import { countWithKills, payWithKill, started } from "./kills.ts";

describe("a killed node", () => {
  let engine: Engine | undefined;
  beforeAll(async () => void (engine = await startEngine("redis")));
  afterAll(() => engine?.stop());

  test("loses no update that a caller heard of; a store that does not compare does [negative control]", async (context) => {
    const nodes = await started(assertStarted(engine, "redis", context), 3);
    const { seen, last } = await countWithKills(nodes, "count", 1);
    expect(new Set(seen).size).toBe(seen.length);
    expect(last).toBeGreaterThan(seen.length);
    const control = await countWithKills(nodes, "countCarelessly", 0);
    expect(new Set(control.seen).size).toBeLessThan(control.seen.length);
  });

  test("pays once, with the result for caller and waiter; without a key it pays twice [negative control]", async (context) => {
    const nodes = await started(assertStarted(engine, "redis", context), 4);
    expect(await payWithKill(nodes, "pay", "one", "after")).toHaveLength(1);
    expect(await payWithKill(nodes, "pay", "two", "inside")).toHaveLength(1);
    expect((await payWithKill(nodes, "payTwice", "three", "after")).length).toBeGreaterThan(1);
  });
});
