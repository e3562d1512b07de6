// Runs the project's checks and prints one line a step, its output only when it fails.
//   node scripts/check.mjs         build, types, lint, unit tests, package, sizes, paths (`npm run check`, 75 seconds on two cores)
//   node scripts/check.mjs --all   the same, with every test instead of the unit tests (`npm test`)
//   node scripts/check.mjs --all --lab    the short form of the long proofs as well (`npm run test:all`)
//   node scripts/check.mjs --after REPORT   builds, and runs the files of which another run of the same commit, whose report this is, left
//                                  tests out; both count as one
// A failing step does not hide the others; the exit status is that of all. Tests run last and alone. The end says which tests were left
// out, because this machine lacks what they need (in continuous integration they fail), and its last line counts: `N passed, N failed`.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { leftOutTable } from "./check/left-out.mjs";
import { mergeRuns, unfinishedFiles } from "./check/merge.mjs";
import { readRun } from "./check/run.mjs";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const root = fileURLToPath(new URL("..", import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
const toggle = { type: "boolean", default: false };
const { values: flags } = parseArgs({ options: { all: toggle, lab: toggle, after: { type: "string" } } });
const everything = flags.all || flags.after !== undefined;
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

/** Runs the tests, and says which rows they prove. */
async function runTests() {
  const projects = ["unit", ...(everything ? ["whole", "alone"] : []), ...(flags.lab ? ["lab"] : [])];
  const only = flags.after === undefined ? [] : [...unfinishedFiles(flags.after), ...(flags.lab ? [`${root}lab/`] : [])];
  const which = [...projects.map((name) => `--project ${name}`), ...only.map((file) => JSON.stringify(file))];
  await step("tests", `vitest run ${which.join(" ")}`, { quiet: false, env: { TENON_TEST_RESULTS: results } });
  if (flags.after !== undefined && existsSync(results)) mergeRuns(flags.after, results);
  if (everything && existsSync(results)) await step("rows with a test", "node scripts/coverage.mjs");
}

rmSync(results, { force: true });
mkdirSync(`${root}out`, { recursive: true });
await step("build", scripts.build);
if (flags.after === undefined) await checkSource();
await runTests();
const run = existsSync(results) ? readRun(results) : { passed: 0, broken: 0, leftOut: [], silent: [] };
leaveNoneSilent(run);
// A run that died or left errors behind is at least one failure.
const broken = Math.max(run.broken + run.silent.length, failed.includes("tests") ? 1 : 0);
console.log(failed.length === 0 ? "all checks passed" : `failed: ${failed.join(", ")}`);
console.log(`${run.passed} passed, ${broken} failed`);
process.exit(failed.length === 0 ? 0 : 1);
