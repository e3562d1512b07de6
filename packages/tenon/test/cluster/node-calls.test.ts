/** Messages between nodes that are repeated, and nodes that are silent or dead: on a virtual clock and a bus in this process. */
import { expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "tenon";
import { memoryStores, type Stores } from "tenon/stores/memory";
import { NodeCalls, type TakeMessage } from "../../src/cluster/node-calls.ts";
import { ClusterNode } from "../../src/cluster/node.ts";
import { TakenRounds } from "../../src/cluster/taken-rounds.ts";
import { deferred } from "../support/gate.ts";
import { turn, VirtualClock } from "../support/virtual-clock.ts";

const reported = (error: unknown): never => {
  throw error;
};

interface Started {
  readonly node: ClusterNode;
  readonly calls: NodeCalls;
}

/** A node on these stores, which takes messages of the kind "say". */
async function nodeOf({ bus, keyed }: Stores, clock: VirtualClock, say: TakeMessage = () => undefined): Promise<Started> {
  const node = await ClusterNode.start({ keyed, clock, report: reported });
  const calls = new NodeCalls({ node, bus, keyed, clock, report: reported }, { say });
  await calls.start();
  onTestFinished(() => calls.stop());
  return { node, calls };
}

test("a message that arrives twice is taken once, whether its sender waits or not, and acknowledged each time", async () => {
  const clock = new VirtualClock();
  const stores = memoryStores({ clock });
  const heard: JsonObject[] = [];
  const here = await nodeOf(stores, clock, (body) => (heard.push(body), true));
  const sent: string[] = [];
  await stores.bus.subscribe("n.7", (text) => sent.push(text));
  const topic = `n.${here.node.number}`;
  const told = JSON.stringify({ id: "m1", kind: "say", body: { text: "told" } });
  const asked = JSON.stringify({ id: "m2", kind: "say", from: 7, body: { text: "asked" } });
  for (const text of [told, asked, told, asked]) {
    await stores.bus.publish(topic, text);
    await turn();
  }
  expect(heard).toEqual([{ text: "told" }, { text: "asked" }]);
  const taken = { id: "m2", kind: "taken", body: { taken: true } };
  expect(sent.map((text) => JSON.parse(text) as unknown)).toEqual([taken, taken]);
});

test("a node that is dead is asked once, and the answer is no after a quarter of a second", async () => {
  const clock = new VirtualClock();
  const stores = memoryStores({ clock });
  const { calls } = await nodeOf(stores, clock);
  const dead = 4_000_000_000;
  const attempts: string[] = [];
  await stores.bus.subscribe(`n.${dead}`, (text) => attempts.push(text));
  let outcome: boolean | undefined;
  void calls.ask(dead, "say", {}).then((taken) => (outcome = taken));
  await clock.advance(249);
  expect(outcome).toBeUndefined();
  await clock.advance(1);
  expect([outcome, attempts.length]).toEqual([false, 1]);
});

test("a node that lives and is silent is asked twelve times with one id, and the answer is no", async () => {
  const clock = new VirtualClock();
  const stores = memoryStores({ clock });
  const { calls } = await nodeOf(stores, clock);
  const silent = await ClusterNode.start({ keyed: stores.keyed, clock, report: reported });
  const ids: unknown[] = [];
  await stores.bus.subscribe(`n.${silent.number}`, (text) => ids.push((JSON.parse(text) as JsonObject)["id"]));
  let outcome: boolean | undefined;
  void calls.ask(silent.number, "say", {}).then((taken) => (outcome = taken));
  await clock.advance(2_999);
  expect(outcome).toBeUndefined();
  await clock.advance(1);
  expect([outcome, ids.length, new Set(ids).size]).toEqual([false, 12, 1]);
});

test("a round whose node is silent for thirty seconds is cancelled, and not while the node says that it waits", async () => {
  const clock = new VirtualClock();
  const { calls } = await nodeOf(memoryStores({ clock }), clock);
  const signals: AbortSignal[] = [];
  const { promise, resolve } = deferred<JsonObject>();
  onTestFinished(() => resolve({}));
  const rounds = new TakenRounds({
    calls,
    clock,
    report: reported,
    begin: (_round, { signal }) => (signals.push(signal), promise),
  });
  expect(rounds.take({ exchange: "e1", from: 7 })).toBe(true);
  await clock.advance(20_000);
  expect(rounds.waits({ exchange: "e1" })).toBe(true);
  await clock.advance(29_999);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  await clock.advance(1);
  expect(signals.map(({ reason }) => String(reason))).toEqual(["Error: The node of the client is gone"]);
  expect(rounds.waits({ exchange: "e1" })).toBe(false);
});
