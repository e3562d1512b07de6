/**
 * Nodes that are started together find an engine without anything of theirs, and each makes what is missing: none of them fails.
 */
import { expect, onTestFinished, test, type TestContext } from "vitest";
import { natsStores } from "tenon/stores/nats";
import { assertStarted, startEngine } from "./engines.ts";

const [ROUNDS, NODES] = [20, 6];

test.for(["redis", "postgres", "nats"] as const)(
  "%s is used by nodes that are started together",
  async (name, context: TestContext) => {
    const engine = assertStarted(await startEngine(name), name, context);
    onTestFinished(() => engine.stop());
    for (let round = 0; round < ROUNDS; round++) {
      const nodes = Array.from({ length: NODES }, () => engine.stores(`together_${round}`));
      const ready = await Promise.allSettled(nodes.map((stores) => stores.ready()));
      expect(ready.filter(({ status }) => status === "rejected")).toEqual([]);
      await nodes[0]!.keyed.swap("one", undefined, { value: "value", ms: 600_000 });
      expect((await nodes.at(-1)!.keyed.read("one"))?.value).toBe("value");
      await Promise.all(nodes.map((stores) => stores.close()));
    }
  },
);

test("of nodes with different limits, started together, the first makes the streams of NATS, which all use", async (context) => {
  const engine = assertStarted(await startEngine("nats"), "nats", context);
  onTestFinished(() => engine.stop());
  for (let round = 0; round < ROUNDS; round++) {
    const options = { url: engine.url, prefix: `otherwise_${round}`, timeout: 60_000 };
    const nodes = Array.from({ length: NODES }, (_, node) => natsStores({ ...options, maxBytes: 2 ** 20 * (node + 1) }));
    await Promise.all(nodes.map((stores) => stores.ready()));
    await Promise.all(nodes.map((stores) => stores.close()));
  }
});
