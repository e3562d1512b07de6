// Fails when a file of `packages/tenon/src/` imports a folder it must not know: a file may import its own folder and folders of lower
// layers, plus the few neighbours listed below. Only `node/` and `authorization-server/` may import Node's built-ins.
// The command, `packages/tenon-cli/src/`, and the layer for the official SDK 1.x, `packages/sdk-v1/src/`, import Tenon by its subpaths only,
// and nothing in Tenon imports them. The inspector
// does not know the rest of the command.
// Types count as imports: a type from above is knowledge of what is above. Tests beside the code are free.
// Only `protocol/` and `wire/` may name a revision: code elsewhere asks the codec, or uses a name from protocol/versions.ts.
// `#name` imports are the sanctioned way down to a platform: package.json maps them per runtime.
import { existsSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import { codeOf, importsOf, sourceFiles } from "./imports.mjs";
import { repository } from "./places.mjs";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const LAYERS = [
  ["base"],
  ["jsonrpc"],
  ["protocol", "schema", "auth", "storage"],
  ["wire", "transport", "dispatch", "cluster", "api-keys"],
  ["session"],
  ["state"],
  ["effects", "search", "spill"],
  ["pages"],
  ["server", "client", "middleware"],
  ["compat", "compose", "dev", "extensions", "node", "openapi", "otel", "stores", "."], // "." is src/index.ts, the platform-neutral entry
  ["upstream", "authorization-server", "procedures"],
  ["group", "providers"],
  ["gateway", "models", "testing"],
  ["internal"], // what the command and the layer for the SDK 1.x use besides the public subpaths
];
/** Neighbours of the same layer that may be imported: a dispatcher runs over a `Transport`, authorization differs by revision,
 * the store of tasks belongs to their extension, and the workers of a program share the stores in memory. */
const NEIGHBOURS = {
  dispatch: ["transport"],
  auth: ["protocol"],
  stores: ["extensions"],
  node: ["stores", "extensions"],
  testing: ["models"],
};
const REVISION_FOLDERS = ["protocol", "wire"];
const NODE_FOLDERS = ["node", "authorization-server"];

const rank = new Map(LAYERS.flatMap((folders, index) => folders.map((folder) => [folder, index])));
const builtins = new Set(builtinModules);
const root = resolve(process.argv[2] ?? repository);
const [library, command, sdkV1] = ["tenon", "tenon-cli", "sdk-v1"].map((name) => join(root, "packages", name, "src"));

/** The folder of a `src/` a path lies in; "." for a file directly in it, and ".." for one outside. */
function folderOf(path, src) {
  const parts = relative(src, path).split(sep);
  return parts.length > 1 ? parts[0] : ".";
}

/** Why a file of the library must not import `specifier`, or undefined. */
function objectionInLibrary(file, specifier) {
  const from = folderOf(file, library);
  const bare = specifier.replace(/\/.*/, "");
  if (specifier.startsWith("node:") || builtins.has(bare)) {
    return NODE_FOLDERS.includes(from) ? undefined : `only ${NODE_FOLDERS.join("/ and ")}/ may import Node's built-ins`;
  }
  if (bare === "tenon") return "inside src/ the package is imported by path, not by name";
  if (bare === "tenon-cli" || bare === "tenon-sdk-v1") return "nothing in Tenon imports the other packages";
  if (!specifier.startsWith(".")) return undefined;
  const to = folderOf(resolve(dirname(file), specifier), library);
  if (to === "..") return "a file of Tenon imports files of its own package only";
  if (to === from || NEIGHBOURS[from]?.includes(to)) return undefined;
  if (!rank.has(from) || !rank.has(to)) return `${rank.has(from) ? to : from}/ has no layer: give it one in scripts/layers.mjs`;
  return rank.get(to) < rank.get(from) ? undefined : `${to}/ is not below ${from}/`;
}

/** The same of a file of the command. */
function objectionInCommand(file, specifier) {
  if (!specifier.startsWith(".")) {
    return /^tenon\/(?:src|dist)\b/.test(specifier)
      ? "the command imports Tenon by its subpaths: tenon, tenon/… or tenon/internal"
      : undefined;
  }
  const from = folderOf(file, command);
  const to = folderOf(resolve(dirname(file), specifier), command);
  if (to === "..") return "the command imports Tenon by its subpaths: tenon, tenon/… or tenon/internal";
  return from === "inspector" && to !== from ? "inspector/ does not know the rest of the command" : undefined;
}

/** The same of a file of the layer for the official SDK 1.x. */
function objectionInSdkV1(file, specifier) {
  const outside = specifier.startsWith(".")
    ? folderOf(resolve(dirname(file), specifier), sdkV1) === ".."
    : /^tenon\/(?:src|dist)\b/.test(specifier);
  return outside ? "the layer imports Tenon by its subpaths: tenon, tenon/… or tenon/internal" : undefined;
}

/** The revisions that `file` names and must not. */
function revisionsIn(file, text) {
  if (REVISION_FOLDERS.includes(folderOf(file, library))) return [];
  return codeOf(text).match(/(["'`])\d{4}-\d{2}-\d{2}\1/g) ?? [];
}

/** What is wrong with the imports and the names of revisions of the files below a folder. */
function violationsIn(files, objection) {
  const only = `only ${REVISION_FOLDERS.join("/ and ")}/ may name a revision`;
  return files.flatMap((file) => {
    const text = readFileSync(file, "utf8");
    const imports = importsOf(text).flatMap((specifier) => {
      const why = objection(file, specifier);
      return why === undefined ? [] : [`${relative(root, file)}: imports "${specifier}": ${why}`];
    });
    return [...imports, ...revisionsIn(file, text).map((name) => `${relative(root, file)}: says ${name}: ${only}`)];
  });
}

const [inLibrary, inCommand, inSdkV1] = [library, command, sdkV1].map((src) => (existsSync(src) ? sourceFiles(src) : []));
const violations = [
  ...violationsIn(inLibrary, objectionInLibrary),
  ...violationsIn(inCommand, objectionInCommand),
  ...violationsIn(inSdkV1, objectionInSdkV1),
];
if (violations.length > 0) {
  console.error(violations.join("\n"));
  process.exit(1);
}
console.log(
  `layers: ${inLibrary.length} files, no import goes up, no revision is named above wire/; ` +
    `${inCommand.length} files of the command and ${inSdkV1.length} of the layer for the SDK 1.x, which use Tenon by its subpaths`,
);
