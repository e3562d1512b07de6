// Builds `dist/` from `src/`: the compiler emits one file for each file in, then the modules of each entry are joined,
// because Node spends a third of a millisecond on every module it loads and `tenon/server` alone has seventy.
// What entries share becomes chunks they all import (chunk-layout.mjs), so every class exists once. Nothing is minified or
// renamed: stacks stay readable, and of all the time a start takes it would save half a millisecond.
// There are no maps: the package has no sources that they could lead to. What is `@internal` is in no declaration.
// `dist/` is emptied first, so that a file removed from `src/` cannot live on in the package.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { buildInspectorPage } from "./inspector-page.mjs";
import { chunkLayout } from "./chunk-layout.mjs";
import { pruneDeclarations } from "./package/declarations.mjs";
import { writePackageTexts } from "./package/texts.mjs";
import { repository, tenon } from "./places.mjs";
import { thirdParty } from "./third-party.mjs";

const dist = join(tenon, "dist");
const { exports, imports, bin, dependencies, peerDependencies } = JSON.parse(readFileSync(join(tenon, "package.json"), "utf8"));

rmSync(dist, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [join(repository, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json"], {
  cwd: tenon,
  stdio: "inherit",
});
if (status !== 0) process.exit(status ?? 1);

/** Every file that package.json names: what can be imported, run, or stand behind a `#` import. */
function entries(value) {
  if (typeof value === "string") return value.startsWith("./dist/") && value.endsWith(".js") ? [value] : [];
  return Object.values(value).flatMap(entries);
}

/** What the libraries of the command load and never use there: a formatter of 1.6 MiB, colours, options of a command line. */
const UNUSED = { prettier: "format", "cli-color": "default", minimist: "default", tinyglobby: "glob" };
const withoutUnused = {
  name: "without-unused",
  resolveId: (id) => (id in UNUSED ? `\0unused:${id}` : null),
  load: (id) =>
    id.startsWith("\0unused:") ? `export const ${UNUSED[id.slice("\0unused:".length)].replace("default", "unused")} = undefined;` : null,
};

/** The declarations of what can be imported. */
function typesOf(value) {
  if (typeof value === "string") return value.endsWith(".d.ts") ? [join(tenon, value)] : [];
  return Object.values(value).flatMap(typesOf);
}

const names = [...new Set([exports, imports, bin].flatMap(entries))].map((path) => path.slice("./dist/".length, -".js".length));
const entryFile = (name) => join(dist, `${name}.js`);
const outside = [imports, dependencies, peerDependencies].flatMap(Object.keys);
const layout = chunkLayout(entryFile);
const bundle = await rolldown({
  cwd: tenon,
  input: Object.fromEntries(names.map((name) => [name, entryFile(name)])),
  external: (id) => id.startsWith("node:") || outside.some((name) => id === name || id.startsWith(`${name}/`)),
  platform: "node",
  treeshake: { moduleSideEffects: false },
  plugins: [layout.plugin, withoutUnused],
});
const { output } = await bundle.generate({
  dir: dist,
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "chunks/[name]-[hash].js",
  comments: { legal: true, annotation: true, jsdoc: false },
  codeSplitting: { groups: layout.groups },
});
await bundle.close();
for (const file of readdirSync(dist, { recursive: true })) if (file.endsWith(".js")) rmSync(join(dist, file));
for (const { type, fileName, code, source } of output) {
  const path = join(dist, fileName);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, type === "chunk" ? code : source);
}
const bundled = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
const inPage = await buildInspectorPage(join(dist, "inspector"));
writeFileSync(join(dist, "THIRD-PARTY.md"), thirdParty([...bundled, ...inPage]));
// The command, so that `npx tenon` runs it in this repository too; an install of the package does the same.
chmodSync(join(dist, bin.tenon.slice("./dist/".length)), 0o755);
const command = join(repository, "node_modules", ".bin", "tenon");
if (!existsSync(command)) {
  mkdirSync(dirname(command), { recursive: true });
  rmSync(command, { force: true });
  symlinkSync(join("..", "tenon", bin.tenon), command);
}
pruneDeclarations(dist, typesOf(exports));
writePackageTexts(repository, tenon);
