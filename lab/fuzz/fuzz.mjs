// Fuzzing of everything that reads a peer's text: lab/fuzz/README.md.
//   npm run fuzz                                       a minute, shared by all targets
//   npm run fuzz -- --inputs 10000 --seed 1            so many inputs for each target, the same ones at every run: what CI does
//   npm run fuzz -- --hours 2 --target json            one target (may be given several times), as long as wanted
//   npm run fuzz -- --input packages/tenon/test/fuzz/corpus/json/x    one input again
//   npm run fuzz -- --suite ../JSON-Schema-Test-Suite  the official tests of JSON Schema, from a checkout of them
// Guided by coverage: an input that reaches a new block of `src/`, or one more often than before, is changed further. An input
// that breaks a rule, or takes too long, is written to packages/tenon/test/fuzz/corpus/, where `npm test` tries it from then on.
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { loadTargets } from "./bundle.mjs";
import { changed, randomFrom } from "./mutate-input.mjs";
import { endWithReader } from "../../scripts/stdout.mjs";

endWithReader();

const project = fileURLToPath(new URL("../..", import.meta.url));
const corpus = join(project, "packages/tenon/test/fuzz/corpus");
const { values: given } = parseArgs({
  options: {
    target: { type: "string", multiple: true },
    seconds: { type: "string", default: "60" },
    hours: { type: "string" },
    inputs: { type: "string" },
    seed: { type: "string" },
    input: { type: "string" },
    suite: { type: "string" },
    json: { type: "boolean" },
  },
});

/** CPU milliseconds one input may take: what stalls the process stalls every client. */
const MAX_MS = 50;
/** Failures after which a target is left. */
const MAX_FAILURES = 10;

/** CPU time of this process: other processes do not count. */
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

async function timeOf(target, input) {
  const begin = cpu();
  await target.run(input);
  return cpu() - begin;
}

/** What is wrong with an input, and how long it takes. */
async function failureOf(target, input) {
  try {
    return { ms: await timeOf(target, input) };
  } catch (error) {
    return { error, ms: 0 };
  }
}

/** The least time of an input in up to five runs: the runtime may have compiled or collected garbage meanwhile. */
async function leastTime(target, input, { ms, slowest }) {
  let least = ms;
  for (let again = 0; least > slowest && again < 4; again++) least = Math.min(least, await timeOf(target, input));
  return least;
}

const tooSlow = (ms) => (ms > MAX_MS ? new Error(`took ${ms.toFixed(0)} ms of CPU`) : undefined);

/** Reading as text keeps what is no UTF-8 out, so inputs are kept as JSON strings. */
const read = (file) => JSON.parse(readFileSync(file, "utf8"));

function seedsOf(target) {
  const files = readdirSync(join(corpus, target.name)).toSorted();
  return files.flatMap((file) => [read(join(corpus, target.name, file))].flat());
}

