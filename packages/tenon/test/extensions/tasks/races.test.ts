/**
 * Who comes first counts: cancels against results, answers against the end of a task's time, one process against another.
 * The store answers in whatever order fast-check likes, as one that other processes share would.
 */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import fc from "fast-check";
import { connect, McpServer, type Client, type JsonObject, type McpError } from "tenon";
import { MemoryTaskStore, tasks, type TaskStore } from "tenon/ext/tasks";
import { VirtualClock } from "tenon/testing";
import { failureOf } from "../../support/failure-of.ts";
import { closing, describeInProcess } from "../../support/matrix.ts";
import { turn } from "../../support/virtual-clock.ts";
import { begin, declaring, form, FORMS, get, idOf, taskServer } from "./support.ts";
import { gate } from "../../support/gate.ts";

/** A store whose every operation waits for its turn. */
function scheduled(scheduler: fc.Scheduler, store: TaskStore): TaskStore {
  const after = async <T>(name: string, work: () => T): Promise<Awaited<T>> => {
    await scheduler.schedule(Promise.resolve(), name);
    return await work();
  };
  return {
    insert: (...args) => after("insert", () => store.insert(...args)),
    get: (...args) => after("get", () => store.get(...args)),
    replace: (...args) => after("replace", () => store.replace(...args)),
    lease: (...args) => after("lease", () => store.lease(...args)),
    release: (...args) => after("release", () => store.release(...args)),
    abandoned: (...args) => after("abandoned", () => store.abandoned(...args)),
    list: (...args) => after("list", () => store.list(...args)),
    forget: (...args) => after("forget", () => store.forget(...args)),
    subscribe: (listener) => store.subscribe(listener),
  };
}

const ENDS = ["completed", "failed", "cancelled"];

describe.each(FORMS)("Races in %s", (revision) => {
  const stateless = revision === "2026-07-28";

  it("a cancel and a result: the first is final, and every client sees the same [N5 N6 requirement O9]", async () => {
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.nat({ max: 3 }), async (scheduler, head) => {
        const store = new MemoryTaskStore();
        const { server } = taskServer({ store: scheduled(scheduler, store) });
        const { opened, open } = gate();
        server.tool("job", { task: true }, async () => (await opened, "done"));
        const client = await connect(server, declaring({ revision }));
        const taskId = idOf(await scheduler.waitFor(begin(client, "job")));
        open();
        for (let turns = 0; turns < head; turns++) await turn();
        const asked = ["tasks/cancel", "tasks/get", "tasks/cancel", "tasks/get"].map((method) =>
          client.request(method, { taskId }),
        );
        const answers = await scheduler.waitFor(Promise.allSettled(asked));
        await scheduler.waitFor(turn());
        const last = await scheduler.waitFor(get(client, taskId));
        expect(ENDS).toContain(last["status"]);
        outcomes.add(String(last["status"]));
        // Once it has ended nothing else is seen any more, and no cancel that was taken is forgotten.
        if (!stateless) {
          const cancels = [answers[0]!, answers[2]!].filter(({ status }) => status === "fulfilled");
          expect(cancels.length).toBe(last["status"] === "cancelled" ? 1 : 0);
        }
        if (stateless && last["status"] === "completed") expect(last["result"]).toMatchObject({ content: [{ text: "done" }] });
        if (last["status"] === "cancelled") expect(JSON.stringify(last)).not.toContain("done");
        await client.close();
        expect(store.get(taskId)).toMatchObject({ status: last["status"] });
      }),
      { numRuns: 60 },
    );
    expect([...outcomes].sort()).toEqual(["cancelled", "completed"]);
  });

  it("answers, cancels and the handler at once: no answer is lost, none counts twice [N5 requirement O8]", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const { server } = taskServer({ store: scheduled(scheduler, new MemoryTaskStore()) });
        const questions = ["a", "b", "c"];
        server.tool("job", { task: true }, async (_input, ctx) => {
          const answers = await Promise.all(
            questions.map((name) => ctx.elicit(name, { message: name, schema: form("x", "string") })),
          );
          return answers.map(({ content }) => content?.["x"]).join("");
        });
        let asked = 0;
        const client = await connect(server, {
          revision,
          extensions: [tasks()],
          onElicit: ({ message }) => {
            asked++;
            return { action: "accept", content: { x: message } };
          },
        });
        const { text } = await scheduler.waitFor(client.callTool("job"));
        expect(text).toBe("abc");
        expect(asked).toBe(3);
        await client.close();
      }),
      { numRuns: 30 },
    );
  });
});

