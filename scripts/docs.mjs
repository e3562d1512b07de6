// Builds the documentation site into out/site: the API reference from the declarations, VitePress from docs/, then every
// link of the result is followed. What builds it has its own package in site/, installed when it is missing.
//   node scripts/docs.mjs         build (`npm run docs`)
//   node scripts/docs.mjs --dev   serve docs/ and show each change at once (`npm run docs:dev`)
import { spawnSync } from "node:child_process";
import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const root = fileURLToPath(new URL("..", import.meta.url));
const site = join(root, "site");
const api = join(root, "out", "api");
const reference = join(root, "docs", "reference");

function run(title, ...args) {
  const started = performance.now();
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit", env: { ...process.env, NO_COLOR: "1" } });
  if (status !== 0) process.exit(status ?? 1);
  console.log(`ok ${((performance.now() - started) / 1000).toFixed(1).padStart(5)} s  ${title}`);
}

function install() {
  const installed = join(site, "node_modules", ".package-lock.json");
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(site, "package-lock.json")).mtimeMs) return;
  // Not `npm ci`: it refuses a lock file that lacks packages of other platforms, which a partial mirror of the registry makes.
  const args = ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", site];
  const { status } = spawnSync("npm", args, { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) process.exit(status ?? 1);
}

install();
rmSync(api, { recursive: true, force: true });
rmSync(reference, { recursive: true, force: true });
const compiler = join(root, "node_modules/typescript/bin/tsc");
run(
  "declarations",
  compiler,
  "-p",
  "packages/tenon/tsconfig.build.json",
  "--emitDeclarationOnly",
  "--declarationMap",
  "false",
  "--outDir",
  api,
);
run("reference", join(site, "typedoc.mjs"), api, reference);
const vitepress = join(site, "node_modules/vitepress/bin/vitepress.js");
if (process.argv.includes("--dev")) run("site", vitepress, "dev", site);
else {
  run("site", vitepress, "build", site);
  run("links", join(site, "links.mjs"), join(root, "out", "site"));
}
