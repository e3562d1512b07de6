// What must hold of the files of a package as npm packs it: nothing that a program does not need, no dead link, nothing internal in a
// declaration. A file too many is a fault, so that sources, pages, tests and maps do not come back by accident.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { reachable } from "./declarations.mjs";

/** What a project must say about itself, for those who find it in the registry. */
const FIELDS = ["description", "keywords", "homepage", "repository", "bugs", "license", "engines"];

/** The kinds of files that a package may have: texts, code, declarations, licences of bundled code, the page of the inspector, and templates of projects. */
const ALLOWED =
  /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|llms\.txt|skills\/[\w-]+\/SKILL\.md|(bin\/)?[\w-]+\.mjs|dist\/THIRD-PARTY\.md|dist\/inspector\/(index\.html|page\.css)|dist\/docs-pages\.json\.gz|types\/[\w-]+\.d\.ts|templates\/tsconfig\.json|templates\/[\w-]+\/[\w./-]+|dist\/.*(\.js|\.d\.ts))$/;

/** The faults of an unpacked package, as sentences; empty if there are none. */
export function faultsOf(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath ?? entry.path, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    );
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const text = (name) => readFileSync(join(folder, name), "utf8");
  const targets = [...targetsIn([manifest.exports, manifest.imports, manifest.bin])].flatMap((target) => matchesOf(target, files));
  // A target without a condition `types` has its declarations beside it.
  const declarations = targets.map((target) => target.replace(/\.js$/, ".d.ts")).filter((target) => existsSync(join(folder, target)));
  const declared = reachable(declarations.filter((target) => target.endsWith(".d.ts")).map((target) => join(folder, target)));
  return [
    ...FIELDS.filter((field) => manifest[field] === undefined).map((field) => `package.json has no "${field}"`),
    ...targets
      .filter((target) => !existsSync(join(folder, target)))
      .map((target) => `package.json names ${target}, which is not in the package`),
    ...files.filter((name) => !ALLOWED.test(name)).map((name) => `${name} is a file too many`),
    ...files
      .filter((name) => name.endsWith(".d.ts") && !declared.has(join(folder, name)))
      .map((name) => `${name} is a file too many: no subpath leads to it`),
    ...files
      .filter((name) => /\.([cm]?js|ts|css)$/.test(name) && text(name).includes("sourceMappingURL="))
      .map((name) => `${name} names a map`),
    ...files.filter((name) => name.endsWith(".d.ts") && text(name).includes("@internal")).map((name) => `${name} shows what is internal`),
    ...files.filter((name) => name.endsWith(".md")).flatMap((name) => deadLinks(folder, name, text(name))),
  ];
}

/** The files that a manifest names. */
function* targetsIn(value) {
  if (typeof value === "string") yield value;
  else if (value !== undefined && value !== null) for (const each of Object.values(value)) yield* targetsIn(each);
}

/** The files that a target with a pattern (`./dist/*.js`) names; the target itself if it has no pattern. */
function matchesOf(target, files) {
  const [before, after] = target.replace(/^\.\//, "").split("*");
  if (after === undefined) return [target];
  const found = files.filter((name) => name.startsWith(before) && name.endsWith(after));
  return found.length === 0 ? [target] : found.map((name) => `./${name}`);
}

/** Links between files, which a reader of the package follows in it. */
function deadLinks(folder, name, text) {
  const prose = text.replace(/^```.*?^```/gms, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target)
    .filter((target) => !/^([a-z]+:|#|\/)/.test(target) && !existsSync(join(folder, dirname(name), target.split("#")[0])))
    .map((target) => `${name} links to ${target}, which is not in the package`);
}
