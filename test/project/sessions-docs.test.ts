// The programs of docs/internals/streams-by-hand.md are compiled and run as they are printed there.
import { expect, test } from "vitest";
import { docPrograms } from "../support/doc-programs.ts";

const programs = docPrograms("docs/internals/streams-by-hand.md");

test("the programs of docs/internals/streams-by-hand.md compile", () => {
  expect(programs.count).toBe(3);
  expect(programs.compile()).toBe("");
});

test.each([
  ["a client opened by hand", 0, "2025-11-25 for host\n"],
  ["a handler and its client", 1, '{"asking":"the model"}\nshort nowhere\n'],
  ["answering by hand", 2, '{"city":"Oslo","sky":"clear"}\n'],
])("%s says what it should", (_title, index, output) => {
  expect(programs.run(index)).toBe(output);
});
