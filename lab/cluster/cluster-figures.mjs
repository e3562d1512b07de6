// What stores cost, and what a cluster of three nodes can hold: lab/cluster/figures/. For a quiet machine.
//   npm run cluster:figures                                       all engines
//   npm run cluster:figures -- --engine redis --sessions 1000     one engine, fewer sessions
//   npm run cluster:figures -- --json                             figures for a program
// `--turns` and `--turn` (milliseconds) are those of each pair; `--streams` are those that hear a change.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { bundled } from "./bundled.mjs";
import { stoppedBySignals } from "./stopped-by-signals.mjs";
import { endWithReader } from "../../scripts/stdout.mjs";

endWithReader();

const ENGINES = ["redis", "postgres", "nats"];
/** What the ratio of stateful calls should be at least. */
const AIMS = { redis: 0.5, postgres: 0.3, nats: 0.4 };
const { values: given } = parseArgs({
  options: {
    engine: { type: "string" },
    turns: { type: "string", default: "9" },
    turn: { type: "string", default: "2000" },
    sessions: { type: "string", default: "100000" },
    streams: { type: "string", default: "1000" },
    json: { type: "boolean", default: false },
  },
});
if (given.engine !== undefined && !ENGINES.includes(given.engine))
  throw new TypeError(`--engine is redis, postgres or nats, not ${given.engine}`);
const numbers = {};
for (const name of ["turns", "turn", "sessions", "streams"]) {
  numbers[name] = Number(given[name]);
  if (!(Number.isInteger(numbers[name]) && numbers[name] > 0))
    throw new TypeError(`--${name} is a number of 1 or more, not ${given[name]}`);
}

const figuresFolder = new URL("figures/", import.meta.url);
const cache = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url));
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, "figures-"));
const all = {};
const { signal, exit } = stoppedBySignals();
try {
  const { measure } = await import(pathToFileURL(await bundled(new URL("main.ts", figuresFolder), folder)).href);
  const program = await bundled(new URL("node.ts", figuresFolder), folder);
  for (const engine of given.engine === undefined ? ENGINES : [given.engine]) {
    if (!given.json) console.log(`engine ${engine}`);
    const log = given.json ? () => undefined : (line) => console.log(`  ${line}`);
    all[engine] = await measure({ engine, program, ...numbers, log, signal });
  }
} catch (error) {
  if (error !== signal.reason) throw error;
} finally {
  rmSync(folder, { recursive: true, force: true });
  exit();
}

if (given.json) console.log(JSON.stringify(all, undefined, 2));
else {
  const table = Object.entries(all).map(([engine, { stateless, stateful, idle, stored, served, change }]) => ({
    engine,
    "stateless (aim 0.97)": stateless.calls.toFixed(2),
    "stateful (aim)": `${stateful.calls.toFixed(2)} (${AIMS[engine]})`,
    "processor time for a call": `${stateless.cpu.toFixed(2)}, ${stateful.cpu.toFixed(2)}`,
    "bytes of a session": stored.bytes,
    sessions: idle.sessions,
    "idle, ms/s elsewhere": idle.cpu,
    "heap elsewhere, KiB": Math.round(idle.heap / 1024),
    "heap after, KiB": Math.round(served.heap / 1024),
    "change to streams, ms": `${change.median} (${change.streams})`,
  }));
  console.table(table);
}
