// A soak: mixed load between real processes for a long time, and what grows while it lasts.
//   npm run soak                      an hour
//   npm run soak -- --minutes 10
//   npm run soak -- --minutes 3 --leak      the negative control: a server that keeps 256 bytes of each request must be found out
//   npm run soak -- --minutes 0 --rounds 6          the shortest one that says something: lab/soak/soak.test.ts
// One cycle of ten rounds is some 2 100 operations on both families of revisions: calls, questions, progress, cancels, timeouts,
// sessions, streams of changes, connections that are reset and readers that do not read. After each cycle both processes collect
// their garbage and are sampled. Fails if the heap of either grows by more than 0.5 KB in 1 000 operations and by more than 512
// KiB in all, or has more descriptors or timers than at the start.
import { fork } from "node:child_process";
import { once } from "node:events";
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
    rounds: { type: "string", default: "10" },
    leak: { type: "boolean", default: false },
  },
});

/** Cycles that fill caches and compile code. */
const WARM_UP = 4;
/**
 * What the heap of a process that leaks nothing may be larger at the end than at the start: its garbage and its compiled code
 * vary.
 */
const NOISE = 512 * 1024;

const bundle = (folder, name) => bundleSources(join(project, "lab/soak", `${name}.mjs`), join(folder, `${name}.mjs`));

function judge(name, samples) {
  const grown = (field) => growthOf(samples, (one) => one[name][field]);
  const [first, last] = [samples[0][name], samples.at(-1)[name]];
  const heap = grown("heap");
  const found = {
    heap: heap.slope,
    rss: grown("rss").slope,
    descriptors: grown("descriptors").slope,
    timers: grown("timers").slope,
  };
  const faults = [
    ...(heapGrows(heap, NOISE) ? [`its heap grows by ${(heap.slope * 1_000).toFixed(0)} bytes in 1 000 operations`] : []),
    ...["descriptors", "timers"].flatMap((field) => {
      const { growth } = grown(field);
      return growth > 0 ? [`it has ${growth} more ${field} than at the start`] : [];
    }),
  ];
  const per1000 = (value) => (value * 1_000).toFixed(1);
  console.log(
    `${name}: heap ${per1000(found.heap)} B, RSS ${per1000(found.rss)} B in 1 000 operations; ` +
      `heap ${(first.heap / 2 ** 20).toFixed(1)} -> ${(last.heap / 2 ** 20).toFixed(1)} MiB, RSS ${(first.rss / 2 ** 20).toFixed(0)} -> ${(last.rss / 2 ** 20).toFixed(0)} MiB; ` +
      `descriptors ${first.descriptors} -> ${last.descriptors}, timers ${first.timers} -> ${last.timers}`,
  );
  for (const fault of faults) console.log(`  ${name}: ${fault}`);
  return { name, slopes: found, first, last, faults };
}

async function main(folder) {
  const options = { execArgv: ["--expose-gc"], stdio: ["ignore", "inherit", "inherit", "ipc"] };
  const [serverFile, clientsFile] = [await bundle(folder, "server"), await bundle(folder, "clients")];
  const server = fork(serverFile, given.leak ? ["--leak"] : [], options);
  const { url } = await heard(server);
  const clients = fork(clientsFile, [url, given.rounds], options);
  for (const child of [server, clients]) process.on("exit", () => child.kill("SIGKILL"));
  await heard(clients);
  const until = performance.now() + Number(given.minutes) * 60_000;
  const samples = [];
  let operations = 0;
  let lost = 0;
  for (let cycle = 0; performance.now() < until || samples.length < LEAST; cycle++) {
    const done = await ask(clients, "cycle");
    operations += done.operations;
    lost = done.lost;
    const [one, other] = await Promise.all([ask(server, "sample"), ask(clients, "sample")]);
    if (cycle >= WARM_UP) samples.push({ operations, server: one.sample, clients: other.sample });
    if (cycle % 10 === 9) console.log(`${operations} operations in ${cycle + 1} cycles`);
  }
  clients.disconnect();
  server.send("close");
  await once(server, "exit");
  console.log(
    `${operations} operations in ${samples.length + WARM_UP} cycles, ${lost} calls lost with their connection${given.leak ? ", with a leak" : ""}`,
  );
  const verdicts = [judge("server", samples), judge("clients", samples)];
  const leaks = verdicts.flatMap(({ faults }) => faults).length > 0;
  mkdirSync(join(project, "out"), { recursive: true });
  writeFileSync(
    join(project, `out/soak${given.leak ? "-leak" : ""}.json`),
    JSON.stringify({ minutes: Number(given.minutes), operations, lost, verdicts, leaks, samples }, undefined, 2),
  );
  if (given.leak) console.log(leaks ? "the leak was found" : "the leak was not found: this soak proves nothing");
  else console.log(leaks ? "something grows" : "nothing grows");
  process.exitCode = leaks === given.leak ? 0 : 1;
}

const folder = mkdtempSync(join(tmpdir(), "tenon-soak-"));
try {
  await main(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
