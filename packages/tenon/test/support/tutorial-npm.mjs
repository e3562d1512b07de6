#!/usr/bin/env node
// `npm` for a reader of a tutorial: packages come from this repository in place of the registry, everything else is npm's.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const [npm, command, ...args] = process.argv.slice(2);

function pass(program, given) {
  process.exit(spawnSync(program, given, { stdio: "inherit" }).status ?? 1);
}

/** A package is here: what a tutorial installs, this repository has too, but for `tsx`, which the test has of its own. */
function assertHere(name) {
  if (name === "tsx" || existsSync(join(root, "node_modules", name, "package.json"))) return;
  console.error(`npm install: "${name}" is no package of this repository`);
  process.exit(1);
}

if (command === "create" && args[0].startsWith("tenon@")) {
  const given = args.slice(1).filter((each) => each !== "--");
  pass(process.execPath, [join(root, "packages/create-tenon/create-tenon.mjs"), ...given]);
} else if (command === "install") {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync("package.json", "utf8"));
  const named = args.filter((each) => !each.startsWith("-")).map((each) => (each === "../tenon/out/*.tgz" ? "tenon" : each));
  [...named, ...Object.keys(dependencies), ...Object.keys(devDependencies)].forEach(assertHere);
} else pass(npm, [command, ...args]);
