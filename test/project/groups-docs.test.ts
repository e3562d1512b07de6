// The programs of docs/clients/groups.md compile as they are printed there; the one that needs nobody else is run.
import { expect, test } from "vitest";
import { docPrograms } from "../support/doc-programs.ts";

const programs = docPrograms("docs/clients/groups.md");

test("the programs of docs/clients/groups.md compile", () => {
  expect(programs.count).toBe(4);
  expect(programs.compile()).toBe("");
});

test("the one about servers that fail says what it should", () => {
  expect(programs.run(1).trim().split("\n")).toEqual([
    'gone: Cannot start the server "no-such-program": ENOENT',
    "3",
    "true",
    "sums, tools: +sums__subtract -",
    "sums__add sums__subtract",
  ]);
});
