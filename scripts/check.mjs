// Runs the project's checks and prints one line a step, its output only when it fails.
//   node scripts/check.mjs         build, types, lint, unit tests, package, sizes, paths (`npm run check`, half a minute)
//   node scripts/check.mjs --all   the same, with every test instead of the unit tests (`npm test`)
// A failing step does not hide the others; the exit status is that of all. Tests run last and alone. The end says which tests were left
// out, because this machine lacks what they need (in continuous integration they fail), and its last line counts: `N passed, N failed`.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { leftOutTable } from "./check/left-out.mjs";
import { readRun } from "./check/run.mjs";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const root = fileURLToPath(new URL("..", import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
const everything = process.argv.includes("--all");
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

rmSync(results, { force: true });
mkdirSync(`${root}out`, { recursive: true });
await step("build", scripts.build);
await Promise.all([
  inTurn(["types", scripts.types], ["lint", scripts.lint]),
  inTurn(
    ["package", scripts.package],
    ["public API and its changelog", scripts.api],
    ["unused code and dependencies", scripts.knip],
    ["sizes", scripts.size],
    ["files on the path of a call", scripts.trace],
  ),
]);
await step("tests", `vitest run --project unit ${everything ? "--project whole" : ""}`, {
  quiet: false,
  env: { TENON_TEST_RESULTS: results },
});
if (everything && existsSync(results)) await step("rows with a test", "node scripts/coverage.mjs");
const run = existsSync(results) ? readRun(results) : { passed: 0, broken: 0, leftOut: [], silent: [] };
leaveNoneSilent(run);
const { passed } = run;
// A run that died or left errors behind is at least one failure.
const broken = Math.max(run.broken + run.silent.length, failed.includes("tests") ? 1 : 0);
console.log(failed.length === 0 ? "all checks passed" : `failed: ${failed.join(", ")}`);
console.log(`${passed} passed, ${broken} failed`);
process.exit(failed.length === 0 ? 0 : 1);
