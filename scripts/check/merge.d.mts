/** The files of a run of which every test ran. */
export function finishedFiles(reportFile: string): string[];
/** Writes into the report of the later run what only the earlier one ran. */
export function mergeRuns(earlierFile: string, laterFile: string): void;
