/**
 * Tasks whose process is gone: a server that serves takes them over without being asked about tasks, a bounded number of times,
 * with longer and longer pauses between the runs.
 */
import { expect, it, onTestFinished } from "vitest";
import { connect, type McpServer, type Client, type RequestContext } from "tenon";
import { bearer } from "tenon/auth";
import { MemoryTaskStore, tasks, type TaskStore, type TaskToolOptions } from "tenon/ext/tasks";
import { serveHttp } from "tenon/node";
import { createFetchHandler } from "tenon/server";
import { VirtualClock } from "tenon/testing";
import { closing } from "../../support/matrix.ts";
import { turn } from "../../support/virtual-clock.ts";
import { begin, declaring, idOf } from "./support.ts";
import { testServer } from "../../support/test-server.ts";

const LEASE = 30_000;

/** A process of its own that serves no client yet: when nothing moves its clock any more it is gone. */
interface Idle {
  readonly server: McpServer;
  readonly clock: VirtualClock;
  /** Runs of the handler in this process. */
  readonly runs: () => number;
  /** What the operator was told. */
  readonly errors: string[];
}

interface Process extends Idle {
  readonly client: Client;
}

async function startProcess(
  store: TaskStore,
  task: TaskToolOptions,
  handler?: (ctx: RequestContext) => string,
): Promise<Process> {
  const idle = idleProcess(store, task, handler);
  return { ...idle, client: await closing(connect(idle.server, declaring({ revision: "2026-07-28" }))) };
}

function idleProcess(store: TaskStore, task: TaskToolOptions, handler?: (ctx: RequestContext) => string): Idle {
  const clock = new VirtualClock();
  const errors: string[] = [];
  const onError = (error: unknown): void => void errors.push(String(error));
  const server = testServer({ clock, onError, extensions: [tasks({ store, lease: LEASE })] });
  let runs = 0;
  server.tool("job", { task }, (_input, ctx) => {
    runs++;
    return handler?.(ctx) ?? new Promise<string>(() => undefined);
  });
  onTestFinished(() => server.close());
  return { server, clock, runs: () => runs, errors };
}

/** Lets seconds pass in a process until `done`. Returns the milliseconds that took. */
async function passUntil({ clock }: Idle, done: () => boolean): Promise<number> {
  const start = clock.now();
  for (let seconds = 0; !done(); seconds++) {
    if (seconds > 1_000) throw new Error("It did not happen in 1,000 s");
    await clock.advance(1_000);
  }
  return clock.now() - start;
}

it("a server that only serves takes a task over that another one handed back", async () => {
  const store = new MemoryTaskStore();
  const first = await startProcess(store, { restart: true });
  const taskId = idOf(await begin(first.client, "job"));
  await first.server.close();
  const second = await startProcess(store, { restart: true }, () => "done");
  await second.client.listTools();
  expect(await passUntil(second, () => store.get(taskId)?.status === "completed")).toBeLessThanOrEqual(LEASE / 3);
  expect(second.runs()).toBe(1);
});

it("a server over HTTP takes a task over while no client comes: it serves from when it listens", async () => {
  const store = new MemoryTaskStore();
  const first = await startProcess(store, { restart: true });
  const taskId = idOf(await begin(first.client, "job"));
  const second = idleProcess(store, { restart: true }, () => "done");
  const http = await serveHttp(second.server, { port: 0 });
  onTestFinished(() => http.close());
  await passUntil(second, () => store.get(taskId)?.status === "completed");
  expect([first.runs(), second.runs(), second.errors]).toEqual([1, 1, []]);
});

it("a task that was taken over has the principal and the scopes of its call, and no more [R18]", async () => {
  const store = new MemoryTaskStore();
  const auth = bearer({
    issuer: "https://login.example",
    audience: "http://localhost/mcp",
    verify: () => ({
      issuer: "https://login.example",
      audience: "http://localhost/mcp",
      subject: "ada",
      clientId: "editor",
      scopes: ["read"],
    }),
  });
  const seen: unknown[] = [];
  const handler = (ctx: RequestContext): string => {
    seen.push([ctx.principal, ctx.auth?.subject, ctx.auth?.scopes]);
    ctx.requireScopes("read");
    ctx.requireScopes("read", "write", "admin");
    return "written";
  };
  const first = idleProcess(store, { restart: true });
  const http = await serveHttp(first.server, { port: 0, auth });
  onTestFinished(() => http.close());
  const target = { url: http.url, headers: { authorization: "Bearer t" } };
  const client = await closing(connect(target, declaring({ revision: "2026-07-28" })));
  const taskId = idOf(await begin(client, "job"));
  const second = await startProcess(store, { restart: true }, handler);
  await passUntil(second, () => store.get(taskId)?.status !== "working");
  expect(seen).toEqual([['["https://login.example","ada","editor"]', "ada", ["read"]]]);
  expect(store.get(taskId)).toMatchObject({
    status: "failed",
    outcome: { error: { message: "Insufficient scope: write admin" } },
  });
});

it("behind a fetch handler the server begins with the first request, or by begin()", async () => {
  const store = new MemoryTaskStore();
  const first = await startProcess(store, { restart: true });
  const taskId = idOf(await begin(first.client, "job"));
  const second = idleProcess(store, { restart: true }, () => "done");
  createFetchHandler(second.server);
  await second.clock.advance(LEASE * 4);
  expect(store.get(taskId)?.status).toBe("working");
  await second.server.begin();
  await passUntil(second, () => store.get(taskId)?.status === "completed");
});

