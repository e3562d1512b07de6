import { expect, it } from "vitest";
import fc from "fast-check";
import { endOfString } from "./end-of-string.ts";

it.each([
  ['"a"', 2],
  ['""', 1],
  [String.raw`"a\"b"`, 5],
  [String.raw`"a\\"`, 4],
  [String.raw`"a\\\"b" "c"`, 7],
  [String.raw`"\\\\"x"`, 5],
  [String.raw`"\"`, 3],
  ['"never', 6],
])("the string that begins %s ends at %i", (text, end) => {
  expect(endOfString(text, 1)).toBe(end);
});

it("the end of any string that JSON writes is where it ends, whatever follows", () => {
  const text = fc.array(fc.constantFrom('"', "\\", "a", "\n", "é"), { maxLength: 20 }).map((all) => all.join(""));
  fc.assert(
    fc.property(text, text, (value, rest) => {
      const written = JSON.stringify(value);
      expect(endOfString(written + rest, 1)).toBe(written.length - 1);
    }),
  );
});
