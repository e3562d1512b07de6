// The page that compares Tenon with other frameworks shows what was measured, and names what each of them is.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { read, withTable } from "../../../../lab/compared/table.mjs";

const programs = fileURLToPath(new URL("../../../../lab/compared/programs", import.meta.url));
const { text, figures } = read();

test("the table of figures is made of what was measured", () => {
  expect(withTable(text, figures)).toBe(text);
});

test("each framework with figures has its program, and each program its figures", () => {
  const { frameworks } = figures as { frameworks: object }; // our own file
  expect(readdirSync(programs).toSorted()).toEqual(Object.keys(frameworks).toSorted());
});

test("the page says when another framework is the better choice", () => {
  const [, reasons = ""] = /## When not to choose Tenon\n\n([\s\S]*?)\n\n##/.exec(text) ?? [];
  expect(reasons.match(/^- \*\*/gm)?.length).toBeGreaterThanOrEqual(5);
});
