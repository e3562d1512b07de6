// Lets seeded worlds happen in which the real server, clients, tasks and groups run on virtual time: lab/simulation/README.md.
//   npm run simulate                              60 000 seeds, from one that is drawn
//   npm run simulate -- --seeds 2000 --from 1     2 000 seeds, from seed 1
//   npm run simulate -- --seed 1234               one seed, with a line of everything that happens in it
// Prints each seed that breaks a rule and what it breaks; exits with 1 if there is one.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { bundleSources } from "../../scripts/source-bundle.mjs";
import { endWithReader } from "../../scripts/stdout.mjs";

endWithReader();

const { values: given } = parseArgs({
  options: { seed: { type: "string" }, seeds: { type: "string" }, from: { type: "string" }, bundle: { type: "string" } },
});

/** Failures after which a process does not go on, and seeds after which it tells how far it is. */
const [MAX_FAILURES, PART] = [20, 500];

/** One process: `count` seeds from `from`, a line of JSON for each that fails and for each part that is done. */
async function run(bundle, from, count) {
  const { simulate, warmUp } = await import(pathToFileURL(bundle).href);
  await warmUp();
  for (let seed = from, failures = 0; seed < from + count && failures < MAX_FAILURES; seed++) {
    const { violations } = await simulate(seed);
    if ((seed + 1 - from) % PART === 0) console.log(JSON.stringify({ done: PART }));
    if (violations.length === 0) continue;
    failures++;
    console.log(JSON.stringify({ seed, violations }));
  }
}

async function show(bundle, seed) {
  const { simulate, warmUp } = await import(pathToFileURL(bundle).href);
  await warmUp();
  const { lines, violations } = await simulate(seed, { traced: true });
  for (const line of lines) console.log(line);
  for (const violation of violations) console.log(`VIOLATION ${violation}`);
  console.log(violations.length === 0 ? `seed ${seed}: all rules hold` : `seed ${seed}: ${violations.length} rules are broken`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}

/** One line for each twelfth part of a long run. */
function tellEach(count) {
  const step = Math.ceil(count / 12);
  let told = 0;
  return (done) => {
    if (done < told + step || done >= count) return;
    told = done;
    console.error(`${done} of ${count} seeds`);
  };
}

/** As many processes as there are cores. Resolves with the number of seeds that failed. */
async function share(bundle, from, count) {
  const processes = Math.min(availableParallelism(), count);
  const size = Math.ceil(count / processes);
  const tell = tellEach(count);
  let [failures, done] = [0, 0];
  const runs = Array.from({ length: processes }, (_, index) => {
    const first = from + index * size;
    const args = [
      fileURLToPath(import.meta.url),
      "--bundle",
      bundle,
      "--from",
      `${first}`,
      "--seeds",
      `${Math.min(size, from + count - first)}`,
    ];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    createInterface({ input: child.stdout }).on("line", (line) => {
      const { seed, violations, done: part } = JSON.parse(line);
      if (part !== undefined) return tell((done += part));
      failures++;
      return console.log(`npm run simulate -- --seed ${seed}\n  ${violations.join("\n  ")}`);
    });
    return new Promise((resolve) => {
      child.on("close", (status, signal) => {
        if (status !== 0) console.log(`the process of the seeds from ${first} ended early: ${signal ?? `exit code ${status}`}`);
        resolve(status === 0);
      });
    });
  });
  const ended = await Promise.all(runs);
  return failures + ended.filter((isWell) => !isWell).length;
}

async function main(folder) {
  const bundle = join(folder, "simulation.mjs");
  await bundleSources(fileURLToPath(new URL("main.ts", import.meta.url)), bundle);
  if (given.seed !== undefined) return show(bundle, Number(given.seed));
  const count = Number(given.seeds ?? 60_000);
  const from = Number(given.from ?? Math.floor(Math.random() * 2 ** 31));
  const begin = performance.now();
  const failures = await share(bundle, from, count);
  const seconds = (performance.now() - begin) / 1_000;
  console.log(
    `${count} seeds from ${from} in ${seconds.toFixed(0)} s: ${failures === 0 ? "all rules hold" : `${failures} failed`}`,
  );
  process.exitCode = failures === 0 ? 0 : 1;
}

if (given.bundle !== undefined) await run(given.bundle, Number(given.from), Number(given.seeds));
else {
  const folder = mkdtempSync(join(tmpdir(), "tenon-simulation-"));
  try {
    await main(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
