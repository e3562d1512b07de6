// The table of features is made from the tests and the public API, and README claims as Tenon's own only what it says so of.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { featuresPage, hasTest, publicNames, readFeatures } from "../../../../scripts/features.mjs";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const MARKS = ["●", "◐", "○", "?", "–"];
const rows = readFeatures().sections.flatMap(({ rows }) => rows);

test("the page is what the tests and the public API make of it: node scripts/features.mjs", () => {
  expect(readFileSync(`${root}docs/project/features.md`, "utf8")).toBe(featuresPage());
});

test("there are rows for all that the table is about", () => {
  expect(rows.length).toBeGreaterThan(60);
});

test.each(rows)("$feature has a mark for each of the others", ({ others }) => {
  const marks = others.split(" ");
  expect(marks).toHaveLength(10);
  for (const cell of marks) expect(cell.split("/").every((mark) => MARKS.includes(mark))).toBe(true);
});

test("a test and an export that are not there are found out", () => {
  expect(hasTest(["packages/tenon/test/project/features.test.ts", "no such test"])).toBe(false);
  expect(hasTest(["packages/tenon/test/project/features.test.ts", "there are rows for all that the table is about"])).toBe(true);
  const names = publicNames();
  expect(["tenon/server McpServer", "tenon/state state", "command init"].filter((name) => !names.has(name))).toEqual([]);
  expect(names.has("tenon/server noSuchThing")).toBe(false);
});

test("what README says that only Tenon has, no other column of the table has", () => {
  const [, claim = ""] = /\n## What only Tenon has\n\n([\s\S]*?)\n## /.exec(readFileSync(`${root}README.md`, "utf8")) ?? [];
  const own = rows.filter(({ only }) => only !== undefined);
  expect(own.length).toBeGreaterThan(0);
  for (const { only, others } of own) {
    expect(claim).toContain(only);
    expect(others).not.toContain("●");
  }
});
