// The report on ids must itself be seen to find and to miss: each test writes a small project and runs the script on it.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const script = fileURLToPath(new URL("../../scripts/coverage.mjs", import.meta.url));
let parent: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "coverage-"));
  for (const folder of ["src", "test"]) mkdirSync(join(parent, "project", folder), { recursive: true });
  write("project/test/coverage/checklist-ids.json", '{ "AA": "AA-01 AA-02", "BB": "BB-01" }');
  write("project/test/coverage/not-portable.json", "{}");
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

function write(name: string, text: string): void {
  const path = join(parent, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

interface Report {
  readonly missing: readonly string[];
  readonly problems: readonly string[];
  readonly tests: Readonly<Record<string, readonly string[]>>;
}

function run(...flags: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, join(parent, "project"), ...flags], {
    encoding: "utf8",
    timeout: 10_000,
  });
  return { status, output: stdout + stderr };
}

function reported(...flags: string[]): Report {
  return JSON.parse(run("--json", ...flags).output) as Report; // the script's own output
}

test.each([
  ["it", 'it("AA-01 adds", () => {});'],
  ["a describe", 'describe("AA-01", () => { it("adds", () => {}); });'],
  ["a matrix of our own", 'describeMatrix("AA-01 calls", (cell) => {});'],
  ["a comma list", 'test("BB-01, AA-01: both", () => {});'],
  ["a template", "it(`AA-01 for ${name}`, () => {});"],
  ["each", 'it.each([1, 2])("AA-01 takes %i", () => {});'],
  ["a modifier with arguments", 'describe.runIf(here()).each([1])("AA-01 takes %i", () => {});'],
  ["type arguments", 'test.each<[string, (id: number) => string]>([["a)", 1]])("AA-01 %s", () => {});'],
  ["a row of a table", 'it.each([["AA-01 zero", 0], ["one", 1]])("%s", () => {});'],
  ["a row of a table with a name", 'const rows: [string, RegExp][] = [\n  ["AA-01 zero", /["\'(]/],\n];\nit.each(rows)("%s", () => {});'],
  ["a title on the next line", 'it(\n  "AA-01 adds",\n  () => {},\n);'],
])("a row is named by %s", (_what, source) => {
  write("project/src/a.test.ts", source);
  expect(reported().missing).not.toContain("AA-01");
});

test.each([
  ["a comment", '// it("AA-01 adds", () => {});\n/* it("AA-01 adds") */'],
  ["a skipped test", 'it.skip("AA-01 adds", () => {});'],
  ["a test to be written", 'it.todo("AA-01 adds");'],
  ["a range", 'it("AA-00-AA-02 adds", () => {});'],
  ["a longer id", 'it("AA-011 and XAA-01 and AA-01.2", () => {});'],
  ["text that is no title", 'it("adds", () => { expect("AA-01").toBe("AA-01"); });'],
  ["an expression in a template", 'it(`adds ${"AA-01"}`, () => {});'],
  ["a string inside of a row", 'it.each([["one AA-01", 1]])("%s", () => {});'],
  ["another function's title", 'commit("AA-01 adds");'],
  ["a method", 'suite.test("AA-01 adds");'],
])("a row is not named by %s", (_what, source) => {
  write("project/test/deep/a.test.ts", source);
  expect(reported().missing).toContain("AA-01");
});

test("a row without a test fails and is named; with all of them it passes and says where they are", () => {
  write("project/test/a.test.ts", '\nit("AA-01 AA-02 adds", () => {});');
  const before = run();
  expect(before.status).toBe(1);
  expect(before.output).toContain("checklist: 3 rows, 1 without a test");
  expect(run("--missing").output).toBe("BB-01\n");
  expect(run("--report").status).toBe(0);
  write("project/src/b.test.ts", 'it("BB-01 subtracts", () => {});');
  const after = run("--tests");
  expect(after.status).toBe(0);
  expect(after.output).toContain("test/a.test.ts:2 AA-01 AA-02 adds");
});

test("a row that does not apply is listed with its reason, and a reason without a row is a problem", () => {
  write("project/test/a.test.ts", 'it("AA-01 AA-02 adds", () => {});');
  write("project/test/coverage/not-portable.json", '{ "BB-01": "there is nothing like it in JavaScript" }');
  const { status, output } = run();
  expect(output).toContain("not portable: BB-01: there is nothing like it in JavaScript");
  expect(status).toBe(0);
  write("project/test/coverage/not-portable.json", '{ "BB-01": "no", "ZZ-01": "there is nothing like it in JavaScript" }');
  expect(reported().problems).toHaveLength(2);
  write("project/test/coverage/not-portable.json", '{ "AA-01": "there is nothing like it in JavaScript" }');
  expect(reported().problems).toEqual(["test/coverage/not-portable.json: AA-01 has a test: it is one or the other"]);
  expect(run().status).toBe(1);
});

test("the committed ids are compared with the checklist where it can be read", () => {
  write("project/test/a.test.ts", 'it("AA-01 AA-02 BB-01 adds", () => {});');
  write("shared/seeds/checklist.md", "| AA-01 | one |\n| AA-02 | two |\n| CC-01 | three |\n");
  expect(reported().problems).toEqual([
    "test/coverage/checklist-ids.json lacks CC-01",
    "test/coverage/checklist-ids.json has BB-01, which is no row",
  ]);
  expect(run().status).toBe(1);
});

test("requirements and faults are reports, where their lists can be read", () => {
  expect(run("--requirements")).toMatchObject({ status: 0, output: expect.stringContaining("not here") });
  write("project/test/a.test.ts", 'it("A1.1 C.2 H3 Z2 S1 adds", () => {});');
  write("shared/spec/requirements.md", "- A1.1 [all] a\n- A1.10 b\n- C.2 c\n- H3 d\n# Z. Rulings\n1. One\n2. Two\n");
  write("shared/design/security.md", "## a.1\n| L1 | x |\n## b.1 stdio\n| S1 | x |\n| S2 | x |\n## b.7 x\n| R-1 | x |\n# (c)\n| X | y |\n");
  expect(reported("--requirements").missing).toEqual(["A1.10", "Z1"]);
  expect(reported("--faults").missing).toEqual(["S2", "R-1"]);
  write(
    "project/test/coverage/not-required.json",
    '{ "Z1": "it is for hosts, and this is none", "A1.1": "it is for hosts, and this is none" }',
  );
  expect(reported("--requirements")).toMatchObject({
    missing: ["A1.10"],
    problems: ["test/coverage/not-required.json: A1.1 has a test: it is one or the other"],
  });
  write("project/test/b.test.ts", 'it("b.1-S2 b.2-R-1 adds", () => {});');
  expect(reported("--faults").missing).toEqual(["R-1"]);
  expect(run("--faults").status).toBe(0);
});

test("source that is not understood is an error, not a test less", () => {
  write("project/test/a.test.ts", 'it("AA-01 adds", () => {');
  expect(run()).toMatchObject({ status: 1, output: expect.stringContaining("test/a.test.ts: a bracket does not close") });
});