it("a server that only serves has tasks fail whose process is gone and whose tool allows no other run", async () => {
  const store = new MemoryTaskStore();
  const first = await startProcess(store, {});
  const taskId = idOf(await begin(first.client, "job"));
  const second = await startProcess(store, {});
  await passUntil(second, () => store.get(taskId)?.status === "failed");
  expect(store.get(taskId)?.statusMessage).toBe("The process that ran the task is gone");
  expect(second.runs()).toBe(0);
  expect(second.errors).toEqual([
    expect.stringContaining(`Task ${taskId} of tool "job" has failed: The process that ran the task is gone`),
  ]);
});

it("an extension that is added while the server serves begins at once", async () => {
  const store = new MemoryTaskStore();
  const first = await startProcess(store, {});
  const taskId = idOf(await begin(first.client, "job"));
  const clock = new VirtualClock();
  const server = testServer({ clock, onError: () => undefined });
  await closing(connect(server));
  onTestFinished(() => server.close());
  server.use(tasks({ store, lease: LEASE }));
  await clock.advance(LEASE * 2);
  expect(store.get(taskId)?.status).toBe("failed");
});

it("a server whose tasks end with it sets no timer before it has one", async () => {
  const clock = new VirtualClock();
  const server = testServer({ clock, extensions: [tasks()] });
  server.tool("job", { task: true }, () => "done");
  const client = await closing(connect(server));
  await client.listTools();
  expect(clock.pending).toBe(0);
});

it("a task whose process is gone each time runs three times, each pause longer than the last, and then it failed", async () => {
  const store = new MemoryTaskStore();
  const first = await startProcess(store, { restart: true });
  const taskId = idOf(await begin(first.client, "job"));
  await turn();
  expect(first.runs()).toBe(1);
  const pauses: number[] = [];
  const later = await Promise.all(Array.from({ length: 3 }, () => startProcess(store, { restart: true })));
  // Each has stood still until the one before it was gone.
  for (const [index, process] of later.entries()) {
    process.clock.stall(pauses.reduce((sum, ms) => sum + ms, 0));
    pauses.push(await passUntil(process, () => store.get(taskId)?.run === index + 2 || store.get(taskId)?.status === "failed"));
  }
  const [second, third, fourth] = later as [Process, Process, Process];
  expect([second.runs(), third.runs(), fourth.runs()]).toEqual([1, 1, 0]);
  // The lease that is lost is twice as long with each run; rounds are a third of the shortest one apart.
  for (const [index, pause] of pauses.entries()) {
    expect(pause).toBeGreaterThanOrEqual(LEASE * 2 ** index - 1_000);
    expect(pause).toBeLessThanOrEqual(LEASE * 2 ** index + LEASE / 3 + 1_000);
  }
  const why = 'The process ended in each of the 3 runs that the tool\'s option "task.maxRuns" allows';
  expect(store.get(taskId)).toMatchObject({
    status: "failed",
    statusMessage: why,
    outcome: { error: { code: -32603, message: why } },
  });
  expect(fourth.errors).toEqual([expect.stringContaining(`Task ${taskId} of tool "job" has failed: ${why}`)]);
  expect([second.errors, third.errors]).toEqual([[], []]);
});

it("the option maxRuns says how many runs there may be", async () => {
  const store = new MemoryTaskStore();
  const first = await startProcess(store, { restart: true, maxRuns: 1 });
  const taskId = idOf(await begin(first.client, "job"));
  // What counts is what the tool said when the task was made.
  const second = await startProcess(store, { restart: true });
  await passUntil(second, () => store.get(taskId)?.status === "failed");
  expect(second.runs()).toBe(0);
  for (const maxRuns of [0, -1, 1.5, Number.NaN]) {
    expect(() => first.server.tool("bad", { task: { maxRuns } }, () => "")).toThrow(
      new RangeError(`Option "task.maxRuns" of tool "bad" must be a whole number >= 1, not ${maxRuns}`),
    );
  }
});

it("runs that a closing server hands back do not count, and cause no pause", async () => {
  const store = new MemoryTaskStore();
  const first = await startProcess(store, { restart: true, maxRuns: 2 });
  const taskId = idOf(await begin(first.client, "job"));
  await first.server.close();
  for (let run = 2; run <= 5; run++) {
    const next = await startProcess(store, { restart: true, maxRuns: 2 });
    expect(await passUntil(next, () => next.runs() === 1)).toBeLessThanOrEqual(LEASE / 3);
    expect(store.get(taskId)).toMatchObject({ run, status: "working" });
    await next.server.close();
  }
  const last = await startProcess(store, { restart: true, maxRuns: 2 }, () => "done");
  await passUntil(last, () => store.get(taskId)?.status === "completed");
});

it("a store in another process takes tasks of callers that have no share of their own", async () => {
  const memory = new MemoryTaskStore();
  const copied = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T; // what JSON makes of it
  const store: TaskStore = Object.assign(Object.create(memory) as MemoryTaskStore, {
    ...Object.fromEntries(
      (["get", "replace", "lease", "release", "abandoned", "list", "forget"] as const).map((name) => [
        name,
        (memory[name] as () => unknown).bind(memory),
      ]),
    ),
    insert: (...args: Parameters<TaskStore["insert"]>) => memory.insert(...copied(args)),
    subscribe: (listener: (id: string) => void) => memory.subscribe(listener),
  });
  const { client } = await startProcess(store, {}, () => "done");
  const taskId = idOf(await begin(client, "job"));
  await turn();
  expect(memory.get(taskId)?.status).toBe("completed");
});
