// The check of words must itself be seen to fail: each test plants one text in an empty project and runs the script on it.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const script = fileURLToPath(new URL("../../../../scripts/plain-words.mjs", import.meta.url));
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "plain-words-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Runs the check on a project that holds one file with this text. */
function check(file: string, text: string): { status: number | null; output: string } {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, root], { encoding: "utf8", timeout: 100_000 });
  return { status, output: stdout + stderr };
}

/** Written in two halves, so that this file passes the check itself. */
const word = (first: string, second: string): string => first + second;

test.each([
  ["a comment", "packages/tenon/src/base/clock.ts", `\n// ${word("no", "body")} waits`, "packages/tenon/src/base/clock.ts:2"],
  [
    "an error message",
    "packages/tenon/src/base/clock.ts",
    `throw new Error("for a limit that is ${word("no", "ne")}");`,
    "packages/tenon/src/base/clock.ts:1",
  ],
  ["a page", "page.md", `The peer ${word("is", " told")} so.`, "page.md:1"],
  [
    "the title of a test",
    "packages/tenon/test/simulation/a.test.ts",
    `it("is for ${word("who", "ever")} comes [A1.2]", () => {});`,
    "packages/tenon/test/simulation/a.test.ts:1",
  ],
  [
    "the title of a table",
    "packages/tenon/test/simulation/a.test.ts",
    `it.each([1])("is ${word("of ", "ours")}", () => {});`,
    "packages/tenon/test/simulation/a.test.ts:1",
  ],
  ["a code with a dash in a comment", "packages/tenon/src/base/clock.ts", `/** The time (${word("SS", "-40")}). */`, '"SS-40"'],
  ["a code with a number in a comment", "packages/tenon/src/base/clock.ts", `const a = "b"; // ruling ${word("Z", "4")}`, '"Z4"'],
  ["a code of a list in a list", "packages/tenon/src/base/clock.ts", `// see ${word("b.11", "-G2")}`, '"b.11-G2"'],
])("%s that the glossary replaces fails, by its place", (_, file, text, place) => {
  const { status, output } = check(file, text);
  expect(output).toContain(place);
  expect(status).toBe(1);
});

test.each([
  ["a comment", "packages/tenon/test/simulation/clock.ts", `\n// ${"ab ".repeat(45)}`, "clock.ts:2: 138 characters"],
  ["a title", "packages/tenon/src/base/clock.test.ts", `it("${"ab ".repeat(45)}", () => {});`, "clock.test.ts:1: 152 characters"],
  ["a string", "lab/cluster/a.test.ts", `send("${"ab ".repeat(45)}");`, "a.test.ts:1: 144 characters"],
])("%s of a test that is longer than its code may be fails, by its place", (_, file, text, place) => {
  const { status, output } = check(file, text);
  expect(output).toContain(place);
  expect(status).toBe(1);
});

test.each([
  ["a line that is as long as its code may be", "packages/tenon/test/simulation/a.ts", `// ${"a".repeat(127)}`],
  ["a long key", "packages/tenon/test/simulation/a.ts", `const key =\n  "${"a".repeat(150)}";`],
  ["a long regular expression", "packages/tenon/test/simulation/a.ts", `const name =\n  /${"a ".repeat(70)}/gm;`],
  ["the ids of a title", "packages/tenon/src/base/clock.test.ts", `it("goes forward [TY-06 Z4]", () => {});`],
  [
    "names of standards and engines",
    "packages/tenon/src/base/clock.ts",
    "// RFC 8707, UTF-16, SHA-256, SEP-1303, V8, RE2, P-256",
  ],
  ["a list that may be empty", "packages/tenon/src/base/clock.ts", "// undefined if there is none"],
  ["data of a test", "packages/tenon/test/simulation/a.test.ts", `it("passes on names", () => send("${word("some", "body")}"));`],
])("%s passes", (_, file, text) => {
  expect(check(file, text)).toMatchObject({ status: 0 });
});
