// Keeps what runs of the proof came to: docs/serving/cluster-proof.json, and the table of it in docs/serving/cluster-failures.md.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const file = new URL("../../docs/serving/cluster-proof.json", import.meta.url);
const page = new URL("../../docs/serving/cluster-failures.md", import.meta.url);
/** The section of the page whose table is written. */
const HEADING = "## The proof";
const KINDS = ["call", "count", "ask", "change", "session"];
const FAULTS = ["kill", "stop", "link", "balancer", "engine", "drain"];

/** What one run came to. `waits`: the longest times in milliseconds until an open operation was settled, by fault. */
export function summaryOf({ operations, effects, faults }, { violations, waits }, { engine, rolling, seed }) {
  const count = (list, names, nameOf) =>
    Object.fromEntries(
      names.map((name) => [name, list.filter((item) => nameOf(item) === name).length]).filter(([, found]) => found > 0),
    );
  return {
    engine,
    run: rolling ? "rolling restart" : "faults",
    seed,
    faults: count(faults, FAULTS, ({ what }) => what),
    operations: count(operations, KINDS, ({ kind }) => kind),
    failed: operations.filter(({ outcome }) => outcome === "failed").length,
    effects: effects.length,
    settledMs: Object.fromEntries(
      [...waits].filter(([what]) => FAULTS.includes(what)).map(([what, ms]) => [what, Math.round(ms)]),
    ),
    violations: count(violations, [...new Set(violations.map(({ rule }) => rule))], ({ rule }) => rule),
  };
}

/** Replaces the earlier run of the same kind, in the file and on the page. */
export function keep(summary) {
  const before = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
  const others = before.filter(({ engine, run }) => engine !== summary.engine || run !== summary.run);
  const all = [...others, summary].sort((a, b) => `${a.run} ${a.engine}`.localeCompare(`${b.run} ${b.engine}`));
  writeFileSync(file, `${JSON.stringify(all, undefined, 2)}\n`);
  const text = readFileSync(page, "utf8");
  const at = text.indexOf(HEADING);
  if (at < 0) throw new Error(`docs/serving/cluster-failures.md has no section "${HEADING}"`);
  writeFileSync(page, text.slice(0, at) + text.slice(at).replace(/(?:^\|.*\n)+/m, `${tableOf(all).join("\n")}\n`));
}

function tableOf(all) {
  const list = (counts) =>
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(", ");
  const total = (counts) => Object.values(counts).reduce((sum, count) => sum + count, 0);
  const rows = all.map(({ engine, run, faults, operations, failed, settledMs, violations }) => {
    const settled = Object.entries(settledMs).map(([what, ms]) => `${what} ${(ms / 1000).toFixed(1)} s`);
    const broken = total(violations) === 0 ? "none" : list(violations);
    return `| ${run} | ${engine} | ${list(faults)} | ${total(operations)} | ${failed} | ${settled.join(", ")} | ${broken} |`;
  });
  return [
    "| run | engine | faults | operations | failed | settled within | violations |",
    "|---|---|---|---:|---:|---|---|",
    ...rows,
  ];
}
