// Faults survived: simulated worlds, nodes and engines that are killed, and the rows that a test must prove.
import { last, row, run, script } from "./run.mjs";

export async function simulate(size) {
  const { output, ok } = await script("simulate", "--seeds", String(size.seeds));
  return [row("Simulated worlds", "no rule is broken", last(output), ok)];
}

/** Nodes and engines that are killed under load, on each engine. The table of docs/serving/cluster-failures.md is of the same runs. */
export async function cluster(size) {
  const rows = [];
  for (const engine of ["redis", "postgres", "nats"]) {
    const { output, ok } = await script("cluster", "--engine", engine, "--kills", String(size.kills), "--write");
    rows.push(row(`kill -9, stops and lost links on ${engine}`, "0 lost, 0 doubled, settled ≤ 4 s", last(output), ok));
  }
  return rows;
}

/** The lists of rows, from the report of the last `npm run test:all`. */
export async function coverage() {
  const { output } = await script("coverage", "--json");
  const start = output.indexOf("{");
  if (start < 0) throw new Error("there is no report of a run of all tests: run `npm run test:all` first");
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
  ["Bugs that the simulation must find", "all found", "lab/simulation"],
  ["Mistakes that the proof of `npm run cluster` must find", "all found", "lab/cluster/proof"],
  ["Programs started and closed, some that ignore their end", "nothing left", "test/stdio/shutdown.test.ts"],
];

export async function tests() {
  const rows = [];
  for (const [figure, target, file] of HELD_BY_TESTS) {
    const { output, ok } = await run("npx", ["vitest", "run", "--maxWorkers=1", file]);
    const passed = /Tests .*?(\d+) passed/.exec(output)?.[1] ?? "0";
    rows.push(row(figure, target, `${passed} tests of ${file} ${ok ? "pass" : "do not all pass"}`, ok));
  }
  return rows;
}
