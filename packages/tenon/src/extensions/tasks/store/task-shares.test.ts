import { expect, test } from "vitest";
import { TaskShares } from "./task-shares.ts";

/** How many tasks one address may have: until when each counts, and what is given back. */
const FULL = expect.objectContaining({ limit: "maxTasksPerPrincipal", max: 2, code: -32603 }) as Error;

test("an address has as many tasks as the limit, each until it expires; other addresses have their own [rule R5]", () => {
  const shares = new TaskShares(2);
  shares.take("a", 1_000, 0);
  shares.take("a", 2_000, 0);
  expect(() => shares.take("a", 3_000, 999)).toThrow(FULL);
  shares.take("b", 3_000, 999);
  shares.take("a", 3_000, 1_000);
  expect(() => shares.take("a", 4_000, 1_999)).toThrow(FULL);
});

test("what could not be created is given back, once [rule R5]", () => {
  const shares = new TaskShares(2);
  const takeBack = shares.take("a", 1_000, 0);
  shares.take("a", 1_000, 0);
  takeBack();
  shares.take("a", 2_000, 0);
  expect(() => shares.take("a", 2_000, 0)).toThrow(FULL);
});

test("what has expired is forgotten, what has not stays [rule R5]", () => {
  const shares = new TaskShares(2);
  shares.take("a", 1_000, 0);
  shares.take("a", 2_000, 0);
  shares.forget(1_000);
  shares.take("a", 5_000, 0); // the first one does not count any more, whatever the time is
  expect(() => shares.take("a", 5_000, 0)).toThrow(FULL);
  shares.forget(5_000);
  const takeBack = shares.take("a", 9_000, 0);
  takeBack();
  takeBack();
  for (let times = 0; times < 2; times++) shares.take("a", 9_000, 0);
  expect(() => shares.take("a", 9_000, 0)).toThrow(FULL);
});

test("without a limit nothing is counted", () => {
  const shares = new TaskShares(Infinity);
  for (let times = 0; times < 1_000; times++) shares.take("a", 1_000, 0)();
  expect(() => shares.take("a", 1_000, 0)).not.toThrow();
});
