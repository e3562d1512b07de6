// Builds `dist/` from `src/`: the compiler emits one file for each file in, then the modules of each entry are joined,
// because Node spends a quarter of a millisecond on every module it loads and `tenon/server` alone has seventy.
// What entries share becomes chunks they all import, so every class exists once; nothing is minified or renamed.
// `dist/` is emptied first, so that a file removed from `src/` cannot live on in the package.
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { joinChunks } from "./join-chunks.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const joined = join(root, "out", "joined");
const { exports, imports, bin, dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

rmSync(dist, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});
if (status !== 0) process.exit(status ?? 1);

/** Every file that package.json names: what can be imported, run, or stand behind a `#` import. */
function entries(value) {
  if (typeof value === "string") return value.startsWith("./dist/") && value.endsWith(".js") ? [value] : [];
  return Object.values(value).flatMap(entries);
}

rmSync(joined, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: [...new Set([exports, imports, bin].flatMap(entries))],
  outbase: "dist",
  outdir: joined,
  bundle: true,
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  format: "esm",
  platform: "node",
  target: "node20",
  external: [imports, dependencies, peerDependencies].flatMap(Object.keys),
  logLevel: "warning",
});
for (const file of readdirSync(dist, { recursive: true })) if (file.endsWith(".js")) rmSync(join(dist, file));
// An import for its effects alone is there to keep an order of evaluation that no module here depends on
// (`sideEffects: false`); bundlers would warn about each.
for (const file of readdirSync(joined, { recursive: true }).filter((name) => name.endsWith(".js"))) {
  const path = join(joined, file);
  writeFileSync(path, readFileSync(path, "utf8").replace(/^import "[^"]+";\n/gm, ""));
}
const filesOf = (subpaths) => subpaths.map((subpath) => exports[subpath].default.slice("./dist/".length));
await joinChunks(joined, filesOf([".", "./server", "./client", "./node"]), filesOf(["./server", "./client"]));
cpSync(joined, dist, { recursive: true });
rmSync(joined, { recursive: true });
// The command, so that `npx tenon` runs it in this folder too; an install does the same.
chmodSync(join(dist, bin.tenon.slice("./dist/".length)), 0o755);
