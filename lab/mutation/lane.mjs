// A process that runs test files of one sandbox with vitest, again and again, on one worker. What it has compiled stays in its
// memory, so that a run costs little more than its tests. `runner.mjs` starts it, tells it what to run, and ends it if a run
// hangs.
import { createVitest } from "vitest/node";
import { endProcesses } from "./end-processes.mjs";

// The runner is gone, whatever has ended it: nothing of this lane may outlive it.
process.on("disconnect", () => endProcesses(process.pid));

// `testTimeout`: milliseconds after which a test that hangs has failed.
const [root, testTimeout] = process.argv.slice(2);
const TEST_TIMEOUT = Number(testTimeout);

const vitest = await createVitest("test", {
  root,
  watch: false,
  maxWorkers: 1,
  bail: 1,
  silent: true,
  reporters: [{}],
  testTimeout: TEST_TIMEOUT,
  hookTimeout: TEST_TIMEOUT,
  expect: { poll: { timeout: TEST_TIMEOUT / 2, interval: 10 } },
});
await vitest.standalone();

/** The titles of failed tests; files that could not be loaded count too. */
function failuresOf({ testModules, unhandledErrors }) {
  const failures = unhandledErrors.map((error) => `unhandled: ${error.message}`);
  for (const module of testModules) {
    for (const error of module.errors()) failures.push(`${module.relativeModuleId}: ${error.message}`);
    for (const test of module.children.allTests("failed")) {
      failures.push(`${module.relativeModuleId} > ${test.fullName}: ${test.result().errors[0]?.message ?? ""}`);
    }
  }
  return failures;
}

/** Tests that ran: a run of none proves nothing. */
function countOf({ testModules }) {
  let count = 0;
  for (const module of testModules) {
    for (const test of module.children.allTests()) if (["passed", "failed"].includes(test.result().state)) count++;
  }
  return count;
}

/** Vitest counts failures of all runs, and would cut the next one short. */
function forget(state) {
  for (const table of [state.filesMap, state.idMap, state.pathsSet]) table.clear();
  state.clearErrors();
}

/** Runs what the runner orders, and sends the outcome. */
async function answer({ changed, files, pattern }) {
  try {
    for (const file of changed) vitest.invalidateFile(`${root}/${file}`);
    if (pattern === undefined) vitest.resetGlobalTestNamePattern();
    else vitest.setGlobalTestNamePattern(pattern);
    const all = await vitest.globTestSpecifications(files);
    const specifications = all.filter(({ moduleId }) => files.some((file) => moduleId === `${root}/${file}`));
    forget(vitest.state);
    const result = await vitest.runTestSpecifications(specifications);
    process.send({ failures: failuresOf(result), tests: countOf(result) });
  } catch (error) {
    process.send({ failures: [`run failed: ${error?.stack ?? error}`], tests: 0 });
  }
}

process.on("message", (order) => void answer(order));
process.on("disconnect", () => process.exit());
process.send({ ready: true });
