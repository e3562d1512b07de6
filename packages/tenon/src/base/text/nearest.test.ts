import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

test.each([
  ["ecko", "echo"],
  ["ECHO", "echo"],
  ["get_sum", "get-sum"],
  ["lst", "list"],
  ["get-structred-contnt", "get-structured-content"],
  ["zzzzz", undefined],
  ["", undefined],
])("for %j, %j was meant", (typed, meant) => {
  expect(nearest(typed, ["echo", "get-sum", "list", "get-structured-content"])).toBe(meant);
});
