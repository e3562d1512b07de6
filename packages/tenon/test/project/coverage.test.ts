// The report on rows must itself be seen to find and to miss: each test writes a small project with a report of vitest and runs
// the script on it.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const script = fileURLToPath(new URL("../../../../scripts/coverage.mjs", import.meta.url));
let parent: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "coverage-"));
  rows("checklist", ["AA-01", "AA-02", "BB-01"]);
  rows("requirements", ["A1.1", "C.2", "S1"]);
  rows("faults", ["H3", "S1"]);
  rows("rules", []);
  write("project/packages/tenon/test/coverage/not-portable.json", "{}");
  write("project/packages/tenon/test/coverage/not-required.json", "{}");
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

function write(name: string, text: string): void {
  const path = join(parent, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function rows(list: string, ids: readonly string[]): void {
  write(`project/packages/tenon/test/coverage/rows/${list}.md`, ids.map((id) => `- ${id} what ${id} says\n`).join(""));
}

interface Ran {
  readonly title: string;
  readonly ancestorTitles?: readonly string[];
  readonly status?: string;
  readonly meta?: object;
}

/** The report of a run with these tests. */
function ran(...tests: readonly (Ran | string)[]): void {
  const assertionResults = tests
    .map((one) => (typeof one === "string" ? { title: one } : one))
    .map((one) => ({ ancestorTitles: [], status: "passed", ...one }));
  write(
    "project/out/test-results.json",
    JSON.stringify({ testResults: [{ name: join(parent, "project/test/a.test.ts"), assertionResults }] }),
  );
}

interface Report {
  readonly lists: readonly { readonly list: string; readonly missing: readonly string[]; readonly problems: readonly string[] }[];
  readonly problems: readonly string[];
}

function run(...flags: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, join(parent, "project"), ...flags], {
    encoding: "utf8",
  });
  return { status, output: stdout + stderr };
}

function reported(list = "checklist"): Report["lists"][number] {
  return (JSON.parse(run("--list", list, "--json").output) as Report).lists[0]!; // the script's own output
}

test.each<[string, Ran | string]>([
  ["a title", "adds [AA-01]"],
  ["one of several ids", "adds [BB-01 AA-01]"],
  ["an id with a comma", "adds [BB-01, AA-01]"],
  ["a row of a table, inside a title", "one [AA-01] is added"],
  ["a title of a group", { title: "adds", ancestorTitles: ["sums [AA-01]", "of two"] }],
])("a row is named by %s", (_what, title) => {
  ran(title);
  expect(reported().missing).not.toContain("AA-01");
});

test.each<[string, Ran | string]>([
  ["a test that failed", { title: "adds [AA-01]", status: "failed" }],
  ["a test that was skipped", { title: "adds [AA-01]", status: "pending" }],
  ["a title without brackets", "adds AA-01"],
  ["brackets that hold other words", "adds [AA-01 or so]"],
  ["a range", "adds [AA-00-AA-02]"],
  ["a longer id", "adds [AA-011 XAA-01 AA-01.2]"],
])("a row is not named by %s", (_what, title) => {
  ran(title);
  expect(reported().missing).toContain("AA-01");
});

test("a checklist row without a test fails and is shown with its sentence", () => {
  ran("adds [AA-01 AA-02]");
  const before = run();
  expect(before.status).toBe(1);
  expect(before.output).toContain("checklist: 3 rows, 2 with a test, 0 that do not apply, 1 without");
  expect(before.output).toContain("without a test: BB-01 what BB-01 says");
  expect(run("--list", "checklist", "--missing").output).toBe("BB-01\n");
  ran("adds [AA-01 AA-02]", "subtracts [BB-01]");
  const after = run("--tests");
  expect(after.status).toBe(0);
  expect(after.output).toContain("test/a.test.ts: subtracts [BB-01]");
});

test("a row whose only tests were left out, because a part is missing, is not run here, which is no failure", () => {
  const needs = { needs: ["redis"] };
  ran("adds [AA-01]", { title: "adds again [AA-01 AA-02]", status: "skipped", meta: needs }, "subtracts [BB-01]");
  const { status, output } = run();
  expect(status).toBe(0);
  expect(output).toContain("checklist: 3 rows, 2 with a test, 0 that do not apply, 1 not run here, 0 without");
  expect(output).toContain("not run here, their tests were left out: AA-02");
  ran("adds [AA-01]", { title: "adds again [AA-02]", status: "skipped" }, "subtracts [BB-01]");
  expect(run().status).toBe(1);
});

test("without a report of a run nothing is proven", () => {
  expect(run()).toMatchObject({ status: 1, output: expect.stringContaining("run `npm run test:all` first") });
});

