// What must hold of the files of the package: no tests, no broken map, no dead link, nothing internal in a declaration.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

/** What a project must say about itself, for those who find it in the registry. */
const FIELDS = ["description", "keywords", "homepage", "repository", "bugs", "license", "engines"];

/** The bundler's own code, and the inspector's page: nobody steps through it, and its map would be larger than it is. */
const WITHOUT_MAP = /rolldown-runtime|inspector\/page\.js$/;

/** The faults of an unpacked package, as sentences; empty if there are none. */
export function faultsOf(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => !name.startsWith("node_modules"));
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const text = (name) => readFileSync(join(folder, name), "utf8");
  return [
    ...FIELDS.filter((field) => manifest[field] === undefined).map((field) => `package.json has no "${field}"`),
    ...files.filter((name) => name.includes(".test.")).map((name) => `${name} is a test`),
    ...files.filter((name) => name.endsWith(".map")).flatMap((name) => deadSources(folder, name, JSON.parse(text(name)))),
    ...files
      .filter((name) => /^dist.*\.js$/.test(name) && !WITHOUT_MAP.test(name) && hasCode(text(name)) && !files.includes(`${name}.map`))
      .map((name) => `${name} has no map`),
    ...files
      .filter((name) => name.endsWith(".d.ts") && name.startsWith("dist"))
      .flatMap((name) => declarationFaults(name, text(name), files)),
    ...files.filter((name) => name.endsWith(".md")).flatMap((name) => deadLinks(folder, name, text(name))),
  ];
}

/** Whether there is more in a module than imports and exports, which have nothing to map. */
function hasCode(text) {
  return text.split("\n").some((line) => line !== "" && !/^(import|export) .*from|^import "|^export \{|^(#!|\/\/)/.test(line));
}

/** Sources that a map names must be in the package: "go to definition" opens them. Those of bundled libraries are not: THIRD-PARTY.md has their names. */
function deadSources(folder, name, { sources, sourceRoot = "" }) {
  return sources
    .filter((source) => !source.includes("node_modules/"))
    .map((source) => resolve(folder, dirname(name), sourceRoot, source))
    .filter((path) => !path.startsWith(`${folder}${sep}`) || !existsSync(path))
    .map((path) => `${name} names ${relative(folder, path)}, which is not in the package`);
}

function declarationFaults(name, text, files) {
  const faults = [];
  if (text.includes("@internal")) faults.push(`${name} shows what is internal`);
  if (!files.includes(`${name}.map`)) faults.push(`${name} has no map`);
  return faults;
}

/** Links between files, which a reader of the package follows in it. */
function deadLinks(folder, name, text) {
  const prose = text.replace(/^```.*?^```/gms, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target)
    .filter((target) => !/^([a-z]+:|#|\/)/.test(target) && !existsSync(join(folder, dirname(name), target.split("#")[0])))
    .map((target) => `${name} links to ${target}, which is not in the package`);
}
