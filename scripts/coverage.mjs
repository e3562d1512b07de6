// Which rows have a test that ran and passed: of the checklist, the requirements, the faults, the security rules and the field.
//   node scripts/coverage.mjs                  all five lists (`npm run coverage`); fails on a checklist row without a test
//   node scripts/coverage.mjs --list faults    one list
//   --tests   the tests of each row too     --missing   the ids without a test alone, one a line     --json   for programs
//   --update  writes the committed lists (test/coverage/rows/) anew from ../shared
// It reads the report of the last run of all tests (`npm run test:all` leaves it in out/test-results.json). A row whose only tests were left out,
// because this machine lacks what they need, counts as not run here. Rows that do not apply here stand
// with their reasons in test/coverage/not-portable.json and not-required.json; rows of parts that are not built yet in waiting.json. ROOT as first argument is another checkout.
import { join, resolve } from "node:path";
import { readTests } from "./coverage/ran.mjs";
import { committedRows, differences, LIST_NAMES, LISTS, reasonsOf, updateRows, WAITING, waitingRows } from "./coverage/rows.mjs";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const args = process.argv.slice(2);
const has = (flag) => args.includes(`--${flag}`);
const asked = has("list") ? args[args.indexOf("--list") + 1] : undefined;
const root = resolve(args.find((word) => !word.startsWith("--") && word !== asked) ?? new URL("..", import.meta.url).pathname);
const shared = join(root, "../shared");
const lists = asked === undefined ? Object.keys(LISTS) : [asked];

/** Every id of every list: which lists have it. */
function listsById() {
  const byId = new Map();
  for (const list of Object.keys(LISTS)) for (const id of committedRows(root, list).keys()) byId.set(id, [...(byId.get(id) ?? []), list]);
  return byId;
}

/** The tests of each row, as `list id` → where, and what is wrong with the ids that titles name. */
function testsByRow(tests) {
  const byId = listsById();
  const byRow = new Map();
  const problems = new Set();
  for (const { where, names } of tests) {
    for (const { list, id } of names) {
      const known = byId.get(id) ?? [];
      if (list === undefined && known.length > 1) {
        const words = Object.entries(LIST_NAMES)
          .filter(([, one]) => known.includes(one))
          .map(([word]) => word);
        problems.add(`${where}: ${id} is in several lists: write "${words.join(` ${id}" or "`)} ${id}"`);
      } else if (known.length === 0 || (list !== undefined && !known.includes(list))) {
        problems.add(`${where}: ${id} is no row${list === undefined ? "" : ` of the ${list}`}`);
      } else {
        const key = `${list ?? known[0]} ${id}`;
        byRow.set(key, [...(byRow.get(key) ?? []), where]);
      }
    }
  }
  return { byRow, problems: [...problems] };
}

/** @param byRow the tests of each row that passed  @param leftOut those that were left out for a missing part */
function report(list, byRow, leftOut) {
  const rows = [...committedRows(root, list).keys()];
  const reasons = reasonsOf(root, list);
  const waiting = waitingRows(root, list);
  const tests = Object.fromEntries(rows.map((id) => [id, byRow.get(`${list} ${id}`) ?? []]));
  const untested = rows.filter((id) => tests[id].length === 0 && !(id in reasons) && !(id in waiting));
  const unknown = Object.keys(reasons).filter((id) => !rows.includes(id));
  const contradicted = Object.keys(reasons).filter((id) => tests[id]?.length > 0);
  const arrived = Object.keys(waiting).filter((id) => tests[id]?.length > 0);
  return {
    list,
    rows: rows.length,
    missing: untested.filter((id) => !leftOut.has(`${list} ${id}`)),
    notRun: untested.filter((id) => leftOut.has(`${list} ${id}`)),
    reasons,
    waiting,
    problems: [
      ...differences(root, shared, list),
      ...unknown.map((id) => `${LISTS[list].reasons}: ${id} is no row`),
      ...contradicted.map((id) => `${LISTS[list].reasons}: ${id} has a test: it is one or the other`),
      ...Object.keys(waiting)
        .filter((id) => !rows.includes(id))
        .map((id) => `${WAITING}: ${id} is no row`),
      ...arrived.map((id) => `${WAITING}: ${id} has a test: it waits no longer`),
    ],
    tests,
  };
}

function print({ list, rows, missing, notRun, reasons, waiting, problems, tests }) {
  const sentences = committedRows(root, list);
  const [apart, later] = [reasons, waiting].map((some) => Object.keys(some).length);
  const tested = rows - missing.length - notRun.length - apart - later;
  const elsewhere = notRun.length === 0 ? "" : `, ${notRun.length} not run here`;
  const waits = later === 0 ? "" : `, ${later} that wait for a part that is not built`;
  console.log(`${list}: ${rows} rows, ${tested} with a test, ${apart} that do not apply${waits}${elsewhere}, ${missing.length} without`);
  for (const [id, part] of Object.entries(waiting)) console.log(`  waits for ${part}: ${id} ${sentences.get(id)}`);
  if (notRun.length > 0) console.log(`  not run here, their tests were left out: ${notRun.join(" ")}`);
  for (const id of missing) console.log(`  without a test: ${id} ${sentences.get(id)}`);
  if (has("tests")) for (const [id, titles] of Object.entries(tests)) console.log([`  ${id}`, ...titles].join("\n      "));
  for (const problem of problems) console.log(`  problem: ${problem}`);
}

function main() {
  if (has("update")) return lists.filter((list) => LISTS[list].document !== undefined).forEach((list) => updateRows(root, shared, list));
  const tests = readTests(root, join(root, "out/test-results.json"));
  if (tests === undefined) {
    console.error("There is no report of a run of all tests in out/test-results.json: run `npm run test:all` first.");
    process.exitCode = 1;
    return;
  }
  const { byRow, problems } = testsByRow(tests.passed);
  const leftOut = testsByRow(tests.leftOut).byRow;
  const reports = lists.map((list) => report(list, byRow, leftOut));
  if (has("json")) console.log(JSON.stringify({ lists: reports, problems }, undefined, 2));
  else if (has("missing")) for (const id of reports.flatMap(({ missing }) => missing)) console.log(id);
  else {
    reports.forEach(print);
    for (const problem of problems) console.log(`problem: ${problem}`);
  }
  const due = reports.filter(({ list }) => list === "checklist").flatMap(({ missing }) => missing);
  if (due.length + problems.length + reports.flatMap((one) => one.problems).length > 0) process.exitCode = 1;
}

main();
