/** Three processes and one engine behind a client that asks them in turn: sessions of the stateful revisions need no affinity. */
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from "vitest";
import { connect, type Client, type ConnectOptions } from "tenon/client";
import { BOTH, mirrored, statelessBody } from "../http/support.ts";
import { assertStarted, startEngine, type Engine } from "../stores/engines.ts";
import { NodeProcesses } from "../stores/node-processes.ts";

/** A call of 2026-07-28, which needs no store. */
const STATELESS_CALL = {
  method: "POST",
  headers: { accept: BOTH, "content-type": "application/json", ...mirrored("tools/call", { name: "effect" }) },
  body: JSON.stringify(statelessBody("tools/call", { name: "effect", arguments: {} })),
};

const PROGRAM = fileURLToPath(new URL("fixtures/node.mjs", import.meta.url));

describe.each(["redis", "postgres", "nats"] as const)("%s", (name) => {
  let engine: Engine | undefined;
  let spaces = 0;
  beforeAll(async () => void (engine = await startEngine(name)));
  afterAll(() => engine?.stop());

  async function started(context: TestContext, options: ConnectOptions = {}): Promise<{ nodes: NodeProcesses; client: Client }> {
    const nodes = await NodeProcesses.start(assertStarted(engine, name, context), `cluster_${++spaces}`, { program: PROGRAM });
    const client = await connect({ url: nodes.url, fetch: nodes.fetch }, { revision: "2025-11-25", ...options });
    onTestFinished(() => client.close());
    return { nodes, client };
  }

  test("each question of a call is answered at whichever node the client reaches", async (context) => {
    const { nodes, client } = await started(context, { onElicit: () => ({ action: "accept", content: { name: "Ada" } }) });
    const results = await Promise.all(Array.from({ length: 12 }, () => client.callTool("greet")));
    expect(results.map(({ text }) => text)).toEqual(Array<string>(12).fill("Hello Ada"));
    expect(nodes.busyNodes).toBeGreaterThan(1);
  });

  test("progress arrives in order and once", async (context) => {
    const { client } = await started(context);
    const seen: number[] = [];
    expect((await client.callTool("steps", {}, { onProgress: ({ progress }) => seen.push(progress) })).text).toBe("done");
    expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  test("a call whose node was killed ends with an error that says so; the session goes on [X2]", async (context) => {
    const { nodes, client } = await started(context);
    const calling = client.callTool("hang", {}, { onProgress: () => undefined });
    calling.catch(() => undefined);
    await expect.poll(() => nodes.effects, { timeout: 60_000 }).toContain("hang");
    await nodes.killBusiest();
    await expect(calling).rejects.toMatchObject({
      code: -32603,
      data: { reason: "nodeLost", delivery: "unknown", repeatable: false },
    });
    expect(nodes.effects).toEqual(["hang"]);
    expect((await client.callTool("steps")).text).toBe("done");
  });

  test("a repeatable call whose node was killed runs again at another, and has one result [X2]", async (context) => {
    const { nodes, client } = await started(context);
    const seen: number[] = [];
    const calling = client.callTool("hangOnce", {}, { onProgress: ({ progress }) => seen.push(progress) });
    calling.catch(() => undefined);
    await expect.poll(() => seen, { timeout: 60_000 }).toEqual([1, 2]);
    await nodes.killBusiest();
    expect((await calling).text).toBe("run 2");
    expect(seen).toEqual([1, 2]);
    expect(nodes.effects).toEqual(["hangOnce", "hangOnce"]);
  });

  test("a process that was stopped and goes on writes nothing, and runs nothing that lay in its socket [X3]", async (context) => {
    const { nodes, client } = await started(context);
    const seen: number[] = [];
    const calling = client.callTool("tell", {}, { onProgress: ({ progress }) => seen.push(progress) });
    calling.catch(() => undefined);
    await expect.poll(() => seen.length, { timeout: 60_000 }).toBeGreaterThan(2);
    const stopped = nodes.pauseBusiest();
    const lying = fetch(stopped.url, STATELESS_CALL);
    await expect(calling).rejects.toMatchObject({ data: { reason: "nodeLost" } });
    const told = seen.length;
    stopped.goOn();
    const refused = await lying;
    expect([refused.status, await refused.json()]).toMatchObject([
      503,
      {
        error: {
          message: "This process stood still, and serves again in a moment",
          data: { reason: "stoodStill", delivery: "not-sent" },
        },
      },
    ]);
    await expect.poll(() => nodes.effects, { timeout: 60_000 }).toEqual(["tell", "aborted"]);
    expect(seen).toHaveLength(told);
    await expect.poll(async () => (await fetch(stopped.url, STATELESS_CALL)).status, { timeout: 60_000 }).toBe(200);
  });

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
