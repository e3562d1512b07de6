// Subjects of commits are at most 72 characters long, as CONTRIBUTING says: `git log --oneline` shows them whole. A clone without
// history has fewer of them, and a folder that is no clone has none.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const LONGEST = 72;
/** Older commits were not checked. */
const SINCE = "2026-11-29T11:00:00Z";
const root = fileURLToPath(new URL("../../../..", import.meta.url));

const tooLong = (log: string): string[] => log.split("\n").filter((line) => line.length > LONGEST);

test("the subject of every commit has at most 72 characters", () => {
  const { stdout } = spawnSync("git", ["log", "--no-merges", `--since=${SINCE}`, "--format=%s"], { cwd: root, encoding: "utf8" });
  expect(tooLong(stdout)).toEqual([]);
});

test("a subject of 73 characters is found between others", () => {
  const [longest, longer] = ["x".repeat(LONGEST), "x".repeat(LONGEST + 1)];
  expect(tooLong(`Refuse a cursor\n${longest}\n${longer}\n`)).toEqual([longer]);
});
