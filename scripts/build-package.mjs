// Builds the `dist/` of one package: the compiler emits one file for each file in, then the modules of each entry are joined,
// because Node spends a third of a millisecond on every module it loads and `tenon/server` alone has seventy.
// What entries share becomes chunks they all import, so every class exists once. Nothing is minified or renamed: stacks stay readable,
// and of all the time a start takes it would save half a millisecond.
// There are no maps: the package has no sources that they could lead to. What is `@internal` is in no declaration.
// `dist/` is emptied first, so that a file removed from `src/` cannot live on in the package.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { pruneDeclarations } from "./package/declarations.mjs";
import { repository } from "./places.mjs";

/** Every file of `dist/` that a part of package.json names: what can be imported, run, or stand behind a `#` import. */
function entries(value) {
  if (typeof value === "string") return value.startsWith("./dist/") && value.endsWith(".js") ? [value] : [];
  return Object.values(value).flatMap(entries);
}

/** Emits one file for each source file of a package, into its empty `dist/`. */
export function compile(folder) {
  rmSync(join(folder, "dist"), { recursive: true, force: true });
  const compiler = join(repository, "node_modules/typescript/bin/tsc");
  const { status } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], { cwd: folder, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

/** The declarations of what can be imported. */
function typesOf(folder, value) {
  if (typeof value === "string") return value.endsWith(".d.ts") ? [join(folder, value)] : [];
  return Object.values(value).flatMap((each) => typesOf(folder, each));
}

/** Puts the joined files in the place of the emitted ones. */
export function write(dist, output) {
  for (const file of readdirSync(dist, { recursive: true })) if (file.endsWith(".js")) rmSync(join(dist, file));
  for (const { type, fileName, code, source } of output) {
    const path = join(dist, fileName);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, type === "chunk" ? code : source);
  }
}

/** Finds modules where a table of specifiers says. */
const placedAt = (places) => ({ name: "places", resolveId: (id) => places[id] ?? null });

/** Joins the modules of some entries, whose emitted files are in `dist/`. Resolves to the files to write. */
export async function bundled(dist, names, { external, plugins, groups }) {
  const bundle = await rolldown({
    cwd: dirname(dist),
    input: Object.fromEntries(names.map((name) => [name, join(dist, `${name}.js`)])),
    external,
    platform: "node",
    treeshake: { moduleSideEffects: false },
    // An import whose only constant was put in its place would stay as an import of nothing, of which users' bundlers warn.
    optimization: { inlineConst: false },
    plugins,
  });
  const { output } = await bundle.generate({
    dir: dist,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    comments: { legal: true, annotation: true, jsdoc: false },
    ...(groups && { codeSplitting: { groups } }),
  });
  await bundle.close();
  return groups === undefined ? output : withoutHelperFile(output);
}

/** Puts the bundler's helper into each file that imports it: in a file of its own, most starts would load one file more. */
function withoutHelperFile(output) {
  const helper = output.find(({ name }) => name === "rolldown-runtime");
  if (helper === undefined) return output;
  const code = helper.code.replace(/^export \{.*\};\n/m, "");
  return output
    .filter((file) => file !== helper)
    .map((file) => (file.imports?.includes(helper.fileName) ? { ...file, code: withHelper(file, code) } : file));
}

function withHelper(file, code) {
  const joined = file.code.replace(/^import \{ t as __exportAll \} from "[^"]*rolldown-runtime-[^"]*";\n/m, () => code);
  if (joined === file.code) throw new Error(`${file.fileName} imports another helper of the bundler than the one that is known`);
  return joined;
}

/**
 * @param folder of the package
 * @param options `plugins` of the bundler; `layout`: with the path of an entry's module, the plugin and the groups of chunk-layout.mjs;
 *   `alone`: entries that share no file with the others, each with what it imports that goes into it: the specifiers and their sources
 * @returns the modules that went in, as absolute paths, for the list of licences
 */
export async function buildPackage(folder, { plugins = [], layout = () => ({}), alone = {} } = {}) {
  const dist = join(folder, "dist");
  const { exports, imports, bin, dependencies, peerDependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  compile(folder);
  const names = [...new Set([exports, imports, bin].flatMap(entries))].map((path) => path.slice("./dist/".length, -".js".length));
  const { plugin, groups } = layout((name) => join(dist, `${name}.js`));
  const outside = [imports, dependencies, peerDependencies].flatMap(Object.keys);
  const isOutside = (id) => id.startsWith("node:") || outside.some((name) => id === name || id.startsWith(`${name}/`));
  const together = names.filter((name) => !(name in alone));
  const output = await bundled(dist, together, { external: isOutside, plugins: [plugin, ...plugins], groups });
  for (const [name, inside] of Object.entries(alone))
    output.push(
      ...(await bundled(dist, [name], { external: (id) => isOutside(id) && !(id in inside), plugins: [...plugins, placedAt(inside)] })),
    );
  write(dist, output);
  pruneDeclarations(dist, typesOf(folder, exports));
  // Commands, so that they run in this repository too; an install of the package does the same.
  for (const path of entries(bin)) chmodSync(join(folder, path), 0o755);
  return output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
}
