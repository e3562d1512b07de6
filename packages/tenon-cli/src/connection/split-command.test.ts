import fc from "fast-check";
import { expect, test } from "vitest";
import { UsageError } from "../failure.ts";
import { splitCommand } from "./split-command.ts";

test.each([
  ["npx -y some-server", ["npx", "-y", "some-server"]],
  ["  node   server.js  ", ["node", "server.js"]],
  [`node "my server.js" --name='a "b" c'`, ["node", "my server.js", `--name=a "b" c`]],
  [String.raw`say "a \"b\" \\ c" d\ e`, ["say", String.raw`a "b" \ c`, "d e"]],
  [String.raw`C:\tools\server.exe "C:\my files\x"`, [String.raw`C:\tools\server.exe`, String.raw`C:\my files\x`]],
  [`run "" ''`, ["run", "", ""]],
  ["", []],
])("words of %j", (command, words) => {
  expect(splitCommand(command)).toEqual(words);
});

test("what a shell would act on is text [R17]", () => {
  expect(splitCommand("echo $HOME; rm -rf * | `x` && $(y) > z")).toEqual([
    "echo",
    "$HOME;",
    "rm",
    "-rf",
    "*",
    "|",
    "`x`",
    "&&",
    "$(y)",
    ">",
    "z",
  ]);
});

test.each([`node "server.js`, "node 'x"])("%j is refused", (command) => {
  expect(() => splitCommand(command)).toThrow(UsageError);
});

test("words that are quoted come back as they were", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (words) => {
      const quoted = words.map((word) => `"${word.replace(/["\\]/g, String.raw`\$&`)}"`);
      expect(splitCommand(quoted.join(" "))).toEqual(words);
    }),
  );
});
