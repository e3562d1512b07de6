// docs/internals/threats.md cannot rot: each promise names a test that exists, and says whom it protects and where it ends.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const page = join(root, "docs/internals/threats.md");
const text = readFileSync(page, "utf8");
const rows = text
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| promise "))
  .map((line) => line.slice(2, -2).split(" | "));

/** Whether a file has a test with that title. Ids at the end of a title do not count. */
function hasTest(file: string, title: string): boolean {
  const quoted = title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`\\(\\s*["\`]${quoted}(?: \\[[^"\`]*\\])?["\`],`).test(readFileSync(file, "utf8"));
}

test("there are promises of every part", () => {
  expect(rows.length).toBeGreaterThan(40);
  expect(new Set(rows.map(([promise]) => promise)).size).toBe(rows.length);
});

test.each(rows)("%s: to whom, where it ends, and a test that exists", (...cells) => {
  expect(cells).toHaveLength(4);
  for (const cell of cells) expect(cell.trim()).not.toBe("");
  const { file = "", title = "" } = /^\[test\]\((?<file>\S+) "(?<title>[^"]+)"\)$/.exec(cells[3]!)?.groups ?? {};
  const path = join(dirname(page), file);
  expect(file !== "" && existsSync(path), cells[3]).toBe(true);
  expect(hasTest(path, title), `${file} has no test "${title}"`).toBe(true);
});

test("SECURITY.md leads here, and each of its promises is a row", () => {
  const security = readFileSync(join(root, "SECURITY.md"), "utf8");
  expect(security).toContain("docs/internals/threats.md");
  const promised = security.slice(security.indexOf("## What is promised"), security.indexOf("## What counts"));
  const lines = promised.split("\n").filter((line) => line.startsWith("- "));
  expect(lines.length).toBeGreaterThan(8);
  const promises = rows.map(([promise]) => promise);
  expect(lines.map((line) => line.slice(2).replace(/\.$/, "")).filter((line) => !promises.includes(line))).toEqual([]);
});
