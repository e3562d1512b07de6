/** The files of a run that have tests which did not run. */
export function unfinishedFiles(reportFile: string): string[];
/** Writes into the report of the later run what only the earlier one ran. */
export function mergeRuns(earlierFile: string, laterFile: string): void;