test("an id that several lists have needs the name of its list", () => {
  ran("adds [AA-01 AA-02 BB-01]", "stops [S1]");
  expect(run()).toMatchObject({
    status: 1,
    output: expect.stringContaining('S1 is in several lists: write "requirement S1" or "fault S1"'),
  });
  ran("adds [AA-01 AA-02 BB-01]", "stops [fault S1, A1.1]");
  expect(run().status).toBe(0);
  expect(reported("faults").missing).toEqual(["H3"]);
  expect(reported("requirements").missing).toEqual(["C.2", "S1"]);
});

test("an id that no list has is a problem", () => {
  ran("adds [AA-01 AA-02 BB-01 ZZ-09]", "stops [rule H3]");
  const { status, output } = run();
  expect(status).toBe(1);
  expect(output).toContain("ZZ-09 is no row");
  expect(output).toContain("H3 is no row of the rules");
});

test("a row that does not apply is counted apart, and a reason that contradicts a test is a problem", () => {
  ran("adds [AA-01 AA-02]");
  write("project/packages/tenon/test/coverage/not-portable.json", '{ "BB-01": "there is nothing like it in JavaScript" }');
  expect(run()).toMatchObject({ status: 0, output: expect.stringContaining("2 with a test, 1 that do not apply, 0 without") });
  write(
    "project/packages/tenon/test/coverage/not-portable.json",
    '{ "AA-01": "there is nothing like it", "ZZ-01": "nor like this" }',
  );
  expect(reported().problems).toEqual([
    "packages/tenon/test/coverage/not-portable.json: ZZ-01 is no row",
    "packages/tenon/test/coverage/not-portable.json: AA-01 has a test: it is one or the other",
  ]);
});

test("a row of a part that is not built yet waits for it, and one that has a test waits no longer", () => {
  ran("adds [AA-01 AA-02 BB-01]", "stops [fault S1, A1.1]");
  write(
    "project/packages/tenon/test/coverage/waiting.json",
    '{ "requirements": { "C.2": "the gateway", "S1": "apps" }, "faults": { "H3": "the gateway" } }',
  );
  const { status, output } = run();
  expect(status).toBe(0);
  expect(output).toContain(
    "requirements: 3 rows, 1 with a test, 0 that do not apply, 2 that wait for a part that is not built, 0 without",
  );
  expect(output).toContain("waits for the gateway: C.2 what C.2 says");
  expect(output).not.toContain("without a test: C.2");
  expect(reported("requirements").missing).toEqual([]);
  write("project/packages/tenon/test/coverage/waiting.json", '{ "requirements": { "A1.1": "apps", "Z9": "apps" } }');
  expect(reported("requirements").problems).toEqual([
    "packages/tenon/test/coverage/waiting.json: Z9 is no row",
    "packages/tenon/test/coverage/waiting.json: A1.1 has a test: it waits no longer",
  ]);
  expect(reported("requirements").missing).toEqual(["C.2", "S1"]);
});

test("the committed lists are compared with their documents, and written from them", () => {
  ran("adds [AA-01 AA-02 BB-01]");
  write("shared/seeds/checklist.md", "| AA-01 | what AA-01 says |\n| AA-02 | it | 004 | 003 | other |\n| CC-01 | three |\n");
  expect(reported().problems).toEqual([
    "packages/tenon/test/coverage/rows/checklist.md lacks CC-01",
    "packages/tenon/test/coverage/rows/checklist.md has BB-01, which is no row",
    "packages/tenon/test/coverage/rows/checklist.md: the sentence of AA-02 has changed",
  ]);
  expect(run("--list", "checklist", "--update").status).toBe(0);
  expect(reported().problems).toEqual([]);
  expect(run().output).toContain("CC-01 three");
});

test("every document is read as it is written", () => {
  ran();
  write("shared/spec/requirements.md", "- A1.1 [all] a\n- A1.10 b\n- C.2 c\n# Z. Rulings\n1. One\n2. Two\n");
  write(
    "shared/design/security.md",
    "| **R1** Host | checked |\n## b.1 stdio\n| S1 | x | y | z |\n## b.7 x\n| R-1 | x |\n# (c)\n| X | y |\n",
  );
  for (const list of ["requirements", "faults", "rules"]) run("--list", list, "--update");
  expect(reported("requirements").missing).toEqual(["A1.1", "A1.10", "C.2", "Z1", "Z2"]);
  expect(reported("faults").missing).toEqual(["S1", "R-1"]);
  expect(reported("rules").missing).toEqual(["R1"]);
});