function keep(target, input) {
  const name = `found-${createHash("sha256").update(input).digest("hex").slice(0, 12)}.json`;
  const file = join(corpus, target.name, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(input)}\n`);
  return relative(project, file);
}

class Pool {
  inputs = [];
  #most = new Uint8Array(1 << 16);
  #hits;

  constructor(hits) {
    this.#hits = hits;
  }

  /** Whether the last run reached something new: a block, or one twice as often as any run before. */
  isNew() {
    let found = false;
    for (let i = 0; i < this.#hits.length; i++) {
      if (this.#hits[i] === 0) continue;
      const bucket = 32 - Math.clz32(this.#hits[i]);
      if (bucket > this.#most[i]) {
        this.#most[i] = bucket;
        found = true;
      }
    }
    return found;
  }

  get blocks() {
    return this.#most.reduce((count, bucket) => count + (bucket > 0 ? 1 : 0), 0);
  }
}

async function fuzz(target, hits, goesOn, seed) {
  const random = randomFrom(seed);
  const pool = new Pool(hits);
  const tokens = [...new Set(seedsOf(target).flatMap((text) => text.match(/[A-Za-z_$-]{3,20}/g) ?? []))];
  const failures = [];
  const slowest = { ms: 0 };
  let runs = 0;
  const attempt = async (input) => {
    hits.fill(0);
    runs++;
    const { error: broken, ms } = await failureOf(target, input);
    const isNew = pool.isNew(); // before it runs again
    const least = await leastTime(target, input, { ms, slowest: slowest.ms });
    if (least > slowest.ms) Object.assign(slowest, { ms: least });
    const error = broken ?? tooSlow(least);
    if (error !== undefined) {
      failures.push(error);
      console.log(`${target.name}: ${error.message.slice(0, 300)}\n  npm run fuzz -- --input ${keep(target, input)}`);
    } else if (isNew) pool.inputs.push(input);
  };
  for (const input of seedsOf(target)) await attempt(input);
  const isWanted = goesOn(target);
  while (isWanted(runs) && failures.length < MAX_FAILURES) {
    // The newest inputs lead furthest.
    const { inputs } = pool;
    const input = random.chance(0.5) ? inputs[Math.max(0, inputs.length - 1 - random.below(20))] : random.pick(inputs);
    await attempt(changed(input, random.pick(inputs), target.kind, tokens.length > 0 ? tokens : ["a"], random));
  }
  const found = `${pool.inputs.length} inputs that reach ${pool.blocks} blocks`;
  console.log(`${target.name}: ${runs} inputs, ${found}, slowest ${slowest.ms.toFixed(1)} ms, ${failures.length} failures`);
  return {
    name: target.name,
    inputs: runs,
    blocks: pool.blocks,
    slowestMs: Number(slowest.ms.toFixed(1)),
    failures: failures.length,
  };
}

/** The official tests: `{ schema, tests: [{ data, valid }] }`, for the dialects that Tenon has, without remote schemas. */
async function runSuite(targets, folder) {
  const { judge } = targets.find(({ name }) => name === "schemas");
  const DIALECTS = { draft6: "http://json-schema.org/draft-06/schema#", draft7: "http://json-schema.org/draft-07/schema#" };
  const NEWER = { "draft2019-09": "https://json-schema.org/draft/2019-09/schema", "draft2020-12": undefined };
  const counts = { right: 0, wrong: 0, refused: 0 };
  for (const [dialect, $schema] of Object.entries({ ...DIALECTS, ...NEWER })) {
    for (const file of readdirSync(join(folder, "tests", dialect)).filter((name) => name.endsWith(".json"))) {
      for (const group of JSON.parse(readFileSync(join(folder, "tests", dialect, file), "utf8"))) {
        const isObject = typeof group.schema === "object";
        const schema = isObject && $schema !== undefined ? { $schema, ...group.schema } : group.schema;
        for (const { description, data, valid } of group.tests) {
          const verdict = await judge(schema, data);
          counts[verdict === undefined ? "refused" : verdict === valid ? "right" : "wrong"]++;
          if (verdict === !valid)
            console.log(`${dialect}/${file}: ${group.description}: ${description}: ${verdict}, must be ${valid}`);
          if (verdict === undefined && !/ref|vocab|anchor|format|id\.json|definitions|defs/i.test(file))
            console.log(`refused: ${dialect}/${file}: ${group.description}`);
        }
      }
    }
  }
  console.log(
    `official suite: ${counts.right} as expected, ${counts.wrong} not, ${counts.refused} with a schema that Tenon refuses`,
  );
  return counts.wrong;
}

async function again(targets, file) {
  const target = targets.find(({ name }) => name === basename(dirname(resolve(file))));
  if (target === undefined) throw new Error(`${file} is in no folder of a target`);
  for (const input of [read(file)].flat()) {
    console.log(JSON.stringify(input));
    const { error: broken, ms } = await failureOf(target, input);
    const least = await leastTime(target, input, { ms, slowest: 0 });
    const error = broken ?? tooSlow(least);
    console.log(error?.stack ?? `fine, in ${least.toFixed(1)} ms`);
    if (error !== undefined) process.exitCode = 1;
  }
}

/** How long each of so many targets runs: for a time, or for a number of inputs that is the same on every machine. */
function lengthOf(targets) {
  if (given.inputs !== undefined)
    return {
      each: `${given.inputs} inputs`,
      goesOn:
        ({ share = 1 }) =>
        (runs) =>
          runs < Number(given.inputs) * share,
    };
  const seconds = (given.hours === undefined ? Number(given.seconds) : 3_600 * Number(given.hours)) / targets;
  const goesOn = () => {
    const until = performance.now() + seconds * 1_000;
    return () => performance.now() < until;
  };
  return { each: `${seconds.toFixed(0)} s`, goesOn };
}

async function main(folder) {
  const { targets, hits } = await loadTargets(project, folder);
  if (given.input !== undefined) return again(targets, given.input);
  if (given.suite !== undefined) {
    process.exitCode = (await runSuite(targets, given.suite)) === 0 ? 0 : 1;
    return;
  }
  const chosen = targets.filter(({ name }) => given.target === undefined || given.target.includes(name));
  const seed = Number(given.seed ?? Math.floor(Math.random() * 2 ** 31));
  const { each, goesOn } = lengthOf(chosen.length);
  console.log(`seed ${seed}, ${each} a target`);
  const results = [];
  for (const target of chosen) results.push(await fuzz(target, hits, goesOn, seed));
  const [inputs, failures] = ["inputs", "failures"].map((name) => results.reduce((sum, result) => sum + result[name], 0));
  console.log(`${inputs} inputs, ${failures} failures`);
  if (given.json)
    writeFileSync(join(project, "out/fuzz.json"), JSON.stringify({ seed, inputs, failures, targets: results }, undefined, 2));
  process.exitCode = failures === 0 ? 0 : 1;
}

const folder = mkdtempSync(join(tmpdir(), "tenon-fuzz-"));
try {
  await main(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
