/**
 * Values that are larger than what an engine takes in one message come back whole, and what is above the limit is refused by
 * name.
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from "vitest";
import type { Stores } from "tenon/stores/redis";
import { assertStarted, ENGINES, startEngine, type Engine } from "./engines.ts";

const LONG = 600_000;
const MI = 2 ** 20;

describe.each(ENGINES)("%s", (name) => {
  let engine: Engine | undefined;
  beforeAll(async () => void (engine = await startEngine(name)));
  afterAll(() => engine?.stop());

  function stores(context: TestContext): Stores {
    const made = assertStarted(engine, name, context).stores("large");
    onTestFinished(() => made.close());
    return made;
  }

  test("a state of 4 Mi characters of three bytes comes back whole, and a longer one is refused", async (context) => {
    const { states } = stores(context);
    const value = "€".repeat(4 * MI);
    await states.put("state", value, LONG, "owner");
    expect((await states.get("state")) === value).toBe(true);
    await expect(states.put("longer", `${value}x`, LONG)).rejects.toMatchObject({
      name: "LimitExceededError",
      limit: "StateStore.maxState",
    });
    expect(await states.get("longer")).toBeUndefined();
  });

  test("a value of 1 Mi characters of three bytes comes back whole, and a smaller one replaces it", async (context) => {
    const { keyed } = stores(context);
    const value = "€".repeat(MI);
    const version = await keyed.swap("key", undefined, { value, ms: LONG });
    expect((await keyed.read("key"))?.value === value).toBe(true);
    expect(await keyed.swap("key", version, { value: "small", ms: LONG })).toBeDefined();
    expect((await keyed.read("key"))?.value).toBe("small");
  });

  test("1,000 events of one turn are kept, and the last comes back whole with 5 Mi characters", async (context) => {
    const { events } = stores(context);
    const at = { session: "session", stream: "stream" };
    await events.open(at, { writer: "a", ms: LONG });
    const texts = Array.from({ length: 999 }, (_, index) => String(index + 1));
    const parts = Array.from({ length: 4 }, (_, part) => ({
      first: part * 256 + 1,
      data: texts.slice(part * 256, (part + 1) * 256),
    }));
    for (const part of parts) expect(await events.append(at, { writer: "a", ...part, ms: LONG })).toBe("kept");
    const large = `x${"😀".repeat(2.5 * MI)}`;
    expect(await events.append(at, { writer: "a", first: 1_000, data: [large], ms: LONG })).toBe("kept");
    const page = await events.read(at, 999, 9);
    expect(page).toMatchObject({ last: 1_000 });
    expect(typeof page === "object" && page.events[0]!.data === large).toBe(true);
  });
});
