// Removes each security check from the source, one at a time, and expects a test to fail. Proves that no check is untested.
//   npm run mutants                    all of lab/mutation/guards/, on one process more than there are cores
//   npm run mutants -- --only R14      those of one rule; or those whose name or folder matches a pattern
//   npm run mutants -- --part 2/4      the second of four parts, each of which takes every fourth
//   npm run mutants -- --check         only whether each check is still in the source
// The changes are made in copies below out/mutation/. A check that can be removed without a failing test makes the command fail.
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { guards } from "./guards/index.mjs";
import { brokenWithout, placesOf } from "./places.mjs";
import { Runner } from "./runner.mjs";
import { project } from "./sandbox.mjs";
import { endWithReader } from "../../scripts/stdout.mjs";

endWithReader();

const { values: given } = parseArgs({
  options: {
    only: { type: "string" },
    part: { type: "string" },
    check: { type: "boolean" },
    lanes: { type: "string" },
    json: { type: "boolean" },
  },
});

const [part, parts] = /^[1-9]\d*\/[1-9]\d*$/.test(given.part ?? "1/1") ? (given.part ?? "1/1").split("/").map(Number) : [];
if (parts === undefined || part > parts) throw new TypeError(`--part is a part of all, such as 2/4, not ${given.part}`);

/** Milliseconds one file of tests may take, also with every guard in place. They take a few seconds. */
const TIMEOUT = 120_000;
/**
 * Milliseconds after which a test has failed that hangs because its guard is gone. With every guard in place tests have the usual
 * time.
 */
const HANG = 20_000;

/** Why a guard cannot be removed as it is written down; undefined if it can. */
function fault({ folder, find, replace, tests }) {
  const places = placesOf(project, { folder, find });
  if (places.length !== 1) return `"${find}" is ${places.length} times in ${folder}`;
  const broken = brokenWithout(project, { folder, find, replace });
  if (broken !== undefined) return `no program without "${find}": ${broken}`;
  const missing = tests.find((test) => !existsSync(join(project, test)));
  return missing && `there is no ${missing}`;
}

const titleOf = ({ rule, name, folder }) => `${rule} ${name} (${folder})`;

/** Runs the tests without the guard. Resolves with what failed; nothing failed if the guard is not tested. */
async function without(runner, { folder, find, replace, tests }) {
  const [file] = placesOf(runner.sandbox.root, { folder, find });
  runner.write(
    file,
    runner.sandbox.read(file).replace(find, () => replace),
  );
  for (const test of tests) {
    const { failures, tests: count, timedOut } = await runner.run([test], { timeout: TIMEOUT });
    if (failures.length > 0) return { ...asFailure(failures[0]), timedOut };
    if (count === 0) return { broken: `${test} ran no test` };
  }
  return {};
}

/** A file that cannot be loaded says nothing about the guard. */
function asFailure(failure) {
  return /^run failed|SyntaxError|Transform failed|No test suite/.test(failure) ? { broken: failure } : { killedBy: failure };
}

/** Takes test files off a queue. Those that fail with every guard in place prove nothing. Resolves with what failed. */
async function baseline(sandbox, files) {
  const runner = new Runner(sandbox);
  const found = [];
  for (let file = files.shift(); file !== undefined; file = files.shift()) {
    const { failures } = await runner.run([file], { timeout: TIMEOUT });
    found.push(...failures.map((failure) => (failure.startsWith(file) ? failure : `${file}: ${failure}`)));
  }
  runner.stop();
  return found;
}

/** Takes guards off a queue. Resolves with its sandbox, in which every guard is in place again. */
async function lane(index, queue, results) {
  const runner = new Runner(`guards-${index}`, HANG);
  for (let guard = queue.shift(); guard !== undefined; guard = queue.shift()) {
    const started = performance.now();
    const outcome = await without(runner, guard);
    runner.restore();
    results.push({ guard, ...outcome });
    const verdict = outcome.killedBy ? "noticed " : "SURVIVED";
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${verdict} ${seconds} s  ${titleOf(guard)}${outcome.broken ? `: ${outcome.broken}` : ""}`);
  }
  runner.stop();
  return runner.sandbox;
}

async function main() {
  const ofPart = guards.filter((_, index) => index % parts === part - 1);
  const chosen = ofPart.filter(
    (guard) => given.only === undefined || guard.rule === given.only || new RegExp(given.only).test(titleOf(guard)),
  );
  const faults = chosen.flatMap((guard) => (fault(guard) ? [`${titleOf(guard)}: ${fault(guard)}`] : []));
  for (const one of faults) console.error(one);
  if (faults.length > 0 || given.check) {
    process.exitCode = faults.length === 0 ? 0 : 1;
    return;
  }
  const begin = performance.now();
  const queue = [...chosen];
  const results = [];
  // One more than there are cores: a removed check often shows by a test that waits in vain.
  const lanes = Array.from({ length: Number(given.lanes ?? availableParallelism() + 1) }, (_, index) => index);
  const sandboxes = await Promise.all(lanes.slice(0, queue.length).map((index) => lane(index, queue, results)));
  const files = [...new Set(chosen.flatMap(({ tests }) => tests))];
  const failures = (await Promise.all(sandboxes.map((sandbox) => baseline(sandbox, files)))).flat();
  for (const failure of failures) console.error(`fails with every guard in place: ${failure}`);
  const killed = results.filter(({ killedBy }) => killedBy).length;
  const seconds = ((performance.now() - begin) / 1000).toFixed(0);
  console.log(`${killed} of ${chosen.length} removed guards were noticed, in ${seconds} s`);
  process.exitCode = killed === chosen.length && failures.length === 0 ? 0 : 1;
}

await main();
