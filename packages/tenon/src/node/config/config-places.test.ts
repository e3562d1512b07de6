/** The line of a field: names may have dots and brackets, and one may begin with another. */
import { expect, it } from "vitest";
import { lineOf, lineOfSyntaxError } from "./config-places.ts";

const TEXT = `{
  "mcpServers": {
    "a": {
      "env": {
        "A": "1",
        "A.B": "2",
        "AB": "3"
      },
      "": 4,
      "args": [
        "x",
        { "deep": 1 }
      ]
    },
    "a": {
      "env": { "": 1 },
      "url": 2
    }
  }
}`;

it.each([
  ["env.A", 5],
  ["env.A.B", 6],
  ["env.AB", 7],
  ["env.C", 4],
  ["env[0]", 4],
  ["args[0]", 11],
  ["args[1].deep", 12],
  ["args[7]", 10],
  ["other", 3],
])("of %s is line %i", (field, line) => {
  expect(
    lineOf(TEXT.replace(/,\n {4}"a": \{\n {6}"env": \{ "": 1 \},\n {6}"url": 2\n {4}\}/, ""), ["mcpServers", "a"], field),
  ).toBe(line);
});

it("of a name that is there twice is the last, as JSON reads it, and the second is a fault", () => {
  expect(lineOf(TEXT, ["mcpServers", "a"])).toBe(15);
  expect(lineOf(TEXT, ["mcpServers", "b"])).toBeUndefined();
  expect(lineOfSyntaxError(TEXT)).toBe(15);
  expect(lineOfSyntaxError(`{\n"a": 1\n`)).toBe(3);
  expect(lineOfSyntaxError(`{ "a": 1 }`)).toBeUndefined();
});
