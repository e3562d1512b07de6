// Tests that can fail: security checks that are removed, and sources that are changed at random.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { last, project, read, row, script } from "./run.mjs";

export async function mutants() {
  const { output, ok } = await script("mutants");
  return [row("Security checks that were removed", "100 % noticed by a test", last(output), ok)];
}

/** The newest report of each folder. With --quick those of today's runs of `npm run mutate`, which take an hour. */
function mutationReports() {
  const folder = join(project, "out/mutation");
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => /^report-.*\.json$/.test(name)) : [];
  const reports = files.flatMap((name) => read(`out/mutation/${name}`).folders);
  const newest = new Map();
  for (const report of reports.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)))
    if (Date.now() - Date.parse(report.at) < 24 * 3_600_000) newest.set(report.folder, report);
  return [...newest.values()];
}

/** The folders of `lab/mutation/mutate.mjs`. */
const MUTATED = ["src/dispatch", "src/session/asking", "src/server/http", "src/client/http", "src/auth", "src/extensions/tasks"];

export async function mutate(size) {
  if (!size.quick) await script("mutate", "--lane", "scoreboard", "--sample", String(size.mutants));
  const folders = mutationReports();
  const unknown = MUTATED.filter((name) => !folders.some(({ folder }) => folder === name));
  const missing = unknown.map((name) => ({
    ...row(`Mutants of ${name}`, "≥ 85 % noticed", "run `npm run mutate` first", false),
    isUnknown: true,
  }));
  const known = folders.map(({ folder, score, mutants: tried }) =>
    row(`Mutants of ${folder}`, "≥ 85 % noticed", `${(score * 100).toFixed(1)} % of ${tried}`, score >= 0.85),
  );
  return [...known, ...missing];
}
