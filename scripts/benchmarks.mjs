// Writes docs/project/benchmarks.md and docs/project/speed.svg from the figures in docs/project/benchmarks.json.
//   node scripts/benchmarks.mjs                          `npm run docs:benchmarks`
//   node scripts/benchmarks.mjs bench/out/results.json   takes the figures of that run first: they replace those of the same
//                                                        rows, and the other rows stay. Several runs are taken in turn; a
//                                                        run that other processes disturbed is refused
//   node scripts/benchmarks.mjs --print [results...]     prints what it would write
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { speedChart } from "./benchmarks/chart.mjs";
import { withRun } from "./benchmarks/figures.mjs";
import { benchmarkPage } from "./benchmarks/page.mjs";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const folder = fileURLToPath(new URL("../docs/project/", import.meta.url));
const figuresFile = `${folder}benchmarks.json`;
const read = (file) => JSON.parse(readFileSync(file, "utf8"));

const args = process.argv.slice(2);
const isPrinted = args[0] === "--print";
const results = isPrinted ? args.slice(1) : args;
const figures = results.map(read).reduce(withRun, read(figuresFile));
const made = { "benchmarks.md": benchmarkPage(figures), "speed.svg": speedChart(figures) };
if (isPrinted) process.stdout.write(JSON.stringify(made));
else {
  if (results.length > 0) writeFileSync(figuresFile, `${JSON.stringify(figures, undefined, 1)}\n`);
  for (const [name, text] of Object.entries(made)) writeFileSync(folder + name, text);
}
