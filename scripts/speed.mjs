// Writes docs/project/speed.md and its charts, docs/project/speed/*.svg, from the figures in docs/project/speed.json.
//   node scripts/speed.mjs                             from the figures that are there
//   node scripts/speed.mjs bench/out/languages.json    takes the figures of that run first (`npm run bench:languages -- --write`)
//   node scripts/speed.mjs --print                     prints what it would write
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chartsOf } from "./speed/charts.mjs";
import { figuresOf } from "./speed/figures.mjs";
import { speedPage } from "./speed/page.mjs";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const folder = fileURLToPath(new URL("../docs/project/", import.meta.url));
const read = (file) => JSON.parse(readFileSync(file, "utf8"));

const [first] = process.argv.slice(2);
const isRun = first !== undefined && first !== "--print";
const figures = isRun ? figuresOf(read(first)) : read(`${folder}speed.json`);
const made = { "speed.md": speedPage(figures), ...chartsOf(figures) };
if (first === "--print") process.stdout.write(JSON.stringify(made));
else {
  mkdirSync(`${folder}speed`, { recursive: true });
  if (isRun) writeFileSync(`${folder}speed.json`, `${JSON.stringify(figures, undefined, 1)}\n`);
  for (const [name, text] of Object.entries(made)) writeFileSync(folder + name, text);
  console.log("Written: docs/project/speed.md, its charts and speed.json");
}
