// The table of features: each mark of Tenon names a test that exists, and each row says something of every column.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const page = fileURLToPath(new URL("../../../../docs/project/features.md", import.meta.url));
const MARKS = ["●", "◐", "○", "?", "–"];
/** The rows of features: those with the twelve columns of the table. */
const rows = readFileSync(page, "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| feature "))
  .map((line) =>
    line
      .slice(2, -2)
      .split(" | ")
      .map((cell) => cell.trim()),
  )
  .filter((cells) => cells.length > 2);

/** Whether a file has a test, or a group of tests, with that title. Ids at the end of a title do not count. */
function hasTest(file: string, title: string): boolean {
  const quoted = title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`\\(\\s*["\`]${quoted}(?: \\[[^\\]]*\\])?["\`],`).test(readFileSync(file, "utf8"));
}

test("there are rows for all that the table is about", () => {
  expect(rows.length).toBeGreaterThan(60);
});

test.each(rows)("%s has a mark in every column", (...cells) => {
  expect(cells).toHaveLength(12);
  for (const cell of cells.slice(2)) expect(cell.split("/").every((mark) => MARKS.includes(mark))).toBe(true);
});

test.each(rows)("%s: Tenon's mark is ○, or names a test that exists", (_feature, own) => {
  if (own === "○") return;
  const { file = "", title = "" } = /^\[[●◐]\]\((?<file>\S+) "(?<title>[^"]+)"\)$/.exec(own!)?.groups ?? {};
  const path = join(dirname(page), file);
  expect(existsSync(path), `${own} must be a mark with a link to a test and its title`).toBe(true);
  expect(hasTest(path, title), `${file} has no test "${title}"`).toBe(true);
});
