// Which mutants are tried, with which tests: a sample drawn with a seed, and for each mutant the test files that run its code.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { mutantsOf } from "./operators.mjs";
import { blockOf, blocksOf, instrumented, takeReached } from "./reach.mjs";
import { project } from "./sandbox.mjs";

function filesBelow(root, folder) {
  if (folder.endsWith(".ts")) return [folder];
  const paths = readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name));
  return paths.filter((path) => statSync(join(root, path)).isFile());
}

/** The files of `src/` that a folder names: those below it, or the file itself. */
export function sourcesOf(root, folder) {
  return filesBelow(root, folder)
    .filter((file) => /(?<!\.test|\.d)\.ts$/.test(file))
    .toSorted();
}

export function testFiles(root, folders) {
  const files = folders.flatMap((folder) => filesBelow(root, folder));
  return [...new Set(files)].filter((file) => file.endsWith(".test.ts")).toSorted();
}

/** Every mutant of some files, with the name of the block it lies in. */
export function mutantsIn(root, files) {
  return files.flatMap((file) => {
    const source = readFileSync(join(root, file), "utf8");
    const blocks = blocksOf(file, source);
    const lines = source.split("\n");
    return mutantsOf(file, source).map((mutant) => ({
      ...mutant,
      code: lines[mutant.line - 1].trim(),
      original: source.slice(mutant.start, mutant.end),
      block: blockOf(mutant, blocks),
    }));
  });
}

/** `count` of them, the same for the same seed and source. */
export function sample(mutants, count, seed) {
  let state = seed >>> 0 || 1;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0; // mulberry32
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return mutants
    .map((mutant) => ({ mutant, order: next() }))
    .toSorted((a, b) => a.order - b.order)
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

/**
 * Runs every test file once against instrumented sources.
 * @returns for each test file that passes: its milliseconds and the blocks it reached. Kept for each test file in
 * out/mutation/reach/ until that file or a source changes.
 */
export async function reachOf(runner, files, tests, tell) {
  const { root } = runner.sandbox;
  const sources = digest(files.map((file) => file + readFileSync(join(root, file), "utf8")));
  const cacheOf = (test) =>
    join(project, "out/mutation/reach", `${digest([sources, test, readFileSync(join(root, test))])}.json`);
  const missing = tests.filter((test) => !existsSync(cacheOf(test)));
  if (missing.length > 0) await measure(runner, files, missing, { tell, keep: (test, reached) => save(cacheOf(test), reached) });
  const measured = tests.filter((test) => existsSync(cacheOf(test)));
  return Object.fromEntries(measured.map((test) => [test, JSON.parse(readFileSync(cacheOf(test), "utf8"))]));
}

function digest(parts) {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex").slice(0, 16);
}

function save(path, value) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(value));
}

async function measure(runner, files, tests, { tell, keep }) {
  const { root } = runner.sandbox;
  for (const file of files) runner.write(file, instrumented(file, runner.sandbox.read(file), root));
  for (const [index, test] of tests.entries()) {
    takeReached(root);
    const started = performance.now();
    const { failures, tests: count } = await runner.run([test], { timeout: 180_000 });
    if (failures.length > 0 || count === 0) tell(`left out: ${test}: ${failures[0] ?? "no test ran"}`);
    else keep(test, { ms: Math.ceil(performance.now() - started), blocks: takeReached(root) });
    if (index % 50 === 49) tell(`${index + 1} of ${tests.length} test files measured`);
  }
  runner.restore();
}
