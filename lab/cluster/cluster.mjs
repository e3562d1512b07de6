// Proves that any node serves any request, while nodes and the engine are killed: lab/cluster/proof/.
//   npm run cluster -- --engine redis|postgres|nats --kills 5 [--seed 1] [--keep history.json]     an engine, three nodes, HAProxy, four clients
//   npm run cluster -- --engine redis --kills 40 --only engine,balancer                 these kinds of faults: kill, stop, engine, link, balancer
//   npm run cluster -- --engine redis --kills 6 --rolling                              each node in turn is drained and replaced: no call may fail
//   npm run cluster -- --engine workers --kills 10                                   one program with three workers, one of which is killed in each round
//   npm run cluster -- --short                                                       all engines, five faults each, in minutes
//   npm run cluster -- --check history.json                                          checks a kept history again
// `--write` keeps what a run came to in docs/serving/cluster-proof.json, and in the table of docs/serving/cluster-failures.md; with
// --check name the engine, the seed and --rolling of the run.
// Prints what was done and each rule that is broken; exits with 1 if there is one, or if the run proved nothing.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { bundled } from "./bundled.mjs";
import { keep, summaryOf } from "./results.mjs";
import { stoppedBySignals } from "./stopped-by-signals.mjs";
import { endWithReader } from "../../scripts/stdout.mjs";

endWithReader();

const { values: given } = parseArgs({
  options: {
    engine: { type: "string" },
    kills: { type: "string", default: "5" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    short: { type: "boolean", default: false },
    rolling: { type: "boolean", default: false },
    only: { type: "string" },
    within: { type: "string" },
    keep: { type: "string" },
    write: { type: "boolean", default: false },
    check: { type: "string" },
  },
});
const ENGINES = ["redis", "postgres", "nats", "workers"];
const engines = given.engine === undefined ? (given.short ? ENGINES : ["redis"]) : [given.engine];
if (!ENGINES.includes(engines[0])) throw new TypeError(`--engine is redis, postgres, nats or workers, not ${engines[0]}`);
const kills = Number(given.kills);
if (!(Number.isInteger(kills) && kills >= 0)) throw new TypeError(`--kills is a number of faults, not ${given.kills}`);

/** Milliseconds before each fault: in a full run longer than its aftermath, so that some operations meet none. */
const calm = given.short ? 3_500 : 6_500;
/** Milliseconds after the kill of a node in which open calls must be settled. A short run is for machines of any speed. */
const within = Number(given.within ?? (given.short ? 20_000 : 4_000));
const proof = new URL("proof/", import.meta.url);
const cache = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url));

/** A run without many successes, at several nodes, proves nothing. */
function vacuous({ operations, effects, faults }) {
  const ok = operations.filter(({ outcome }) => outcome === "ok").length;
  const nodes = new Set(effects.map(({ node }) => node)).size;
  if (ok < 50) return `only ${ok} operations succeeded`;
  if (nodes < 3) return `only ${nodes} nodes did something`;
  const made = faults.filter(({ what }) => what !== "down").length;
  return made < kills ? `there were only ${made} faults` : undefined;
}

async function checked(folder, history) {
  const { check, longestWaits } = await import(pathToFileURL(await bundled(new URL("checker.ts", proof), folder)).href);
  return { violations: check(history, within), waits: longestWaits(history) };
}

function report(engine, history, outcome) {
  const { violations, waits } = outcome;
  for (const { rule, operation, what } of violations) {
    const { kind, family, began } = history.operations.find(({ id }) => id === operation);
    console.log(`VIOLATION ${rule}: ${operation} (${family} ${kind}, at ${Math.round(began)} ms): ${what}`);
  }
  for (const [what, ms] of waits) console.log(`${what}: open operations were settled within ${Math.round(ms)} ms`);
  const failed = history.operations.filter(({ outcome }) => outcome === "failed").length;
  const nothing = violations.length === 0 ? vacuous(history) : undefined;
  if (nothing !== undefined) console.log(`proved nothing: ${nothing}`);
  const what = `${history.operations.length} operations, ${failed} failed, ${history.effects.length} effects, ${history.faults.length} faults`;
  console.log(`${what}: ${violations.length === 0 ? "all rules hold" : `${violations.length} violations`}`);
  if (violations.length > 0 || nothing !== undefined) process.exitCode = 1;
  if (given.write && nothing === undefined)
    keep(summaryOf(history, outcome, { engine, rolling: given.rolling, seed: Number(given.seed) }));
}

mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, "cluster-"));
const { signal, exit } = stoppedBySignals();
try {
  if (given.check === undefined) {
    const { prove } = await import(pathToFileURL(await bundled(new URL("main.ts", proof), folder)).href);
    const seed = Number(given.seed);
    const only = given.only?.split(",");
    for (const engine of engines) {
      const program = await bundled(new URL(engine === "workers" ? "worker.ts" : "node.ts", proof), folder);
      console.log(`engine ${engine}, ${kills} faults, seed ${seed}`);
      const { history } = await prove({
        engine,
        kills,
        rolling: given.rolling,
        only,
        seed,
        calm,
        program,
        log: console.log,
        signal,
      });
      if (given.keep !== undefined) writeFileSync(given.keep, JSON.stringify(history));
      report(engine, history, await checked(folder, history));
    }
  } else {
    const history = JSON.parse(readFileSync(given.check, "utf8"));
    report(engines[0], history, await checked(folder, history));
  }
} catch (error) {
  if (error !== signal.reason) throw error;
} finally {
  rmSync(folder, { recursive: true, force: true });
  exit();
}
