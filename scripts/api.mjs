// The public API in git: one file of `api/` for each subpath, so that a change of a name or a type is a line in a diff.
//   node scripts/api.mjs            compares with the build: fails on a difference, on a name with two meanings, and on a change
//                                   without an entry in the changelog (`npm run api`, part of `npm run check`)
//   node scripts/api.mjs --update   writes what the build says
// Needs a build. `--root folder` takes another project.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { changelogFault } from "./api/changelog.mjs";
import { packagesOf, typedSubpaths } from "./package/packages.mjs";
import { differenceOf, snapshotOf } from "./api/snapshot.mjs";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const { values } = parseArgs({ options: { update: { type: "boolean", default: false }, root: { type: "string" } } });
const root = values.root ?? fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "api");
const subpaths = packagesOf(root).flatMap(typedSubpaths);
const missing = subpaths.find(({ types }) => !existsSync(types));
if (missing !== undefined) fail([`${missing.types} is missing: run "npm run build" first.`]);

const { texts, faults } = snapshotOf(subpaths);
const files = new Map([...texts].map(([name, text]) => [`${name}.d.ts`, text]));
const inGit = new Map(existsSync(folder) ? readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]) : []);
if (values.update) update();
else fail([...faults, ...differences(), ...[changelogFault(root)].filter(Boolean)]);
console.log(`api: ${texts.size - 1} subpaths, ${[...texts.values()].join("\n").split("\n").length} lines, each name has one meaning`);

function update() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  fail(faults);
}

function differences() {
  const names = [...new Set([...files.keys(), ...inGit.keys()])].filter((name) => files.get(name) !== inGit.get(name));
  const shown = names.map(
    (name) => `api/${name} is not what the build declares:\n${differenceOf(inGit.get(name) ?? "", files.get(name) ?? "")}`,
  );
  return shown.length === 0
    ? []
    : [...shown, `If the change is meant, run "npm run api -- --update", and say in CHANGELOG.md what it is for users.`];
}

function fail(sentences) {
  if (sentences.length === 0) return;
  console.error(sentences.join("\n"));
  process.exit(1);
}
