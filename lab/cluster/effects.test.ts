/**
 * The long proof of `state()` and `once`: every engine, and many nodes that are killed while they count and pay. The negative
 * controls are nodes with one mistake each, which the same rules must find.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countWithKills, payWithKill, started } from "../../packages/tenon/test/state/kills.ts";
import { assertStarted, startEngine, type Engine } from "../../packages/tenon/test/stores/engines.ts";

const KILLS = 8;

describe.each(["redis", "postgres", "nats"] as const)("%s", (name) => {
  let engine: Engine | undefined;
  beforeAll(async () => void (engine = await startEngine(name)));
  afterAll(() => engine?.stop());

  test("no update that a caller heard of is lost while nodes are killed", async (context) => {
    const nodes = await started(assertStarted(engine, name, context), KILLS + 2);
    const { seen, last } = await countWithKills(nodes, "count", KILLS);
    expect(new Set(seen).size).toBe(seen.length);
    expect(last).toBeGreaterThan(seen.length);
  }, 600_000);

  test("no effect happens twice while nodes are killed between it and its record", async (context) => {
    const nodes = await started(assertStarted(engine, name, context), KILLS + 2);
    for (let kill = 0; kill < KILLS; kill++)
      expect(await payWithKill(nodes, "pay", `call${kill}`, kill % 2 === 0 ? "inside" : "after")).toHaveLength(1);
  }, 600_000);
});

describe("negative controls", () => {
  let engine: Engine | undefined;
  beforeAll(async () => void (engine = await startEngine("redis")));
  afterAll(() => engine?.stop());
  const options = { timeout: 600_000 };

  test.for([
    ["a store that swaps without comparing", "countCarelessly"],
    ["a state in the memory of each node", "countAlone"],
    ["a store that confirms what it does not keep", "countForgetfully"],
  ] as const)("%s loses updates, and that is found", options, async ([, tool], context) => {
    const { seen } = await countWithKills(await started(assertStarted(engine, "redis", context), 3), tool, 1);
    expect(new Set(seen).size).toBeLessThan(seen.length);
  });

  test.for([
    ["a tool without a key", "payTwice", "after"],
    ["records in the memory of each node", "payAlone", "after"],
    ["a payment without the key of its step", "payWithoutKey", "inside"],
    ["an effect outside of a step", "payOutside", "after"],
  ] as const)("%s has an effect twice, and that is found", options, async ([, tool, hang], context) => {
    const nodes = await started(assertStarted(engine, "redis", context), 3);
    expect((await payWithKill(nodes, tool, tool, hang)).length).toBeGreaterThan(1);
  });
});
