// The scoreboard: what the security design asks for, measured now and on this machine. Nothing is quoted from an earlier run.
//   npm run scoreboard                     every figure: more than an hour, which is what the mutants of six folders take
//   npm run scoreboard -- --quick          smaller samples
//   npm run scoreboard -- --only fuzz,mutants      these again; the others stay as they were measured, with their dates
// Writes docs/project/scoreboard.md and .json. A figure that could not be measured counts as missed and says why.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const project = fileURLToPath(new URL("..", import.meta.url));
const { values: given } = parseArgs({ options: { quick: { type: "boolean", default: false }, only: { type: "string" } } });
const size = given.quick
  ? { fuzzSeconds: 60, seeds: 500, soakMinutes: 3, mutants: 30 }
  : { fuzzSeconds: 300, seeds: 5_000, soakMinutes: 10, mutants: 150 };

/** Runs a command. Resolves with its output and whether it succeeded. */
function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: project, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
    child.on("close", (status) => resolve({ output, ok: status === 0 }));
  });
}
const script = (name, ...args) => run(process.execPath, [join("scripts", `${name}.mjs`), ...args]);
const read = (path) => JSON.parse(readFileSync(join(project, path), "utf8"));
const row = (figure, target, value, met) => ({ figure, target, value: String(value), met });
const last = (output) => output.trim().split("\n").at(-1);

async function fuzz() {
  const { ok } = await script("fuzz", "--seconds", String(size.fuzzSeconds), "--json");
  if (!existsSync(join(project, "out/fuzz.json")))
    return [row("Inputs for parsers", "≥ 1,000,000, no failure", "the fuzzer did not run", false)];
  const { inputs, failures, targets } = read("out/fuzz.json");
  const slowest = Math.max(...targets.map(({ slowestMs }) => slowestMs));
  const states = targets.find(({ name }) => name === "states").inputs;
  return [
    row("Inputs for parsers", "≥ 1,000,000, no failure", `${inputs} inputs, ${failures} failures`, ok && inputs >= 1_000_000),
    row("Longest CPU time of one input", "≤ 100 ms", `${slowest} ms`, slowest <= 100),
    row("Sealed states that were altered", "≥ 10,000, none opens", `${states}`, ok && states >= 10_000),
  ];
}

async function wire() {
  const { output, ok } = await script("fuzz-wire");
  const control = await script("fuzz-wire", "--http", "300", "--stdio", "300", "--broken");
  return [
    row("Requests over HTTP and stdio, changed at random", "≥ 20,000 and ≥ 5,000, all answered", last(output), ok),
    row("Negative control: requests that stay open, errors that tell where", "is found", last(control.output), control.ok),
  ];
}