describeInProcess(
  "The time of a task",
  ({ connect, stateless }) => {
    it("a task exists until it expires; then it is unknown, and its handler is aborted [N4 N10]", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 120_000 }),
          fc.array(fc.integer({ min: 1, max: 60_000 }), { maxLength: 6 }),
          async (ttl, steps) => {
            const clock = new VirtualClock();
            const { server } = taskServer({ ttl }, { clock });
            let aborted = "";
            server.tool("job", { task: true }, async (_input, ctx) => {
              ctx.signal.addEventListener("abort", () => (aborted = (ctx.signal.reason as McpError).message));
              const { action } = await ctx.elicit("a", { message: "A?", schema: form("x", "string") });
              return action;
            });
            const client = await connect(server, declaring({ onElicit: () => ({ action: "decline" }), timeout: Infinity }));
            const taskId = idOf(await begin(client, "job"));
            // The first question of a process loads what asks.
            await vi.waitFor(async () => expect(await get(client, taskId)).toMatchObject({ status: "input_required" }));
            let now = 0;
            for (const step of [...steps, ttl - 1 - steps.reduce((sum, ms) => sum + ms, 0)].filter((ms) => ms > 0)) {
              await clock.advance(step);
              now += step;
              const look = get(client, taskId);
              if (now < ttl) expect(await look).toMatchObject({ status: "input_required" });
              else expect((await failureOf(look)).message).toBe(`Task not found: ${taskId}`);
            }
            await clock.advance(ttl);
            expect(aborted).toBe("The task has expired");
            const late = stateless
              ? client.request("tasks/update", { taskId, inputResponses: {} })
              : client.request("tasks/result", { taskId });
            expect((await failureOf(late)).message).toBe(`Task not found: ${taskId}`);
            await client.close();
          },
        ),
        { numRuns: 15 },
      );
    });
  },
  [...FORMS],
);

/** A server of one process: its clock stands still where the process does. */
interface Process {
  readonly server: McpServer;
  readonly clock: VirtualClock;
  readonly client: Client;
  /** What its handlers did, and what was reported. */
  readonly log: string[];
  readonly finish: () => void;
}

async function startProcess(store: TaskStore, restart: boolean, log: string[]): Promise<Process> {
  const clock = new VirtualClock();
  const server = new McpServer(
    { name: "s", version: "1" },
    { clock, onError: (error) => void log.push(String(error)), extensions: [tasks({ store, lease: 30_000 })] },
  );
  const { opened, open } = gate();
  server.tool("job", { task: { restart } }, async (_input, ctx) => {
    log.push("runs");
    const step = await ctx.step("once", () => log.push("step"));
    const { action } = await ctx.elicit("sure", { message: "Sure?", schema: form("x", "string") });
    log.push(`answered ${action}`);
    await opened;
    return `${step} ${action} ${String(ctx.principal)}`;
  });
  server.use((next) => (context) => ((context.principal = "ada"), next(context)));
  const client = await closing(connect(server, declaring({ revision: "2026-07-28", onElicit: () => ({ action: "decline" }) })));
  onTestFinished(() => server.close());
  return { server, clock, client, log, finish: open };
}

/**
 * Waits until the first job of each process has run its step: what it needs is loaded in real time, which the clocks do not see.
 */
async function haveAsked(...processes: readonly Process[]): Promise<void> {
  for (const { log } of processes) await expect.poll(() => log).toEqual(["runs", "step"]);
  await turn();
}

