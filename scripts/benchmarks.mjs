// Writes docs/project/benchmarks.md and docs/project/speed.svg from the figures in docs/project/benchmarks.json.
//   node scripts/benchmarks.mjs                          `npm run docs:benchmarks`
//   node scripts/benchmarks.mjs bench/out/results.json   takes the figures of that run first; a run that other processes
//                                                        disturbed is refused
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { speedChart } from "./benchmarks/chart.mjs";
import { benchmarkPage } from "./benchmarks/page.mjs";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const folder = fileURLToPath(new URL("../docs/project/", import.meta.url));
const figuresFile = `${folder}benchmarks.json`;
/** Cores that other processes may use during a run, on average. */
const MOST_OTHERS = 0.25;

/** The part of the benchmark's results that the page shows. */
function figuresOf({ date, profile, machine, noise, peers, rows }) {
  if (noise.others > MOST_OTHERS) throw new Error(`Other processes used ${noise.others} cores during this run: measure on a quiet machine`);
  const shown = rows.filter(({ peer, ratios, failed }) => peer !== "raw" && !failed && ratios.rps?.raw !== undefined);
  return {
    machine: `${machine.cpus} cores, Node ${machine.node}`,
    runs: [{ what: `all SDKs, run of ${date.slice(0, 10)}, ${profile} profile` }],
    peers: Object.fromEntries(peers.filter(({ id }) => id !== "raw").map(({ id, label }) => [id, label])),
    rows: shown.map(({ scenario, variant, peer, ratios, metrics }) => {
      return { scenario, variant, peer, run: 0, ofRaw: ratios.rps.raw.median, perSecond: Math.round(metrics.rps.median) };
    }),
  };
}

const [results] = process.argv.slice(2);
if (results !== undefined && results !== "--print") {
  writeFileSync(figuresFile, `${JSON.stringify(figuresOf(JSON.parse(readFileSync(results, "utf8"))), undefined, 1)}\n`);
}
const figures = JSON.parse(readFileSync(figuresFile, "utf8"));
const made = { "benchmarks.md": benchmarkPage(figures), "speed.svg": speedChart(figures) };
if (results === "--print") process.stdout.write(JSON.stringify(made));
else for (const [name, text] of Object.entries(made)) writeFileSync(folder + name, text);
