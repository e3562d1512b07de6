/**
 * Three processes, one engine, no affinity: calls that ask, and tasks, go on at any node and after a node was killed (MCP
 * 2026-07-28).
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from "vitest";
import type { InputRequiredResult } from "tenon";
import { connect, type Client } from "tenon/client";
import { tasks } from "tenon/ext/tasks";
import { assertStarted, startEngine, type Engine } from "./engines.ts";
import { NodeProcesses } from "./node-processes.ts";

const REVISION = "2026-07-28";
const NO = { action: "decline" } as const;
const stateOf = (result: object): string => (result as InputRequiredResult).requestState!; // it asks
const ORDERS = Array.from({ length: 8 }, (_, index) => `order${index}`);

describe.each(["redis", "postgres", "nats"] as const)("%s", (name) => {
  let engine: Engine | undefined;
  let spaces = 0;
  beforeAll(async () => void (engine = await startEngine(name)));
  afterAll(() => engine?.stop());

  async function started(context: TestContext): Promise<{ nodes: NodeProcesses; client: Client }> {
    const nodes = await NodeProcesses.start(assertStarted(engine, name, context), `nodes_${++spaces}`);
    const client = await connect(
      { url: nodes.url, fetch: nodes.fetch },
      {
        revision: REVISION,
        extensions: [tasks()],
        onElicit: ({ message }) => ({
          action: "accept",
          content: message === "Your name?" ? { name: "Ada" } : { confirm: true },
        }),
      },
    );
    onTestFinished(() => client.close());
    return { nodes, client };
  }

  test("each round of a call may come to another node, and each step runs once", async (context) => {
    const { nodes, client } = await started(context);
    const results = await Promise.all(ORDERS.map((order) => client.callTool("charge", { order })));
    expect(results.map(({ text }) => text)).toEqual(ORDERS.map((order) => `${order} for Ada`));
    expect([...nodes.effects].sort()).toEqual(ORDERS.map((order) => `charge ${order}`));
    expect(nodes.busyNodes).toBeGreaterThan(1);
  });

  test("a client whose response was lost sends the round again; another node has it and repeats no step", async (context) => {
    const { nodes } = await started(context);
    const client = await connect(
      { url: nodes.url, fetch: nodes.fetch },
      { revision: REVISION, limits: { maxRounds: 0 }, onElicit: () => NO },
    );
    onTestFinished(() => client.close());
    const call = { name: "charge", arguments: { order: "book" } };
    const asked = await client.request("tools/call", call);
    const answers = {
      ...call,
      requestState: stateOf(asked),
      inputResponses: { sure: { action: "accept", content: { confirm: true } } },
    };
    const responses = [];
    // each to the next node
    for (let node = 0; node < 3; node++) responses.push(await client.request("tools/call", answers as typeof call));
    expect(stateOf(responses[0]!)).not.toBe(stateOf(asked));
    expect(responses).toEqual([responses[0], responses[0], responses[0]]);
    expect(nodes.effects).toEqual(["charge book"]);
  });

  test("a task goes on at another node after its node was killed, and repeats no step that had ended", async (context) => {
    const { nodes, client } = await started(context);
    const running = client.callTool("build", { order: "house" });
    await expect.poll(() => nodes.effects, { timeout: 60_000 }).toContain("begin house c");
    await nodes.killBusiest();
    expect((await running).text).toBe("house built");
    const count = (what: string): number => nodes.effects.filter((effect) => effect === what).length;
    for (const part of ["a", "b", "c", "d", "e"]) expect([part, count(`end house ${part}`)]).toEqual([part, 1]);
    expect(count("begin house c")).toBeLessThanOrEqual(2);
    expect(nodes.busyNodes).toBe(2);
  });

  test("a task that was accepted is there after the engine was killed, and goes on", async (context) => {
    const { nodes, client } = await started(context);
    let taskId = "";
    const waiting = client
      .callTool("build", { order: "tower" }, { onTask: (task) => void (taskId = task.taskId) })
      .catch(() => undefined);
    await expect.poll(() => nodes.effects, { timeout: 60_000 }).toContain("end tower a");
    await engine!.kill();
    await engine!.restart();
    await waiting; // it may fail while the engine is away
    const status = async (): Promise<string> => {
      const task = await client
        .task(taskId)
        .get()
        .catch((error: Error) => ({ status: error.message }));
      return task.status;
    };
    await expect.poll(status, { timeout: 60_000 }).toBe("completed");
    expect((await client.task(taskId).result()).text).toBe("tower built");
  });
});
