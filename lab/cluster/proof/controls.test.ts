/**
 * Negative controls of the proof: the workload on three nodes in this process, whose stores have a defect. Each defect must break
 * its rule; without one no rule is broken. So a proof that passes has looked where the defect would show.
 */
import { expect, onTestFinished, test } from "vitest";
import type { Fetch } from "tenon/client";
import { createFetchHandler, type EventLog, type EventPage, type KeyedStore } from "tenon/server";
import { memoryStores } from "tenon/stores/memory";
import type { Stores } from "tenon/stores/redis";
import { check, type Rule } from "./checker.ts";
import type { Effect, History } from "./history.ts";
import { makeServer } from "./server.ts";
import { Workload } from "./workload.ts";

/** Operations of each client. */
const OPERATIONS = 10;

/** Longer than a busy machine needs for a call. */
const PATIENCE = 60_000;

/**
 * Runs the workload on nodes whose stores come from `storesOf`. `timeout`: milliseconds after which a call is lost, as it is by a
 * defect.
 */
async function run(storesOf: (node: number) => Stores, timeout = 3_000): Promise<History> {
  const effects: Effect[] = [];
  const handlers = [0, 1, 2].map((node) => {
    const stores = storesOf(node);
    const effect = (operation: string): void => void effects.push({ operation, node: String(node), at: performance.now() });
    const handler = createFetchHandler(makeServer({ effect, states: stores.states, work: 2 }), {
      stores,
      streams: { retry: 10 },
    });
    onTestFinished(() => handler.close());
    return handler;
  });
  let turn = 0;
  const fetch: Fetch = (url, init) => handlers[turn++ % handlers.length]!(new Request(url, init as RequestInit));
  const workload = new Workload({ url: "http://localhost/mcp", fetch, pause: 0, timeout });
  const clients = (["stateful", "stateful", "stateless"] as const).map((family) =>
    workload.run(family, (done) => done >= OPERATIONS),
  );
  await Promise.all(clients);
  return { operations: [...workload.operations.values()], effects, faults: [] };
}

test("without a defect no rule is broken, and every kind of operation succeeds at every node", async () => {
  const stores = memoryStores();
  const history = await run(() => stores, PATIENCE);
  expect(check(history, PATIENCE)).toEqual([]);
  const ok = history.operations.filter(({ outcome }) => outcome === "ok").map(({ kind, family }) => `${family} ${kind}`);
  const stateful = ["stateful ask", "stateful call", "stateful change", "stateful count", "stateful session"];
  expect([...new Set(ok)].sort()).toEqual([
    ...stateful,
    "stateless ask",
    "stateless call",
    "stateless change",
    "stateless count",
  ]);
  expect(new Set(history.effects.map(({ node }) => node)).size).toBe(3);
});

/** Stores with a defect, and the rule that it must break. */
const defects: readonly [string, Rule, (stores: Stores) => Stores][] = [
  [
    "a log that skips events when it is read",
    "order",
    (stores) => withEvents(stores, (events) => events.filter(({ number }, at) => number % 3 !== 0 || at === events.length - 1)),
  ],
  ["a log that keeps only the first events of a stream", "cause", forgetful],
  ["nodes that share no sessions", "result", () => memoryStores()],
  [
    "a bus that loses every message",
    "cause",
    (stores) => ({ ...stores, bus: delegate(stores.bus, { publish: () => undefined }) }),
  ],
  ["a counter and leases that give every node the same number", "cause", withOneNumber],
  ["a store that finds only every second entry", "session", sometimesBlind],
];

test.each(defects)("%s breaks the rule: %s", async (_name, rule, spoil) => {
  const stores = memoryStores();
  const history = await run(() => spoil(stores));
  expect(check(history).map((violation) => violation.rule)).toContain(rule);
});

function withEvents(stores: Stores, change: (events: EventPage["events"]) => EventPage["events"]): Stores {
  const { events } = stores;
  const read: EventLog["read"] = async (...args) => {
    const page = await events.read(...args);
    return typeof page === "string" ? page : { ...page, events: change(page.events) };
  };
  return { ...stores, events: delegate(events, { read }) };
}

function withKeyed(stores: Stores, change: Partial<KeyedStore>): Stores {
  return { ...stores, keyed: delegate(stores.keyed, change) };
}

function withOneNumber(stores: Stores): Stores {
  const { keyed } = stores;
  const swap: KeyedStore["swap"] = async (key, version, next) => {
    const isTaken = key.startsWith("node ") && version === undefined;
    return (isTaken ? (await keyed.read(key))?.version : undefined) ?? keyed.swap(key, version, next);
  };
  return withKeyed(stores, { next: (_counter, least) => least, swap });
}

function forgetful(stores: Stores): Stores {
  const { events } = stores;
  const append: EventLog["append"] = (at, given) => (given.first > 3 ? "kept" : events.append(at, given));
  return { ...stores, events: delegate(events, { append }) };
}

function sometimesBlind(stores: Stores): Stores {
  let reads = 0;
  return withKeyed(stores, { read: (key) => (++reads % 2 === 0 ? undefined : stores.keyed.read(key)) });
}

/** The same object with some methods replaced. */
function delegate<T extends object>(target: T, change: Partial<T>): T {
  return new Proxy(target, {
    get(object, name) {
      const member: unknown = Reflect.get(Object.hasOwn(change, name) ? change : object, name);
      return typeof member === "function" ? (member as () => unknown).bind(object) : member;
    },
  });
}
