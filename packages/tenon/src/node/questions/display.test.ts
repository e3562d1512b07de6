import fc from "fast-check";
import { expect, test } from "vitest";
import { clean, cleanLine, painterFor, shorten } from "./display.ts";

test.each([
  ["colours and cursor movements", "a\u001B[31mred\u001B[0m\u001B[2Kb", "aredb"],
  ["a window title with its text", "a\u001B]0;owned\u0007b\u001B]8;;http://x\u001B\\c", "abc"],
  ["the beginning of a sequence that does not end", "a\u001B]0;never ends", "a0;never ends"],
  ["carriage returns that would overwrite a line", "safe\rEVIL\r\nnext", "safeEVIL\nnext"],
  ["controls [C1]", "a\u009B31mb\u0085c", "abc"],
  ["bidirectional controls", "user\u202Etxt.exe\u2066x\u2069\u200F", "usertxt.exex"],
  ["invisible tag characters", "hi\u{E0049}\u{E0067}!", "hi!"],
  ["nothing of ordinary text", "a\tb\nc é 漢字 👩‍👩‍👧", "a\tb\nc é 漢字 👩‍👩‍👧"],
])("d.7 display leaves out %s [R20]", (_, text, shown) => {
  expect(clean(text)).toBe(shown);
});

test("d.7 of any text, nothing is left that moves the cursor or hides text, and cleaning again changes nothing [R20]", () => {
  const nasty = fc.constantFrom("\u001B", "[", "]", "0;", "m", "\u0007", "\\", "\u009B", "\r", "\u202E", "\u{E0041}", "a", " ");
  fc.assert(
    fc.property(fc.array(fc.oneof(nasty, fc.string({ unit: "binary" })), { maxLength: 40 }), (parts) => {
      const shown = clean(parts.join(""));
      expect(shown).not.toMatch(/(?![\t\n])\p{Cc}|\p{Bidi_Control}|[\u{E0000}-\u{E007F}]/u);
      expect(clean(shown)).toBe(shown);
    }),
  );
});

test("a name or description takes one line", () => {
  expect(cleanLine(" two\n\n lines\t")).toBe("two lines");
});

test("shortening counts characters, not code units", () => {
  expect(shorten("👍👍👍", 3)).toBe("👍👍👍");
  expect(shorten("👍👍👍👍", 3)).toBe("👍👍…");
});

test.each([
  [{ isTTY: true }, {}, "\u001B[1mx\u001B[22m"],
  [{ isTTY: false }, {}, "x"],
  [{ isTTY: true }, { NO_COLOR: "1" }, "x"],
  [{ isTTY: true }, { NO_COLOR: "" }, "\u001B[1mx\u001B[22m"],
  [{ isTTY: true }, { TERM: "dumb" }, "x"],
])("colour on %j with %j", (stream, env, painted) => {
  expect(painterFor(stream, env)("bold", "x")).toBe(painted);
});
