// Reads vitest's report of a run: how many tests passed and failed, which were left out for which missing parts, and which were
// skipped although nothing was missing.
import { readFileSync } from "node:fs";

/** `{ passed, broken, leftOut: [{ file, parts }], silent: titles }`. A file that could not be read counts as one broken test. */
export function readRun(reportFile) {
  const { testResults, numPassedTests, numFailedTests } = JSON.parse(readFileSync(reportFile, "utf8"));
  const unread = testResults.filter(({ status, assertionResults }) => status === "failed" && assertionResults.length === 0);
  const skipped = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => !["passed", "failed"].includes(status))
      .map(({ fullName, meta }) => ({ file: name, title: `${name}: ${fullName}`, parts: meta?.needs })),
  );
  return {
    passed: numPassedTests,
    broken: numFailedTests + unread.length,
    leftOut: skipped.filter(({ parts }) => parts !== undefined).map(({ file, parts }) => ({ file, parts })),
    silent: skipped.filter(({ parts }) => parts === undefined).map(({ title }) => title),
  };
}
