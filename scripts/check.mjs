// Runs the project's checks and prints one line a step, its output only when it fails.
//   node scripts/check.mjs         build, types, lint, unit tests, package, sizes, paths (`npm run check`, half a minute)
//   node scripts/check.mjs --all   the same, with every test instead of the unit tests (`npm test`)
// A failing step does not hide the others; the exit status is that of all. Tests run last and alone, and the last line
// counts them: `N passed, N failed`.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const root = fileURLToPath(new URL("..", import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
const everything = process.argv.includes("--all");
const results = `${root}out/test-results.json`;
const failed = [];

/** Runs a command, as npm would; resolves when it has ended, whatever came of it. */
function step(name, command, { quiet = true } = {}) {
  const started = performance.now();
  const child = spawn(command, {
    cwd: root,
    shell: true,
    stdio: quiet ? ["ignore", "pipe", "pipe"] : ["ignore", "inherit", "inherit"],
    env: { ...process.env, PATH: `${root}node_modules/.bin:${process.env.PATH}` },
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

/**
 * Passed and failed tests as vitest's report counts them. A run that died or left errors behind is at least one failure,
 * and so is each skipped test where nothing may be missing: in continuous integration.
 */
function count() {
  try {
    const report = JSON.parse(readFileSync(results, "utf8"));
    const emptyFiles = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0).length;
    const skipped = process.env.CI ? report.numPendingTests + report.numTodoTests : 0;
    if (skipped > 0) failed.push(`${skipped} skipped tests`);
    const broken = report.numFailedTests + emptyFiles + skipped;
    return { passed: report.numPassedTests, broken: Math.max(broken, failed.includes("tests") ? 1 : 0) };
  } catch {
    return { passed: 0, broken: 1 };
  }
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
await step(
  "tests",
  `vitest run ${everything ? "" : "--project unit "}--reporter=default --reporter=json --outputFile.json=${JSON.stringify(results)}`,
  { quiet: false },
);
if (everything) await step("rows with a test", "node scripts/coverage.mjs");
const { passed, broken } = count();
console.log(failed.length === 0 ? "all checks passed" : `failed: ${failed.join(", ")}`);
console.log(`${passed} passed, ${broken} failed`);
process.exit(failed.length === 0 ? 0 : 1);
