// Which tests name which row of a list of requirements.
//   node scripts/coverage.mjs                  the checklist (`npm run coverage:checklist`); fails on a row without a test
//   node scripts/coverage.mjs --requirements   the specification's requirements: a report, which never fails
//   node scripts/coverage.mjs --faults         the fault table: a report, which never fails
//   --missing   the ids without a test alone, one a line     --json   everything, for programs
//   --report    print what is missing, but do not fail        --tests  the tests of each row too
// What counts as a test that names an id is said in scripts/coverage/test-titles.mjs. A row that does not apply to TypeScript stands
// with its reason in test/coverage/not-portable.json, a requirement of something that Tenon is not (a host, an intermediary) in
// test/coverage/not-required.json. ROOT as first argument is another checkout, for the script's own test.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { checklistRows, faultRows, notPortable, requirementRows } from "./coverage/rows.mjs";
import { titlesOf } from "./coverage/test-titles.mjs";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const flags = process.argv.slice(2).filter((word) => word.startsWith("--"));
const root = resolve(process.argv.slice(2).find((word) => !word.startsWith("--")) ?? new URL("..", import.meta.url).pathname);
const shared = join(root, "../shared");
const has = (flag) => flags.includes(`--${flag}`);

/** Every test title of `src/` and `test/` that names an id: id → `file:line title`. */
function testsById() {
  const byId = new Map();
  for (const file of [...testFiles("src"), ...testFiles("test")]) {
    for (const { line, title, ids } of titlesIn(file)) {
      for (const id of ids) byId.set(id, [...(byId.get(id) ?? []), `${file}:${line} ${title}`]);
    }
  }
  return byId;
}

function testFiles(folder) {
  const names = readdirSync(join(root, folder), { recursive: true });
  return names.filter((name) => name.endsWith(".test.ts") && !name.includes("node_modules")).map((name) => `${folder}/${name}`);
}

function titlesIn(file) {
  try {
    return titlesOf(readFileSync(join(root, file), "utf8"));
  } catch (error) {
    throw new Error(`${file}: ${error.message}`, { cause: error });
  }
}

function rows() {
  if (has("requirements")) return apart("requirements", requirementRows(shared), "test/coverage/not-required.json");
  if (has("faults")) return { list: "faults", ...faultRows(shared) };
  return apart("checklist", checklistRows(root, shared));
}

/** A list without the rows that do not apply here. */
function apart(list, read, file) {
  if (read === undefined) return { list };
  const { sections, problems } = read;
  const portable = notPortable(root, Object.values(sections).flat(), file);
  return { list, sections, reasons: portable.reasons, file: portable.file, problems: [...problems, ...portable.problems] };
}

/** Some ids of the fault table are requirements too: a title may say which section it means (`b.9-E2`). */
function testsOf(tests, section, id) {
  return [...(tests.get(id) ?? []), ...(tests.get(`${section}-${id}`) ?? [])];
}

function report({ list, sections, reasons = {}, file, problems }) {
  const tests = testsById();
  const entries = Object.entries(sections).map(([section, ids]) => {
    const applicable = ids.filter((id) => !(id in reasons));
    const missing = applicable.filter((id) => testsOf(tests, section, id).length === 0);
    return { section, rows: ids.length, notPortable: ids.length - applicable.length, named: applicable.length - missing.length, missing };
  });
  const contradicted = Object.keys(reasons).filter((id) => tests.has(id));
  const tested = Object.fromEntries(
    Object.entries(sections).flatMap(([section, ids]) => ids.map((id) => [id, testsOf(tests, section, id)])),
  );
  return {
    list,
    sections: entries,
    missing: entries.flatMap((entry) => entry.missing),
    notPortable: reasons,
    problems: [...problems, ...contradicted.map((id) => `${file}: ${id} has a test: it is one or the other`)],
    tests: tested,
  };
}

function print(result) {
  const line = (name, rows, named, apart, missing) =>
    `${name.padEnd(12)}${String(rows).padStart(5)}${String(named).padStart(7)}${String(apart).padStart(14)}  ${missing}`;
  console.log(line(result.list, "rows", "named", "not portable", "missing").trimEnd());
  for (const { section, rows, named, notPortable, missing } of result.sections) {
    console.log(line(section, rows, named, notPortable, missing.join(" ")).trimEnd());
  }
  if (has("tests")) for (const [id, titles] of Object.entries(result.tests)) console.log([id, ...titles].join("\n    "));
  for (const [id, reason] of Object.entries(result.notPortable)) console.log(`not portable: ${id}: ${reason}`);
  for (const problem of result.problems) console.log(`problem: ${problem}`);
  if (result.list !== "checklist") console.log(`in both lists, requirements and faults, so look twice: ${sharedIds().join(" ")}`);
  const all = Object.keys(result.tests).length;
  console.log(`${result.list}: ${all} rows, ${result.missing.length} without a test`);
}

/** Ids that the requirements and the fault table both have: a title that does not say which names both. */
function sharedIds() {
  const [one, other] = [requirementRows(shared), faultRows(shared)].map((list) => Object.values(list?.sections ?? {}).flat());
  return one.filter((id) => other.includes(id));
}

const asked = rows();
if (asked.sections === undefined) {
  console.log(`${asked.list}: the list is not here (${shared})`);
} else {
  const result = report(asked);
  if (has("json")) console.log(JSON.stringify(result, undefined, 2));
  else if (has("missing")) for (const id of result.missing) console.log(id);
  else print(result);
  const bad = result.missing.length > 0 || result.problems.length > 0;
  if (bad && asked.list === "checklist" && !has("report")) process.exitCode = 1;
}
