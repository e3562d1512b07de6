// A soak of a gateway: 50 servers, of which 20 lie, stall, end or flood, and 200 callers on both families of revisions, in one
// process.
//   npm run soak:gateway                     an hour
//   npm run soak:gateway -- --minutes 10
//   npm run soak:gateway -- --minutes 0 --callers 20         the shortest one that says something: lab/soak/gateway-soak.test.ts
//   npm run soak:gateway -- --minutes 0 --callers 20 --mix   the negative control: a gateway that mixes its callers up must be found out; ends then
// One cycle is ten operations of each caller. Growth is judged after a warm-up: 30 cycles or more, until the heap rests. Fails if
// a caller gets the mark of another one, if an honest server's answer is wrong or missing, or if the heap grows by more than 0.5 KB
// in 1 000 operations and by more than 4 MiB in all.
import { fork } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ask, growthOf, heapGrows, heard, LEAST } from "./measured.mjs";
import { bundleSources } from "../../scripts/source-bundle.mjs";
import { endWithReader } from "../../scripts/stdout.mjs";

endWithReader();

const project = fileURLToPath(new URL("../..", import.meta.url));
const { values: given } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    callers: { type: "string", default: "200" },
    mix: { type: "boolean", default: false },
  },
});

/** Cycles in which each caller has used each server, and code is compiled; and the most, if the heap still grows then. */
const WARM_UP = 30;
const MOST_WARM_UP = 120;
/**
 * What the heap of a process that leaks nothing may be larger at the end: connections come and go, and it holds 200 clients and
 * 50 servers.
 */
const NOISE = 4 * 2 ** 20;

/** Whether the heaps of the cycles so far have come to rest. A leak that is worth a fault grows too little to keep this from ending. */
function isWarm(heaps) {
  if (heaps.length < WARM_UP) return false;
  const growth = Math.min(...heaps.slice(-5)) - Math.min(...heaps.slice(-15, -10));
  return growth < NOISE / 4 || heaps.length >= MOST_WARM_UP;
}

function judge(samples, last) {
  const marks = last.foreign.map((what) => `foreign mark: ${what}`);
  if (samples.length === 0) return marks;
  const heap = growthOf(samples, (sample) => sample.heap);
  const mib = (bytes) => (bytes / 2 ** 20).toFixed(1);
  const [first, end] = [samples[0], samples.at(-1)];
  console.log(
    `${last.operations} operations, ${last.searched} texts searched, ${last.connections} connections; heap ${(heap.slope * 1_000).toFixed(1)} B in 1 000 operations, ` +
      `${mib(first.heap)} -> ${mib(end.heap)} MiB; RSS ${mib(first.rss)} -> ${mib(end.rss)} MiB; timers ${first.timers} -> ${end.timers}`,
  );
  return [
    ...(heapGrows(heap, NOISE) ? [`the heap grows by ${(heap.slope * 1_000).toFixed(0)} bytes in 1 000 operations`] : []),
    ...marks,
    ...last.wrong.map((what) => `wrong: ${what}`),
  ];
}

async function main(folder) {
  const file = join(folder, "gateway-world.mjs");
  await bundleSources(join(project, "lab/soak/gateway-world.mjs"), file);
  const child = fork(file, [given.callers, ...(given.mix ? ["--mix"] : [])], {
    execArgv: ["--expose-gc", "--no-deprecation"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  process.on("exit", () => child.kill("SIGKILL"));
  await heard(child);
  const until = performance.now() + Number(given.minutes) * 60_000;
  const samples = [];
  const warming = [];
  let last;
  const isFound = () => given.mix && last?.foreign.length > 0;
  for (let cycle = 0; !isFound() && (performance.now() < until || samples.length < LEAST); cycle++) {
    const told = last?.wrong.length ?? 0;
    last = await ask(child, "cycle");
    for (const what of last.wrong.slice(told)) console.log(`  wrong in cycle ${cycle + 1}: ${what.split("\n", 1)[0]}`);
    const { sample } = await ask(child, "sample");
    if (samples.length > 0 || isWarm(warming)) samples.push({ operations: last.operations, ...sample });
    else warming.push(sample.heap);
    const what = samples.length > 0 ? "" : " of the warm-up";
    if (cycle % 10 === 9)
      console.log(`${last.operations} operations in ${cycle + 1} cycles${what}, heap ${(sample.heap / 2 ** 20).toFixed(1)} MiB`);
  }
  child.send("close");
  const faults = judge(samples, last);
  for (const fault of faults) console.log(`  ${fault}`);
  mkdirSync(join(project, "out"), { recursive: true });
  writeFileSync(
    join(project, `out/soak-gateway${given.mix ? "-mix" : ""}.json`),
    JSON.stringify({ ...last, faults, samples }, undefined, 2),
  );
  if (given.mix) console.log(isFound() ? "the mix was found" : "the mix was not found: this soak proves nothing");
  else console.log(faults.length === 0 ? "nothing grows, and no caller gets what is another's" : "the soak failed");
  process.exitCode = (given.mix ? isFound() : faults.length === 0) ? 0 : 1;
}

const folder = mkdtempSync(join(tmpdir(), "tenon-soak-"));
try {
  await main(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
