// The scoreboard: what the security design asks for, measured now and on this machine. Nothing is quoted from an earlier run.
//   npm run scoreboard                     every figure: some four hours, most of them for the mutants of six folders
//   npm run scoreboard -- --quick          smaller samples
//   npm run scoreboard -- --only fuzz,mutants      these again; the others stay as they were measured, with their dates
// Writes docs/project/scoreboard.md and .json. A figure that could not be measured counts as missed and says why.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cluster, coverage, simulate, tests } from "./faults.mjs";
import { conformance, fuzz, wire } from "./inputs.mjs";
import { load, soak } from "./load.mjs";
import { mutants, mutate } from "./mutation.mjs";
import { project, row } from "./run.mjs";
import { endWithReader } from "../../scripts/stdout.mjs";

endWithReader();

const { values: given } = parseArgs({ options: { quick: { type: "boolean", default: false }, only: { type: "string" } } });
const size = given.quick
  ? { quick: true, fuzzSeconds: 60, seeds: 2_000, soakMinutes: 3, kills: 5 }
  : { quick: false, fuzzSeconds: 600, seeds: 60_000, soakMinutes: 60, mutants: 150, kills: 50 };
const GROUPS = { conformance, fuzz, wire, mutants, mutate, simulate, cluster, soak, load, coverage, tests };
const names = given.only?.split(",") ?? Object.keys(GROUPS);
const unknown = names.filter((name) => GROUPS[name] === undefined);
if (unknown.length > 0) throw new TypeError(`--only takes ${Object.keys(GROUPS).join(", ")}, not ${unknown.join(", ")}`);

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

/**
 * What was measured now takes the place of what was measured earlier. What is not known now takes no place. The row of a group
 * that could not be measured, which has the group's name, goes when the group is measured.
 */
function merged(earlier, measured) {
  const has = (rows, { figure }) => rows.some((one) => one.figure === figure);
  const counted = measured.filter((one) => !(one.isUnknown && has(earlier, one)));
  const groups = new Set(counted.filter((one) => one.figure !== one.group).map(({ group }) => group));
  const failed = ({ figure, group }) => figure === group && groups.has(group);
  return [...earlier.filter((one) => !has(counted, one) && !failed(one)), ...counted];
}

async function measureAll() {
  const rows = [];
  for (const name of names) {
    console.log(`measuring ${name}`);
    const measured = await GROUPS[name](size).catch((error) => [row(name, "measured", String(error.message), false)]);
    for (const { figure, value, met } of measured) console.log(`${met ? "met   " : "MISSED"} ${figure}: ${value}`);
    rows.push(...measured.map((one) => ({ ...one, group: name })));
  }
  return rows;
}

async function main() {
  const folder = join(project, "docs/project");
  const date = new Date().toISOString().slice(0, 10);
  const measured = await measureAll();
  const known = merged(
    earlierRows(join(folder, "scoreboard.json")),
    measured.map((one) => ({ ...one, date })),
  );
  const never = Object.keys(GROUPS).filter((name) => !known.some(({ group }) => group === name));
  const rows = [
    ...known,
    ...never.map((name) => ({ ...row(`All figures of "${name}"`, "measured", "never measured yet", false), date })),
  ];
  const machine = `${availableParallelism()} cores (${cpus()[0].model.trim()}), Node ${process.versions.node}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "scoreboard.json"), `${JSON.stringify({ date, machine, rows }, undefined, 2)}\n`);
  writeFileSync(join(folder, "scoreboard.md"), page({ machine, rows }));
  const met = rows.filter((one) => one.met).length;
  console.log(`${met} of ${rows.length} targets are met`);
  process.exitCode = met === rows.length ? 0 : 1;
}

await main();
