// Runs tests beside processes that use every core, and names those that fail only then: they depend on how fast the machine is.
//   npm run busy                              all tests; this takes several times as long as they do alone
//   npm run busy -- test/http src/dispatch    only those files or folders
//   npm run busy -- --hogs 8 test/http        more competition: processes that compute without a pause (default: four for each core)
//   npm run busy -- --runs 5 test/http        beside the hogs several times: what fails seldom is found as well
// The tests run alone first. Exits with 1 if a test fails beside the hogs and did not fail alone.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { endWithReader } from "../scripts/stdout.mjs";

endWithReader();

const project = fileURLToPath(new URL("..", import.meta.url));
const { values: given, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    hogs: { type: "string", default: String(4 * availableParallelism()) },
    runs: { type: "string", default: "1" },
  },
});

/** Runs the tests. Returns the names of those that failed; a file that cannot be loaded is a failure too. */
function failedTests(folder) {
  const report = join(folder, "report.json");
  rmSync(report, { force: true });
  const args = [join(project, "node_modules/vitest/vitest.mjs"), "run", ...files, "--reporter=json", `--outputFile=${report}`];
  const { stderr } = spawnSync(process.execPath, args, { cwd: project, encoding: "utf8", maxBuffer: 1 << 28 });
  let results;
  try {
    results = JSON.parse(readFileSync(report, "utf8")).testResults;
  } catch {
    throw new Error(`vitest wrote no report:\n${stderr.slice(-2_000)}`);
  }
  return results.flatMap(({ name, status, assertionResults }) => {
    const file = name.slice(project.length);
    const failed = assertionResults.filter((one) => one.status === "failed").map(({ fullName }) => `${file} > ${fullName}`);
    return failed.length === 0 && status === "failed" ? [`${file} (the file)`] : failed;
  });
}

/** Starts processes that compute until they are ended. Returns a function that ends them. */
function startHogs(count) {
  const hogs = Array.from({ length: count }, () => spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }));
  const stop = () => hogs.forEach((hog) => hog.kill("SIGKILL"));
  process.on("exit", stop);
  return stop;
}

function main(folder) {
  const alone = new Set(failedTests(folder));
  console.log(`alone: ${alone.size} tests failed`);
  for (const test of alone) console.log(`  ${test}`);
  const stop = startHogs(Number(given.hogs));
  const busy = new Map();
  for (let run = 0; run < Number(given.runs); run++) {
    for (const test of failedTests(folder)) if (!alone.has(test)) busy.set(test, (busy.get(test) ?? 0) + 1);
  }
  stop();
  console.log(`beside ${given.hogs} busy processes: ${busy.size} more tests failed, in ${given.runs} runs`);
  for (const [test, times] of busy) console.log(`  ${times} times: ${test}`);
  process.exitCode = busy.size === 0 ? 0 : 1;
}

const folder = mkdtempSync(join(tmpdir(), "tenon-busy-"));
try {
  main(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
