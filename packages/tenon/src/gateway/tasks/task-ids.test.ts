import { expect, test } from "vitest";
import { TaskIds } from "./task-ids.ts";

test("the oldest ids are forgotten if there are too many, or if all together are too long", () => {
  const ids = new TaskIds(3);
  for (const id of ["a", "b", "b", "c", "d"]) ids.add(id);
  expect(["a", "b", "c", "d"].map((id) => ids.has(id))).toEqual([false, true, true, true]);
  ids.add("x".repeat(1_048_575));
  expect(["b", "c", "d"].map((id) => ids.has(id))).toEqual([false, false, true]);
  expect(ids.has("x".repeat(1_048_575))).toBe(true);
  ids.add("e");
  expect([ids.has("d"), ids.has("e"), ids.isEmpty]).toEqual([false, true, false]);
  ids.add("y".repeat(1_048_577));
  expect(ids.isEmpty).toBe(true);
});
