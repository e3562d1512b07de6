// The programs of docs/learn/testing.md are compiled and run as they are printed there: each is a test of node:test, and passes.
import { expect, test } from "vitest";
import { docPrograms } from "../support/doc-programs.ts";

const programs = docPrograms("docs/learn/testing.md");

test("docs/learn/testing.md has these programs, which compile", () => {
  expect(programs.count).toBe(2);
  expect(programs.compile()).toBe("");
});

test.each([
  ["testClient", 0],
  ["the authorization server", 1],
])("the program about %s passes", (_title, index) => {
  const output = programs.run(index, "--test-reporter=tap");
  expect(output).toMatch(/^# pass [12]$/m);
  expect(output).toMatch(/^# fail 0$/m);
});
