/** What a caller of a task receives: each step as it came, and each state once. */
import { expect, it } from "vitest";
import type { RemoteState } from "./remote-state.ts";
import { TaskCallbacks } from "./task-callbacks.ts";

// nothing else is looked at
const state = (status: string): RemoteState => ({ task: { taskId: "t", status } }) as unknown as RemoteState;

it("steps have a total and a message if the server gave them, and are nothing without a number", () => {
  const steps: unknown[] = [];
  const callbacks = new TaskCallbacks({ onProgress: (step) => void steps.push(step) }, () => undefined);
  for (const params of [
    { progress: 1 },
    { progress: 2, total: 5, message: "half" },
    { progress: 3, total: "5", message: 7 },
    { progress: "4" },
    {},
  ])
    callbacks.progress(params);
  expect(steps).toStrictEqual([{ progress: 1 }, { progress: 2, total: 5, message: "half" }, { progress: 3 }]);
});

it("a callback runs when the state changes, and an error that it throws is reported", async () => {
  const states: unknown[] = [];
  const reported: unknown[] = [];
  const callbacks = new TaskCallbacks(
    {
      onTask: (task) => {
        states.push(task.status);
        if (task.status === "completed") throw new Error("callback");
      },
    },
    (error) => void reported.push(error),
  );
  for (const status of ["working", "working", "input_required", "working", "completed"]) callbacks.state(state(status));
  await Promise.resolve();
  expect(states).toEqual(["working", "input_required", "working", "completed"]);
  expect(reported.map(String)).toEqual(["Error: callback"]);
});

it("nothing is called for a caller without callbacks", () => {
  const callbacks = new TaskCallbacks({}, () => undefined);
  expect(() => (callbacks.progress({ progress: 1 }), callbacks.state(state("working")))).not.toThrow();
});
