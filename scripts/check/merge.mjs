// Two runs of the same commit as one: a clone that lacks parts has run what it can (`.ci/run bare`), and a machine that has everything
// runs the files of which something was left out. No test counts twice, and one that failed in either run has failed.
import { readFileSync, writeFileSync } from "node:fs";

const read = (file) => JSON.parse(readFileSync(file, "utf8"));
const isDone = ({ status }) => status === "passed" || status === "failed";

/** The files of a run of which every test ran, as vitest names them. */
export function finishedFiles(reportFile) {
  const finished = read(reportFile).testResults.filter(({ assertionResults }) => assertionResults.every(isDone));
  return finished.map(({ name }) => name);
}

/** Writes into the report of the later run what only the earlier one ran. */
export function mergeRuns(earlierFile, laterFile) {
  const [earlier, later] = [earlierFile, laterFile].map((file) => read(file).testResults);
  const byName = new Map(later.map((one) => [one.name, one]));
  for (const file of earlier) {
    const again = byName.get(file.name);
    if (again === undefined) byName.set(file.name, file);
    else keepFailures(file, again);
  }
  const testResults = [...byName.values()];
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  const count = (wanted) => all.filter(({ status }) => status === wanted).length;
  writeFileSync(laterFile, JSON.stringify({ numPassedTests: count("passed"), numFailedTests: count("failed"), testResults }));
}

/** A test that failed before has failed, whatever it does later. */
function keepFailures(before, after) {
  const failed = new Set(before.assertionResults.filter(({ status }) => status === "failed").map(({ fullName }) => fullName));
  for (const one of after.assertionResults) if (failed.has(one.fullName)) one.status = "failed";
  if (before.status === "failed") after.status = "failed";
}
