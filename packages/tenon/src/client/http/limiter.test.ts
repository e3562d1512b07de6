import { expect, test } from "vitest";
import { Limiter } from "./limiter.ts";

test("first come, first served; who leaves the line takes no turn [C12]", () => {
  const limiter = new Limiter(2);
  const started: string[] = [];
  const tasks = ["a", "b", "c", "d", "e"].map((name) => (): void => void started.push(name));
  for (const task of tasks) limiter.enter(task);
  expect(started).toEqual(["a", "b"]);
  expect(limiter.leave(tasks[2]!)).toBe(true);
  expect(limiter.leave(tasks[0]!)).toBe(false);
  limiter.release();
  expect(started).toEqual(["a", "b", "d"]);
  limiter.release();
  limiter.release();
  limiter.release();
  expect(started).toEqual(["a", "b", "d", "e"]);
  for (const name of ["f", "g", "h"]) limiter.enter(() => void started.push(name));
  expect(started.slice(4)).toEqual(["f", "g"]);
});
