import { expect, test } from "vitest";
import { ignoredList, sectionHint, unknownAtTop } from "./unknown-members.ts";

test("a list of unknown members names ten of them with their lines, and says how many more there are", () => {
  expect(ignoredList(["theme", "x"], (name) => (name === "theme" ? 2 : undefined))).toBe(
    'not known, and ignored: "theme" (line 2), "x"',
  );
  const names = Array.from({ length: 12 }, (_, at) => `m${at}`);
  const ten = names.slice(0, 10);
  const listed = ten.map((name) => JSON.stringify(name)).join(", ");
  expect(ignoredList(ten, () => undefined)).toBe(`not known, and ignored: ${listed}`);
  expect(ignoredList(names, () => undefined)).toBe(`not known, and ignored: ${listed}, and 2 more`);
});

test("a member that is nearly a known one is mistyped, any other one belongs to the host", () => {
  expect(unknownAtTop({ mcpServers: {}, inputs: [], $schema: "x", mcpServer: {}, theme: "dark" })).toEqual({
    mistyped: [{ field: "mcpServer", message: 'is not known, and ignored. Did you mean "mcpServers"?' }],
    others: ["theme"],
  });
});

test("a file without a list of servers gets a hint of the member that may be meant", () => {
  expect(sectionHint({ theme: "dark", Servers: {} })).toBe('. Did you mean "servers" by "Servers"?');
  expect(sectionHint({ theme: "dark" })).toBe("");
});
