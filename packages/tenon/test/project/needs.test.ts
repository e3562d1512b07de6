// A run says what it left out and how to get it; a skipped test for which nothing was missing is a fault. Runs vitest on small
// files.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { leftOutTable } from "../../../../scripts/check/left-out.mjs";
import { mergeRuns, finishedFiles } from "../../../../scripts/check/merge.mjs";
import { readRun } from "../../../../scripts/check/run.mjs";
import { PARTS } from "../../../../scripts/setup/parts.mjs";
import { markdownTable } from "../../../../scripts/setup/words.mjs";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
let folder: string;

beforeEach(() => {
  mkdirSync(join(root, "out"), { recursive: true });
  folder = mkdtempSync(join(root, "out/needs-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const HEAD = `import { describe, expect, test } from "vitest";
import { assertHas, describeWith, needs } from "../../packages/tenon/test/support/needs.ts";
`;

/** Runs a file of tests as this project's runner would, without the parts that are named. */
function vitest(tests: string, env: Record<string, string>): { output: string; results: string } {
  writeFileSync(join(folder, "a.test.ts"), HEAD + tests);
  const config = `import { LeftOutReporter } from "../../packages/tenon/test/support/left-out.ts";
export default { test: { reporters: ["default", new LeftOutReporter(false), ["json", { outputFile: "results.json" }]] } };`;
  writeFileSync(join(folder, "vitest.config.ts"), config);
  const { stdout, stderr } = spawnSync(process.execPath, [join(root, "node_modules/vitest/vitest.mjs"), "run"], {
    cwd: folder,
    env: { PATH: process.env["PATH"], NO_COLOR: "1", ...env },
    encoding: "utf8",
    timeout: 100_000,
  });
  return { output: stdout + stderr, results: join(folder, "results.json") };
}

const TESTS = `
test("a", () => expect(1).toBe(1));
describe("redis", () => {
  needs("redis");
  test("b", () => expect(1).toBe(1));
  test("c", () => expect(1).toBe(1));
});
test("d", (context) => { assertHas(context, "zsh", "redis"); expect(1).toBe(1); });
describeWith(["zsh"], "e", () => { test("f", () => expect(1).toBe(1)); });
`;

test("a test whose part is missing is left out; the end of the run says what is missing, how many want it, how to get it", () => {
  const { output, results } = vitest(TESTS, { TENON_WITHOUT: "redis zsh" });
  expect(output).toContain("Left out: 4 tests of 1 files");
  expect(output).toMatch(/ redis +3 +the Redis stores/);
  expect(output).toMatch(/ zsh +2 +completion/);
  expect(output).toContain("To run them too: npm run setup -- redis zsh");
  expect(readRun(results)).toMatchObject({ passed: 1, broken: 0, silent: [] });
  expect(readRun(results).leftOut.map(({ parts }) => parts.join(" "))).toEqual(["redis", "redis", "zsh redis", "zsh"]);
});

test("in continuous integration each of them fails, unless the environment names what the machine does without", () => {
  const bare = { PATH: "/nowhere", CI: "true" };
  expect(readRun(vitest(TESTS, bare).results)).toMatchObject({ passed: 1, broken: 4, leftOut: [] });
  expect(readRun(vitest(TESTS, { ...bare, TENON_WITHOUT: "redis zsh" }).results)).toMatchObject({ passed: 1, broken: 0 });
});

test("a test that is skipped in another way is listed by itself", () => {
  const { results } = vitest('test.skipIf(true)("a", () => expect(1).toBe(1));\ntest("b", ({ skip }) => skip("no reason"));', {});
  expect(readRun(results).silent.map((title) => title.slice(-1))).toEqual(["a", "b"]);
});

const report = (...tests: readonly (readonly [file: string, title: string, status: string])[]): object => ({
  testResults: [...new Set(tests.map(([file]) => file))].map((name) => ({
    name,
    status: tests.some(([file, , status]) => file === name && status === "failed") ? "failed" : "passed",
    assertionResults: tests
      .filter(([file]) => file === name)
      .map(([, fullName, status]) => ({ fullName, status, ancestorTitles: [] })),
  })),
});

test("two runs count as one: what the first left out runs in the second, nothing counts twice, one failure is a failure", () => {
  const [first, second] = [join(folder, "first.json"), join(folder, "second.json")];
  writeFileSync(
    first,
    JSON.stringify(report(["a", "1", "passed"], ["a", "2", "failed"], ["a", "3", "skipped"], ["b", "1", "passed"])),
  );
  writeFileSync(second, JSON.stringify(report(["a", "1", "passed"], ["a", "2", "passed"], ["a", "3", "passed"])));
  expect(finishedFiles(first)).toEqual(["b"]);
  mergeRuns(first, second);
  expect(readRun(second)).toMatchObject({ passed: 3, broken: 1, leftOut: [], silent: [] });
});

test("the table of CONTRIBUTING.md is that of the parts, and every part has a name that tests can write", () => {
  const contributing = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
  expect(contributing).toContain(`\n${markdownTable()}\n<!-- /parts -->`);
  const names = readFileSync(join(root, "scripts/setup/parts.d.mts"), "utf8").matchAll(/\| "(\w+)"/g);
  expect([...names].map(([, name]) => name)).toEqual(Object.keys(PARTS));
});

test("setup says what is missing, what it is for and what brings it, and knows no other parts", () => {
  const run = (...args: string[]): { status: number | null; stdout: string; stderr: string } =>
    spawnSync(process.execPath, [join(root, "scripts/setup.mjs"), ...args], {
      env: { PATH: folder, TENON_WITHOUT: "redis zsh" },
      encoding: "utf8",
    });
  const { status, stdout } = run("--check");
  expect(status).toBe(0);
  expect(stdout).toMatch(/ zsh +19 MB +completion in the shell itself +Debian: zsh\n/);
  expect(stdout).toMatch(/ redis +7 MB +the Redis stores +Debian: redis-server\n/);
  expect(stdout).toContain("npm run setup -- ");
  writeFileSync(join(folder, "fish"), "", { mode: 0o755 });
  expect(run("fish").stdout).toContain("all 1 parts are here");
  expect(run("reddis")).toMatchObject({ status: 2, stderr: expect.stringContaining("no part reddis") as string });
});

test("where nothing was left out there is no table", () => {
  expect(leftOutTable([])).toEqual([]);
});

test("programs are found through the table of parts: no test names where the system keeps them", () => {
  const { stdout } = spawnSync(
    "git",
    ["grep", "-lE", "['\"`]/usr/(s?bin|lib|local)/", "--", "*.test.ts", "packages/*/test/**/*.ts"],
    {
      cwd: root,
      encoding: "utf8",
    },
  );
  expect(stdout.split("\n").filter((name) => name !== "" && readFileSync(join(root, name), "utf8").includes("spawn"))).toEqual(
    [],
  );
});
