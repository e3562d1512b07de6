// A task that ends its process, in real processes that are started again each time, as a supervisor would.
import { fork, type ChildProcess } from "node:child_process";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { MemoryTaskStore, type TaskRecord } from "tenon/ext/tasks";
import { buildServed } from "../../stdio/served.ts";

let program: Awaited<ReturnType<typeof buildServed>>;
beforeAll(async () => (program = await buildServed(new URL("fixtures/poison.ts", import.meta.url))));
afterAll(() => program.remove());

/** What the child says: a call of the store, or an error that it reports. */
type Said = { id: number; name: keyof MemoryTaskStore; args: unknown[] } | { error: string };

interface Supervised {
  readonly store: MemoryTaskStore;
  readonly errors: string[];
  /** Exit codes so far. */
  readonly deaths: (number | null)[];
  readonly task: () => TaskRecord | undefined;
}

/** Starts the program, and starts it again each time it ends. */
function supervise(): Supervised {
  const store = new MemoryTaskStore();
  const errors: string[] = [];
  const deaths: (number | null)[] = [];
  let taskId = "";
  let stopped = false;
  let child: ChildProcess;
  const hear = (said: Said): void => {
    if ("error" in said) return void errors.push(said.error);
    if (said.name === "insert") taskId = (said.args[0] as TaskRecord).id; // what the child's table puts
    const value = (store[said.name] as (...args: unknown[]) => unknown)(...said.args);
    child.send({ id: said.id, value });
  };
  const start = (...args: string[]): void => {
    child = fork(program.file, args);
    child.on("message", hear);
    child.on("exit", (code) => {
      if (stopped) return;
      deaths.push(code);
      start();
    });
  };
  onTestFinished(() => {
    stopped = true;
    child.kill("SIGKILL");
  });
  start("begin");
  return { store, errors, deaths, task: () => store.get(taskId) };
}

test("a task that ends its process does so three times, and then it has failed", async () => {
  const { deaths, errors, task } = supervise();
  await expect.poll(() => task()?.status).toBe("failed");
  expect(deaths).toEqual([9, 9, 9]);
  expect(task()).toMatchObject({ run: 3, statusMessage: expect.stringContaining('"task.maxRuns"') });
  await expect.poll(() => errors).toEqual([expect.stringContaining(`Task ${task()!.id} of tool "poison" has failed`)]);
});
