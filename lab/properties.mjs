// Runs every property test with inputs that no run has tried: each run draws a seed, prints it, and gives it to all properties.
//   npm run lab:properties                     once
//   npm run lab:properties -- --runs 10        ten times, each with a seed of its own
//   npm run lab:properties -- --seed 1234      with that seed
//   npm run lab:properties -- test/group       only those of a folder
// Exits with 1 if a property does not hold. What failed is tried again with its seed, or alone with the seed and the path it
// prints.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { repository } from "../scripts/places.mjs";
import { endWithReader } from "../scripts/stdout.mjs";

endWithReader();

const { values: given, positionals } = parseArgs({
  options: { runs: { type: "string", default: "1" }, seed: { type: "string" } },
  allowPositionals: true,
});

/** The test files of the packages that import fast-check, or something beside them that does. */
function propertyTests() {
  const names = readdirSync(join(repository, "packages"), { recursive: true, encoding: "utf8" });
  const tests = names.filter((name) => name.endsWith(".test.ts") && !name.includes("node_modules"));
  const files = tests.map((name) => join("packages", name));
  const uses = (file) => /from "(fast-check|\.\/(steps|from-schema)\.ts)"/.test(readFileSync(join(repository, file), "utf8"));
  return files.filter((file) => uses(file) && (positionals.length === 0 || positionals.some((part) => file.includes(part))));
}

const files = propertyTests();
if (files.length === 0) throw new Error(`No property test has one of these in its path: ${positionals.join(", ")}`);
const seeds =
  given.seed === undefined ? Array.from({ length: Number(given.runs) }, () => Math.floor(Math.random() * 2 ** 31)) : [given.seed];
for (const seed of seeds) {
  console.log(`${files.length} files, seed ${seed}`);
  const { status } = spawnSync(join(repository, "node_modules/.bin/vitest"), ["run", ...files], {
    cwd: repository,
    stdio: "inherit",
    env: { ...process.env, TENON_PROPERTY_SEED: String(seed) },
  });
  if (status === 0) continue;
  console.log(`npm run lab:properties -- --seed ${seed}`);
  process.exitCode = 1;
}
