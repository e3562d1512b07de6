// Fails when a file of `src/` imports a folder it must not know: a file may import its own folder and folders of lower
// layers, plus the few neighbours listed below. Only `node/`, `cli/`, `inspector/` and `authorization-server/` may
// import Node's built-ins.
// Types count as imports: a type from above is knowledge of what is above. Tests beside the code are free.
// Only `protocol/` and `wire/` may name a revision: code elsewhere asks the codec, or uses a name from protocol/versions.ts.
// `#name` imports are the sanctioned way down to a platform: package.json maps them per runtime.
import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import { codeOf, importsOf, sourceFiles } from "./imports.mjs";
import { tenon } from "./places.mjs";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const LAYERS = [
  ["base"],
  ["jsonrpc"],
  ["protocol", "schema", "auth", "storage"],
  ["wire", "transport", "dispatch", "cluster"],
  ["session"],
  ["server", "client", "middleware"],
  ["compat", "compose", "dev", "extensions", "node", "openapi", "otel", "stores", "."], // "." is src/index.ts, the platform-neutral entry
  ["upstream", "authorization-server"],
  ["group"],
  ["gateway", "models", "testing"],
  ["cli", "inspector"],
];
/** Neighbours of the same layer that may be imported: a dispatcher runs over a `Transport`, authorization differs by revision,
 * the store of tasks belongs to their extension, and the command starts the inspector. */
const NEIGHBOURS = { dispatch: ["transport"], auth: ["protocol"], stores: ["extensions"], cli: ["inspector"] };
const REVISION_FOLDERS = ["protocol", "wire"];
const NODE_FOLDERS = ["node", "cli", "inspector", "authorization-server"];

const rank = new Map(LAYERS.flatMap((folders, index) => folders.map((folder) => [folder, index])));
const builtins = new Set(builtinModules);
const root = resolve(process.argv[2] ?? tenon);
const src = join(root, "src");

/** The folder of `src/` a path lies in; "." for a file directly in it. */
function folderOf(path) {
  const parts = relative(src, path).split(sep);
  return parts.length > 1 ? parts[0] : ".";
}

/** Why `file` must not import `specifier`, or undefined. */
function objection(file, specifier) {
  const from = folderOf(file);
  const bare = specifier.replace(/\/.*/, "");
  if (specifier.startsWith("node:") || builtins.has(bare)) {
    return NODE_FOLDERS.includes(from) ? undefined : `only ${NODE_FOLDERS.join("/ and ")}/ may import Node's built-ins`;
  }
  if (bare === "tenon") return "inside src/ the package is imported by path, not by name";
  if (!specifier.startsWith(".")) return undefined;
  const to = folderOf(resolve(dirname(file), specifier));
  if (to === from || NEIGHBOURS[from]?.includes(to)) return undefined;
  if (!rank.has(from) || !rank.has(to)) return `${rank.has(from) ? to : from}/ has no layer: give it one in scripts/layers.mjs`;
  return rank.get(to) < rank.get(from) ? undefined : `${to}/ is not below ${from}/`;
}

/** The revisions that `file` names and must not. */
function revisionsIn(file, text) {
  if (REVISION_FOLDERS.includes(folderOf(file))) return [];
  return codeOf(text).match(/(["'`])\d{4}-\d{2}-\d{2}\1/g) ?? [];
}

const files = sourceFiles(src);
const violations = files.flatMap((file) => {
  const text = readFileSync(file, "utf8");
  const imports = importsOf(text).flatMap((specifier) => {
    const why = objection(file, specifier);
    return why === undefined ? [] : [`${relative(root, file)}: imports "${specifier}": ${why}`];
  });
  const only = `only ${REVISION_FOLDERS.join("/ and ")}/ may name a revision`;
  return [...imports, ...revisionsIn(file, text).map((name) => `${relative(root, file)}: says ${name}: ${only}`)];
});
if (violations.length > 0) {
  console.error(violations.join("\n"));
  process.exit(1);
}
console.log(`layers: ${files.length} files, no import goes up, no revision is named above wire/`);
