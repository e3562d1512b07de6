/** A store that fails: what the handler, its caller and the operator see, and what works again when the store does. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { connect, McpError, type McpServer, type JsonObject } from "tenon";
import { MemoryTaskStore, tasks, type TaskStore } from "tenon/ext/tasks";
import type { FailureReport } from "tenon/server";
import { VirtualClock } from "tenon/testing";
import { failureOf } from "../../support/failure-of.ts";
import { closing, describeMatrix } from "../../support/matrix.ts";
import { begin, declaring, form, get, idOf, reached } from "./support.ts";
import { testServer } from "../../support/test-server.ts";

/** A store that calls `fail` before each operation of one kind; an error that `fail` throws is the store's. */
function failing(name: keyof TaskStore, fail: () => void): TaskStore {
  const store = new MemoryTaskStore();
  return new Proxy<TaskStore>(store, {
    get: (target, key) => {
      const operation = (target[key as keyof TaskStore] as ((...args: unknown[]) => unknown) | undefined)?.bind(target);
      return key === name ? (...args: unknown[]) => (fail(), operation!(...args)) : operation;
    },
  });
}

interface Reported {
  readonly error: unknown;
  readonly report: FailureReport;
}

function serverWith(store: TaskStore, clock?: VirtualClock): { server: McpServer; reported: Reported[] } {
  const reported: Reported[] = [];
  const onError = (error: unknown, report: FailureReport): void => void reported.push({ error, report });
  const extensions = [tasks({ store, lease: 30_000 })];
  const server = testServer({ onError, extensions, ...(clock && { clock }) });
  onTestFinished(() => server.close());
  return { server, reported };
}

describe("A store that is away", () => {
  const away = new McpError(-32603, "The store is not available", { reason: "storeUnavailable" });

  it("the step waits for its return, longer after each attempt, and has run once", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0); // no part of a wait is taken off
    const clock = new VirtualClock();
    const attempts: number[] = [];
    let isAway = false;
    const store = failing("replace", () => {
      if (!isAway) return;
      attempts.push(clock.now());
      throw away;
    });
    const { server, reported } = serverWith(store, clock);
    let payments = 0;
    server.tool(
      "pay",
      { task: true },
      async (_input, ctx) => `paid ${await ctx.step("paid", () => ((isAway = true), ++payments))}`,
    );
    const client = await closing(connect(server, declaring({ revision: "2026-07-28" })));
    const taskId = idOf(await begin(client, "pay"));
    await expect.poll(() => attempts).toEqual([0]); // what a step needs is loaded in real time
    await clock.advance(8_000);
    expect(attempts).toEqual([0, 100, 300, 700, 1_500, 3_100, 5_100, 7_100]);
    expect(await get(client, taskId)).toMatchObject({ status: "working" });
    isAway = false;
    await clock.advance(2_000);
    expect(await get(client, taskId)).toMatchObject({ status: "completed", result: { content: [{ text: "paid 1" }] } });
    expect([payments, reported]).toEqual([1, []]);
  });

  it("a task that ends meanwhile keeps its result until the store takes it, and has run once", async () => {
    const clock = new VirtualClock();
    let isAway = false;
    let attempts = 0;
    const store = failing("replace", () => {
      if (!isAway) return;
      attempts++;
      throw away;
    });
    const { server, reported } = serverWith(store, clock);
    let runs = 0;
    server.tool("job", { task: { restart: true } }, () => ((isAway = true), `run ${++runs}`));
    const client = await closing(connect(server, declaring({ revision: "2026-07-28" })));
    const taskId = idOf(await begin(client, "job"));
    await expect.poll(() => attempts).toBe(1); // as above
    await clock.advance(90_000); // three leases
    isAway = false;
    await clock.advance(2_000);
    expect(await get(client, taskId)).toMatchObject({ status: "completed", result: { content: [{ text: "run 1" }] } });
    expect([runs, reported]).toEqual([1, []]);
  });

  it("a task that expires meanwhile waits no longer", async () => {
    const clock = new VirtualClock();
    let isAway = false;
    let attempts = 0;
    const store = failing("replace", () => {
      if (!isAway) return;
      attempts++;
      throw away;
    });
    const { server } = serverWith(store, clock);
    let failure: unknown;
    server.tool("job", { task: { ttl: 1_000 } }, async (_input, ctx) => {
      failure = await failureOf(ctx.step("a", () => ((isAway = true), 1)));
    });
    const client = await closing(connect(server, declaring({ revision: "2026-07-28" })));
    await begin(client, "job");
    await expect.poll(() => attempts).toBe(1); // as above
    await clock.advance(1_000);
    expect(failure).toMatchObject({ message: "The task has expired" });
    const before = attempts;
    await clock.advance(60_000);
    expect(attempts).toBe(before);
  });
});

describe("A store that fails", () => {
  it("the step fails at once, and neither the handler's caller nor the task shows why", async () => {
    let armed = false;
    const store = failing("replace", () => {
      if (!armed) return;
      armed = false;
      throw new Error("disk /var/secret is full");
    });
    const { server, reported } = serverWith(store);
    server.tool("job", { task: true }, async (_input, ctx) => ctx.step("a", () => ((armed = true), "done")));
    const client = await closing(connect(server, declaring({ revision: "2026-07-28" })));
    const task = await reached(client, idOf(await begin(client, "job")), "completed");
    expect(task).toMatchObject({ result: { isError: true } });
    expect(JSON.stringify(task)).not.toContain("secret");
    expect(reported).toMatchObject([
      { error: { message: "disk /var/secret is full" }, report: { method: "tools/call", tool: "job" } },
    ]);
  });

  it("in a sweep is reported as a failure of tasks, and the next sweep comes all the same", async () => {
    const clock = new VirtualClock();
    let sweeps = 0;
    const store = failing("abandoned", () => {
      if (++sweeps < 3) throw new Error("ECONNRESET");
    });
    const { server, reported } = serverWith(store, clock);
    server.tool("job", { task: true }, () => new Promise<string>(() => undefined));
    const client = await closing(connect(server, declaring({ revision: "2026-07-28" })));
    await begin(client, "job");
    await clock.advance(30_000);
    expect(sweeps).toBe(3);
    const one = { error: { message: "ECONNRESET" }, report: { method: "tasks" } };
    expect(reported).toMatchObject([one, one]);
  });
});

describeMatrix(
  "A store that fails to take an answer",
  ({ connect }) => {
    it("the question fails with an id, under which the operator finds the store's error", async () => {
      let armed = false;
      const store = failing("replace", () => {
        if (!armed) return;
        armed = false;
        throw new Error("ECONNRESET postgres://secret");
      });
      const { server, reported } = serverWith(store);
      server.tool("job", { task: true }, async (_input, ctx) => {
        const error = (await failureOf(ctx.elicit("a", { message: "A?", schema: form("x", "string") }))) as McpError;
        return JSON.stringify(error.toErrorData());
      });
      const onElicit = (): { action: "decline" } => ((armed = true), { action: "decline" });
      const client = await connect(server, { extensions: [tasks()], onElicit });
      const failure = JSON.parse((await client.callTool("job")).text) as { data: JsonObject };
      expect(failure).toMatchObject({
        code: -32603,
        message: "Internal error",
        data: { errorId: expect.stringMatching(/^\w{8}$/) },
      });
      const report = { method: "tasks/result", errorId: failure.data["errorId"] };
      expect(reported).toMatchObject([{ error: { message: "ECONNRESET postgres://secret" }, report }]);
    });
  },
  ["2025-11-25"],
);
