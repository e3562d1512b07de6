// The programs of docs/servers/tasks.md compile and run as they are printed there, and say what they should.
import { expect, test } from "vitest";
import { taskStoreChecks } from "tenon/testing";
import { docPrograms } from "../support/doc-programs.ts";

const programs = docPrograms("docs/servers/tasks.md");

test("the programs of docs/servers/tasks.md compile", () => {
  expect(programs.count).toBe(3);
  expect(programs.compile()).toBe("");
});

test("the first makes a report, and asks in the middle of it", () => {
  const lines = programs.run(0).trim().split("\n");
  expect(lines[0]).toBe("working");
  expect(lines.slice(-2)).toEqual(["completed", "The report for 2026: 12 pages of pdf"]);
});

test("the second comes back for its cake", () => {
  expect(programs.run(1)).toBe("ConnectionClosedError\nworking\nA cake\n");
});

test("the third checks its store", () => {
  expect(programs.run(2)).toBe(taskStoreChecks.map(({ name }) => `ok ${name}\n`).join(""));
});