describe("Several processes", () => {
  const answer = (client: Client, taskId: string): Promise<JsonObject> =>
    client.request("tasks/update", { taskId, inputResponses: { sure: { action: "decline" } } });

  it("a task whose process is gone is run again where its tool allows that: steps and answers are not repeated", async () => {
    const store = new MemoryTaskStore();
    const [first, second] = [await startProcess(store, true, []), await startProcess(store, true, [])];
    const taskId = idOf(await begin(first.client, "job"));
    await expect.poll(async () => (await get(second.client, taskId))["status"]).toBe("input_required");
    await answer(second.client, taskId);
    await expect.poll(() => first.log).toEqual(["runs", "step", "answered decline"]);
    // The second process has had something to do, so it keeps house; the first one stands still.
    await begin(second.client, "job");
    await second.clock.advance(29_000);
    expect(second.log).toEqual(["runs", "step"]);
    await second.clock.advance(11_000);
    expect(second.log.slice(2)).toEqual(["runs", "answered decline"]);
    // The first process was only slow. Its later changes are ignored.
    first.finish();
    await turn();
    expect(await get(second.client, taskId)).toMatchObject({ status: "working" });
    second.finish();
    await expect
      .poll(() => get(first.client, taskId))
      .toMatchObject({ status: "completed", result: { content: [{ text: "2 decline ada" }] } });
  });

  it("if its tool does not allow that, the task has failed", async () => {
    const store = new MemoryTaskStore();
    const [first, second] = [await startProcess(store, false, []), await startProcess(store, false, [])];
    const taskId = idOf(await begin(first.client, "job"));
    await begin(second.client, "job");
    await haveAsked(first, second);
    await second.clock.advance(41_000);
    const gone = { status: "failed", error: { code: -32603, message: "The process that ran the task is gone" } };
    expect(await get(second.client, taskId)).toMatchObject(gone);
    expect(second.log).toEqual(["runs", "step", expect.stringContaining("has failed: The process that ran the task is gone")]);
    first.finish();
    await turn();
    expect(await get(first.client, taskId)).toMatchObject(gone);
  });

  it("a process that lives keeps its tasks, however long they take", async () => {
    const store = new MemoryTaskStore();
    const [first, second] = [await startProcess(store, true, []), await startProcess(store, true, [])];
    const taskId = idOf(await begin(first.client, "job"));
    await begin(second.client, "job");
    await haveAsked(first, second);
    for (let minutes = 0; minutes < 10; minutes++) {
      for (let tenths = 0; tenths < 6; tenths++) await Promise.all([first.clock.advance(10_000), second.clock.advance(10_000)]);
    }
    expect(first.log).toEqual(["runs", "step"]);
    expect(second.log).toEqual(["runs", "step"]);
    await answer(second.client, taskId);
    first.finish();
    await expect.poll(() => get(second.client, taskId)).toMatchObject({ status: "completed" });
  });

  it("a cancel in one process reaches the handler in another", async () => {
    const store = new MemoryTaskStore();
    const [first, second] = [await startProcess(store, true, []), await startProcess(store, true, [])];
    const taskId = idOf(await begin(first.client, "job"));
    await expect.poll(() => first.log).toEqual(["runs", "step"]);
    await second.client.request("tasks/cancel", { taskId });
    expect(await get(first.client, taskId)).toMatchObject({ status: "cancelled" });
    await second.clock.advance(120_000);
    expect([first.log, second.log]).toEqual([["runs", "step"], []]);
  });

  it("a server that closes releases the tasks that other processes may run; its other tasks fail at once [U4]", async () => {
    const store = new MemoryTaskStore();
    const [first, second] = [await startProcess(store, true, []), await startProcess(store, false, [])];
    const third = await startProcess(store, true, []);
    const handed = idOf(await begin(first.client, "job"));
    const failed = idOf(await begin(second.client, "job"));
    await haveAsked(first, second);
    await first.server.close();
    await second.server.close();
    expect([first.log, second.log]).toEqual([
      ["runs", "step"],
      ["runs", "step"],
    ]);
    expect(await get(third.client, failed)).toMatchObject({
      status: "failed",
      error: { code: -32603, message: "The server was shut down" },
    });
    expect(await get(third.client, handed)).toMatchObject({ status: "input_required" });
    const own = idOf(await begin(third.client, "job"));
    await haveAsked(third);
    await third.clock.advance(10_000);
    expect(third.log).toEqual(["runs", "step", "runs"]);
    // The handler has asked again what the task asks already: it is one question.
    expect(Object.keys((await get(third.client, handed))["inputRequests"] as JsonObject)).toEqual(["sure"]);
    third.finish();
    for (const taskId of [handed, own]) {
      await answer(third.client, taskId);
      await expect.poll(() => get(third.client, taskId)).toMatchObject({ status: "completed" });
    }
  });

  it("a process that is asked to can wait for its tasks first", async () => {
    const { server, extension } = taskServer();
    const { opened, open } = gate();
    server.tool("job", { task: true }, async () => opened);
    const client = await closing(connect(server, declaring()));
    const taskId = idOf(await begin(client, "job"));
    let drained = false;
    const draining = extension.drain().then(() => (drained = true));
    await extension.drain(5);
    expect(drained).toBe(false);
    open();
    await draining;
    expect(await get(client, taskId)).toMatchObject({ status: "completed" });
  });
});
