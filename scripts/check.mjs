// Runs the project's checks and prints one line a step, its output only when it fails.
//   node scripts/check.mjs           build, types, lint, unit tests, package, sizes, paths (`npm run check`, 75 seconds on two cores)
//   node scripts/check.mjs --tests   builds, and proves the library: every test but those that run long in programs (`npm test`)
//   node scripts/check.mjs --all     everything: these tests too, and the short form of the long proofs (`npm run test:all`)
//   node scripts/check.mjs --after REPORT   the same without what a run of `--tests` of this commit, whose report this is, has proven
//                                    already; both count as one
// A failing step does not hide the others; the exit status is that of all. Tests run last and alone. The end says which tests were left
// out, because this machine lacks what they need (in continuous integration they fail), and its last line counts: `N passed, N failed`.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { leftOutTable } from "./check/left-out.mjs";
import { mergeRuns } from "./check/merge.mjs";
import { readRun } from "./check/run.mjs";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const root = fileURLToPath(new URL("..", import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
const toggle = { type: "boolean", default: false };
const { values: flags } = parseArgs({ options: { tests: toggle, all: toggle, after: { type: "string" } } });
const everything = flags.all || flags.after !== undefined;
const wanted = flags.tests || everything ? ["unit", "whole", "alone"] : ["unit"];
const projects = everything ? [...wanted, "programs", "lab"] : wanted;
const results = `${root}out/test-results.json`;
const failed = [];

/** Runs a command, as npm would; resolves when it has ended, whatever came of it. */
function step(name, command, { quiet = true, env = {} } = {}) {
  const started = performance.now();
  const child = spawn(command, {
    cwd: root,
    shell: true,
    stdio: quiet ? ["ignore", "pipe", "pipe"] : ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...env, PATH: `${root}node_modules/.bin:${process.env.PATH}` },
  });
  let output = "";
  child.stdout?.on("data", (text) => (output += text));
  child.stderr?.on("data", (text) => (output += text));
  return new Promise((done) => {
    child.on("close", (status) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1).padStart(5);
      if (status !== 0) failed.push(name);
      if (status !== 0 && quiet) console.log(output.trimEnd());
      console.log(`${status === 0 ? "ok  " : "FAIL"} ${seconds} s  ${name}`);
      done();
    });
  });
}

/** Steps of which the next begins when the one before has ended: what runs beside them has a core of its own. */
async function inTurn(...steps) {
  for (const [name, command] of steps) await step(name, command);
}

/** Says which tests were skipped, and fails those for which no part was missing: that is no reason. */
function leaveNoneSilent({ leftOut, silent }) {
  for (const line of leftOutTable(leftOut)) console.log(line);
  for (const title of silent) console.log(`Skipped, and no part was missing: ${title}`);
  if (silent.length > 0) failed.push(`${silent.length} tests skipped without a reason`);
}

/** Everything but the tests: two rows of steps side by side. */
function checkSource() {
  return Promise.all([
    inTurn(["types", scripts.types], ["lint", scripts.lint]),
    inTurn(
      ["package", scripts.package],
      ["public API and its changelog", scripts.api],
      ["unused code and dependencies", scripts.knip],
      ["sizes", scripts.size],
      ["files on the path of a call", scripts.trace],
    ),
  ]);
}

/** Runs the tests, and says which rows they prove if none is left out. */
async function runTests() {
  const env = { TENON_TEST_RESULTS: results, ...(flags.after !== undefined && { TENON_TEST_AFTER: flags.after }) };
  await step("tests", `vitest run ${projects.map((name) => `--project ${name}`).join(" ")}`, { quiet: false, env });
  if (flags.after !== undefined && existsSync(results)) mergeRuns(flags.after, results);
  if (everything && existsSync(results)) await step("rows with a test", "node scripts/coverage.mjs");
}

rmSync(results, { force: true });
mkdirSync(`${root}out`, { recursive: true });
await step("build", scripts.build);
if (!flags.tests) await checkSource();
await runTests();
const run = existsSync(results) ? readRun(results) : { passed: 0, broken: 0, leftOut: [], silent: [] };
leaveNoneSilent(run);
// A run that died or left errors behind is at least one failure.
const broken = Math.max(run.broken + run.silent.length, failed.includes("tests") ? 1 : 0);
console.log(failed.length === 0 ? "all checks passed" : `failed: ${failed.join(", ")}`);
console.log(`${run.passed} passed, ${broken} failed`);
process.exit(failed.length === 0 ? 0 : 1);
