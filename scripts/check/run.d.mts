import type { LeftOut } from "./left-out.mjs";

/** What became of a run's tests. */
export interface Run {
  readonly passed: number;
  /** Tests that failed, and files that could not be read. */
  readonly broken: number;
  readonly leftOut: readonly LeftOut[];
  /** Titles of tests that were skipped although no part was missing. */
  readonly silent: readonly string[];
}

/** Reads vitest's report of a run. */
export function readRun(reportFile: string): Run;
