/** Three processes and one engine behind a client that asks them in turn: sessions of the stateful revisions need no affinity. */
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from "vitest";
import { connect, type Client, type ConnectOptions } from "tenon/client";
import { assertStarted, startEngine, type Engine } from "../stores/engines.ts";
import { Fleet } from "../stores/fleet.ts";

const PROGRAM = fileURLToPath(new URL("fixtures/node.mjs", import.meta.url));

describe.each(["redis", "postgres", "nats"] as const)("%s", (name) => {
  let engine: Engine | undefined;
  let spaces = 0;
  beforeAll(async () => void (engine = await startEngine(name)));
  afterAll(() => engine?.stop());

  async function started(context: TestContext, options: ConnectOptions = {}): Promise<{ fleet: Fleet; client: Client }> {
    const fleet = await Fleet.start(assertStarted(engine, name, context), `cluster_${++spaces}`, { program: PROGRAM });
    const client = await connect({ url: fleet.url, fetch: fleet.fetch }, { revision: "2025-11-25", ...options });
    onTestFinished(() => client.close());
    return { fleet, client };
  }

  test("each question of a call is answered at whichever node the client reaches", async (context) => {
    const { fleet, client } = await started(context, { onElicit: () => ({ action: "accept", content: { name: "Ada" } }) });
    const results = await Promise.all(Array.from({ length: 12 }, () => client.callTool("greet")));
    expect(results.map(({ text }) => text)).toEqual(Array<string>(12).fill("Hello Ada"));
    expect(fleet.busyNodes).toBeGreaterThan(1);
  });

  test("progress arrives in order and once", async (context) => {
    const { client } = await started(context);
    const seen: number[] = [];
    expect((await client.callTool("steps", {}, { onProgress: ({ progress }) => seen.push(progress) })).text).toBe("done");
    expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  test.for(["hang", "hangAgain"])(
    "a call of %s whose node was killed ends with an error that says so; the session goes on [X2]",
    async (tool, context) => {
      const { fleet, client } = await started(context);
      const calling = client.callTool(tool, {}, { onProgress: () => undefined });
      calling.catch(() => undefined);
      await expect.poll(() => fleet.effects).toContain(tool);
      await fleet.killBusiest();
      await expect(calling).rejects.toMatchObject({
        code: -32603,
        data: { reason: "nodeLost", delivery: "unknown", repeatable: tool === "hangAgain" },
      });
      expect(fleet.effects).toEqual([tool]);
      expect((await client.callTool("steps")).text).toBe("done");
    },
  );

  test("a change at any node reaches the client", async (context) => {
    const { client } = await started(context);
    const changes = await client.listen({ tools: true });
    const next = changes[Symbol.asyncIterator]();
    for (let count = 1; count <= 3; count++) {
      await client.callTool("change");
      expect(await next.next()).toMatchObject({ value: { kind: "tools" } });
    }
  });
});
