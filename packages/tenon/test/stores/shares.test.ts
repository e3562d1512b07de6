/** One owner may use half of the room for states and claims of an engine, so that one owner never keeps out the others. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from "vitest";
import { redisStores } from "tenon/stores/redis";
import type { Stores } from "tenon/stores/redis";
import { stateStoreChecks } from "tenon/testing";
import { assertStarted, ENGINES, startEngine, type Engine } from "./engines.ts";

const LONG = 600_000;
const SHORT = 50;
/** Room for three states of at most 2 Ki characters, and for four claims, of one owner. */
const LITTLE = { maxSize: 2 * 5 * 3 * 2_048, maxClaims: 8 };

describe.each(ENGINES)("%s", (name) => {
  let engine: Engine | undefined;
  let spaces = 0;
  beforeAll(async () => void (engine = await startEngine(name)));
  afterAll(() => engine?.stop());

  function statesOf(context: TestContext, space = `shares_${++spaces}`): Stores["states"] {
    const made = assertStarted(engine, name, context).stores(space, { states: LITTLE });
    onTestFinished(() => made.close());
    return made.states;
  }

  test.for(stateStoreChecks)("with little room: $name", ({ run }, context) =>
    expect(run(statesOf(context))).resolves.toBeUndefined(),
  );

  test("of claims at two nodes at once an owner gets half of `maxClaims`; the others fail with its name", async (context) => {
    const nodes = [statesOf(context, "claims"), statesOf(context, "claims")];
    const claims = Array.from({ length: 20 }, async (_, index) => nodes[index % 2]!.claim(`key ${index}`, LONG, "one"));
    const settled = await Promise.allSettled(claims);
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(4);
    for (const outcome of settled.filter((one) => one.status === "rejected"))
      expect(outcome.reason).toMatchObject({ name: "LimitExceededError", code: -32603, limit: "states.maxClaims", max: 8 });

    const taken = settled.findIndex(({ status }) => status === "fulfilled");
    expect(await nodes[1]!.claim(`key ${taken}`, LONG, "one")).toBe(false);
    expect(await nodes[1]!.claim("another key", LONG, "two")).toBe(true);
    expect(await nodes[1]!.claim("a third key", LONG)).toBe(true);
  });

  test("an owner has room for a number of states of each size", async (context) => {
    const states = statesOf(context);
    const refused = { name: "LimitExceededError", code: -32603, limit: "states.maxSize", max: LITTLE.maxSize };
    for (const key of ["a", "b", "c"]) await states.put(key, "x".repeat(2_048), LONG, "one");
    await expect(states.put("d", "x", LONG, "one")).rejects.toMatchObject(refused);
    await expect(states.put("e", "x".repeat(2_049), LONG, "two")).rejects.toMatchObject(refused);
    expect([await states.get("d"), await states.get("e")]).toEqual([undefined, undefined]);
    await states.put("a", "replaced", LONG, "one");
    await states.put("f", "x", LONG, "two");
    expect([await states.get("a"), await states.get("f")]).toEqual(["replaced", "x"]);
  });

  test("what has expired leaves its room", async (context) => {
    const states = statesOf(context);
    for (const key of ["a", "b", "c", "d"]) expect(await states.claim(key, SHORT, "one")).toBe(true);
    const isClaimed = (): Promise<boolean> => Promise.resolve(states.claim("e", LONG, "one")).catch(() => false);
    await expect.poll(isClaimed, { timeout: 60_000 }).toBe(true);
  });
});

test.each([
  ["maxSize", 0],
  ["maxClaims", Number.NaN],
])("the limit %s must not be %d", (limit, value) => {
  expect(() => redisStores({ states: { [limit]: value } })).toThrow(
    new RangeError(`Option "states.${limit}" must be a number >= 1, not ${value}`),
  );
});
