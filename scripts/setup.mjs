// Brings what some tests need beside Node, npm, git and a shell: the table of scripts/setup/parts.mjs.
//   npm run setup                         everything that this machine lacks
//   npm run setup -- redis zsh            these parts alone
//   npm run setup -- --check              brings nothing; says what is missing, what it is for, its size and what brings it
//   npm run setup -- --fresh              makes again what a command of this repository makes: the site, the report on conformance
// What is here already costs nothing. A part that cannot be brought does not stop the others; the exit status says that there was one.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { bring } from "./setup/bring.mjs";
import { has, root } from "./setup/find.mjs";
import { PARTS } from "./setup/parts.mjs";
import { missingLines } from "./setup/words.mjs";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const { values: flags, positionals } = parseArgs({
  options: { check: { type: "boolean", default: false }, fresh: { type: "boolean", default: false } },
  allowPositionals: true,
});
const unknown = positionals.filter((part) => !(part in PARTS));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(", ")}. The parts: ${Object.keys(PARTS).join(" ")}`);
  process.exit(2);
}
const wanted = positionals.length > 0 ? positionals : Object.keys(PARTS);
const missing = wanted.filter((part) => !has(part) || (flags.fresh && PARTS[part].command !== undefined));
const { engines } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
if (flags.check) console.log(`Node ${process.version} (wanted: ${engines.node})`);
if (flags.check || missing.length === 0) for (const line of missingLines(missing, wanted.length)) console.log(line);
else process.exitCode = bring(missing) ? 0 : 1;
