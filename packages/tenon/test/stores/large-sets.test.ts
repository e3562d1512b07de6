/** Sets of a keyed store that may have more members than one entry of an engine should hold, such as `sessions.max`. */
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from "vitest";
import type { KeyedStore } from "tenon/server";
import { assertStarted, ENGINES, startEngine, type Engine } from "./engines.ts";

const LONG = 600_000;
/** Members that join at once. */
const AT_ONCE = 64;
/** The part of its members that a set takes before it may refuse one: NATS counts large sets in parts. */
const NEARLY = 0.75;

describe.each(ENGINES)("%s", (name) => {
  let engine: Engine | undefined;
  let spaces = 0;
  beforeAll(async () => void (engine = await startEngine(name)));
  afterAll(() => engine?.stop());

  function nodesOf(context: TestContext): readonly [KeyedStore, KeyedStore] {
    const space = `large_${++spaces}`;
    const made = [0, 0].map(() => assertStarted(engine, name, context).stores(space));
    onTestFinished(async () => void (await Promise.all(made.map((one) => one.close()))));
    return [made[0]!.keyed, made[1]!.keyed];
  }

  test("a large set never has more members than it may have, and is nearly full before it refuses one", async (context) => {
    const [max, nodes] = [600, nodesOf(context)];
    const joined = await inParts(2 * max, (index) => nodes[index % 2]!.join("set", `m${index}`, { ms: LONG, max }));
    expect(joined.filter((success) => success).length).toBeLessThanOrEqual(max);
    expect(joined.filter((success) => success).length).toBeGreaterThan(0.97 * max);
    expect(joined.indexOf(false)).toBeGreaterThan(NEARLY * max - AT_ONCE);
  });

  test("a member of a large set that is full is renewed, and its place is free when it has left", async (context) => {
    const [max, [here, there]] = [600, nodesOf(context)];
    const joined = await inParts(2 * max, (index) => here.join("set", `m${index}`, { ms: LONG, max }));
    const members = joined.flatMap((success, index) => (success ? [`m${index}`] : []));
    const renewed = await inParts(members.length, (index) => there.join("set", members[index]!, { ms: LONG, max }));
    expect(renewed).toEqual(members.map(() => true));
    const refused = joined.flatMap((success, index) => (success ? [] : [`m${index}`]));
    await inParts(members.length, (index) => there.leave("set", members[index]!));
    const anew = await inParts(max, (index) => here.join("set", refused[index] ?? `new ${index}`, { ms: LONG, max }));
    expect(anew.filter((success) => success).length).toBeGreaterThan(NEARLY * max);
  });
});

test("nats finds a member that leaves, into however many parts the set was split when it joined", async (context) => {
  const engine = assertStarted(await startEngine("nats"), "nats", context);
  onTestFinished(() => engine.stop());
  const stores = engine.stores("parts");
  onTestFinished(() => stores.close());
  const { keyed } = stores;
  const sizes = [10, 600, 20_000, 100_000, 1_000_000, 10_000_000];
  for (const max of sizes) expect(await keyed.join("set", "member", { ms: LONG, max })).toBe(true);
  expect((await setsIn(engine, "parts")).filter((text) => text !== "{}")).toHaveLength(sizes.length);
  for (const _ of sizes) await keyed.leave("set", "member");
  expect((await setsIn(engine, "parts")).filter((text) => text !== "{}")).toEqual([]);
});

/** The entries in which NATS keeps the members of sets. */
async function setsIn({ url }: Engine, space: string): Promise<string[]> {
  const connection = await connect({ servers: url });
  onTestFinished(() => connection.close());
  const { streams } = await jetstreamManager(connection);
  const { state } = await streams.info(`${space}-keyed`, { subjects_filter: `${space}.keyed.m.>` });
  const messages = Object.keys(state.subjects!).map((subject) => streams.getMessage(`${space}-keyed`, { last_by_subj: subject }));
  return (await Promise.all(messages)).map((message) => message!.string());
}

/** Calls `work` with each index, some at once. Its results in order. */
async function inParts<T>(count: number, work: (index: number) => T | Promise<T>): Promise<T[]> {
  const results: T[] = [];
  while (results.length < count) {
    const part = Array.from({ length: Math.min(AT_ONCE, count - results.length) }, (_, index) => results.length + index);
    results.push(...(await Promise.all(part.map(work))));
  }
  return results;
}