async function mutants() {
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

/** The folders of `scripts/mutate.mjs`. */
const MUTATED = ["src/dispatch", "src/session/asking", "src/server/http", "src/client/http", "src/auth", "src/extensions/tasks"];

async function mutate() {
  if (!given.quick) await script("mutate", "--lane", "scoreboard", "--sample", String(size.mutants));
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

async function simulate() {
  const { output, ok } = await script("simulate", "--seeds", String(size.seeds));
  return [row("Simulated worlds", "no rule is broken", last(output), ok)];
}

async function soak() {
  const { ok } = await script("soak", "--minutes", String(size.soakMinutes));
  const { operations, verdicts } = read("out/soak.json");
  const slope = verdicts.map(({ name, slopes }) => `${name} ${(slopes.heap * 1_000).toFixed(0)} B`).join(", ");
  const control = await script("soak", "--minutes", "1", "--leak");
  return [
    row(
      "Growth of the heap in 1,000 operations",
      "≤ 512 B, or ≤ 512 KiB in all; descriptors and timers as at the start",
      `${slope} over ${operations}`,
      ok,
    ),
    row("Negative control: 64 bytes of each request are kept", "is found", last(control.output), control.ok),
  ];
}

/** The lists of rows, from the report of the last `npm test`. */
async function coverage() {
  const { output } = await script("coverage", "--json");
  const start = output.indexOf("{");
  if (start < 0) return [row("Fault rows with a test that passed", "159 of 159", "run `npm test` first", false)];
  const { lists } = JSON.parse(output.slice(start));
  return lists.map(({ list, rows, missing, reasons }) => {
    const apart = Object.keys(reasons).length;
    const value = `${rows - missing.length - apart} of ${rows}, ${apart} with a reason${missing.length > 0 ? `; without: ${missing.join(" ")}` : ""}`;
    return row(`Rows of the ${list} with a test that passed`, `${rows} of ${rows}`, value, missing.length === 0);
  });
}

/** Figures that a test measures and holds to its limit. */
const HELD_BY_TESTS = [
  ["Idle streams", "10,000, ≤ 20 KB each", "test/http/idle-streams.test.ts"],
  ["Clients that do not read", "≤ 4 MiB each, 256 MiB in all", "test/http/unread-responses.test.ts"],
  ["Calls that are never answered", "20,000 sent, ≤ 256 run", "src/dispatch/dispatcher.test.ts"],
  ["A stream cut at every byte", "one outcome each", "test/http-client/streams.test.ts"],
  ["Bugs known from other SDKs", "none", "test/peers-bugs"],
];

async function tests() {
  const rows = [];
  for (const [figure, target, file] of HELD_BY_TESTS) {
    const { output, ok } = await run("npx", ["vitest", "run", "--maxWorkers=1", file]);
    const passed = /Tests .*?(\d+) passed/.exec(output.replaceAll(/\u001B\[\d+m/g, ""))?.[1] ?? "0"; // oxlint-disable-line no-control-regex -- colours
    rows.push(row(figure, target, `${passed} tests of ${file} ${ok ? "pass" : "do not all pass"}`, ok));
  }
  return rows;
}

/** Parts that are not built: what would be measured stands here, so that nobody takes silence for success. */
const MISSING = [["kill -9 of a node", "0 lost, 0 duplicated", "not measured here: `npm run cluster`"]];

const GROUPS = { fuzz, wire, mutants, mutate, simulate, soak, coverage, tests };

function page({ machine, rows }) {
  const lines = rows.map(
    ({ figure, target, value, met, date }) =>
      `| ${figure} | ${target} | ${value.replaceAll("|", "\\|")} | ${met ? "yes" : "**no**"} | ${date} |`,
  );
  const head =
    "Written by `npm run scoreboard`, which measures each figure on the day that stands beside it. A figure that could not be measured\ncounts as missed.";
  const table = "| figure | target | measured | met | on |\n|---|---|---|---|---|";
  return `# Scoreboard\n\n${head}\n\nMachine: ${machine}.\n\n${table}\n${lines.join("\n")}\n`;
}

/** The rows of earlier runs; `--only` measures some again. */
function earlierRows(path) {
  if (given.only === undefined || !existsSync(path)) return [];
  const { date, rows } = JSON.parse(readFileSync(path, "utf8"));
  return rows.filter(({ group }) => group !== undefined).map((one) => ({ date, ...one }));
}

/** What was measured now takes the place of what was measured earlier. What is not known now takes no place. */
function merged(earlier, measured) {
  const has = (rows, { figure }) => rows.some((one) => one.figure === figure);
  const counted = measured.filter((one) => !(one.isUnknown && has(earlier, one)));
  return [...earlier.filter((one) => !has(counted, one)), ...counted];
}

async function measureAll(names) {
  const rows = [];
  for (const name of names) {
    const measured = await GROUPS[name]().catch((error) => [row(name, "measured", String(error.message), false)]);
    for (const { figure, value, met } of measured) console.log(`${met ? "met   " : "MISSED"} ${figure}: ${value}`);
    rows.push(...measured.map((one) => ({ ...one, group: name })));
  }
  return [...rows, ...MISSING.map(([figure, target, why]) => row(figure, target, why, false))];
}

async function main() {
  const folder = join(project, "docs/project");
  const date = new Date().toISOString().slice(0, 10);
  const measured = await measureAll(given.only?.split(",") ?? Object.keys(GROUPS));
  const known = merged(
    earlierRows(join(folder, "scoreboard.json")),
    measured.map((one) => ({ ...one, date })),
  );
  const never = Object.keys(GROUPS).filter((name) => !known.some(({ group }) => group === name));
  const rows = [...known, ...never.map((name) => ({ ...row(`All figures of "${name}"`, "measured", "never measured yet", false), date }))];
  const machine = `${availableParallelism()} cores (${cpus()[0].model.trim()}), Node ${process.versions.node}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "scoreboard.json"), `${JSON.stringify({ date, machine, rows }, undefined, 2)}\n`);
  writeFileSync(join(folder, "scoreboard.md"), page({ machine, rows }));
  const met = rows.filter((one) => one.met).length;
  console.log(`${met} of ${rows.length} targets are met`);
  process.exitCode = met === rows.length ? 0 : 1;
}

await main();
