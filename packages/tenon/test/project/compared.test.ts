// The page that compares Tenon with other frameworks shows what was measured, and names what each of them is.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { read, withPrograms, withTable } from "../../../../lab/compared/table.mjs";

const programs = fileURLToPath(new URL("../../../../lab/compared/programs", import.meta.url));
const tasks = fileURLToPath(new URL("../../../../lab/compared/tasks", import.meta.url));
const { text, figures } = read();

test("the table of figures is made of what was measured", () => {
  expect(withTable(text, figures)).toBe(text);
});

test("the programs of the tasks are shown letter by letter, each of them", () => {
  expect(withPrograms(text)).toBe(text);
  const shown = [...text.matchAll(/<!-- program: (\S+) -->/g)].map(([, file]) => file);
  const files = readdirSync(tasks, { recursive: true, encoding: "utf8" }).filter((file) => /\.(?:py|mjs|txt)$/.test(file));
  expect(shown.toSorted()).toEqual(files.toSorted());
});

test("each framework with figures has its program, and each program its figures", () => {
  const { frameworks } = figures as { frameworks: object }; // our own file
  expect(readdirSync(programs).toSorted()).toEqual(Object.keys(frameworks).toSorted());
});

test("the page says when another framework is the better choice", () => {
  const [, reasons = ""] = /## When not to choose Tenon\n\n([\s\S]*?)\n\n##/.exec(text) ?? [];
  expect(reasons.match(/^- \*\*/gm)?.length).toBeGreaterThanOrEqual(5);
});
