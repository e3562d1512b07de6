// Builds `dist/` of tenon-sdk-v1: its own modules as the compiler emits them, and for each other module of the official package one
// line that exports what the official module exports. So every path of the official package is there.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { repository, sdkV1 } from "./places.mjs";

/** Where the official package is installed, under the name that keeps it apart from the package that takes its place. */
const OFFICIAL = "mcp-sdk-v1";

/** The modules of the official package, without an ending. Its examples are no part of its API. */
function officialModules() {
  const folder = dirname(createRequire(join(sdkV1, "package.json")).resolve(`${OFFICIAL}/types.js`)).replace(/cjs$/, "esm");
  return readdirSync(folder, { recursive: true })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".js") && !name.startsWith("examples/"))
    .map((name) => name.slice(0, -".js".length));
}

export function buildSdkV1() {
  const dist = join(sdkV1, "dist");
  rmSync(dist, { recursive: true, force: true });
  const compiler = join(repository, "node_modules/typescript/bin/tsc");
  const { status } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], { cwd: sdkV1, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
  for (const name of officialModules()) {
    if (existsSync(join(dist, `${name}.js`))) continue;
    mkdirSync(dirname(join(dist, name)), { recursive: true });
    for (const ending of ["js", "d.ts"]) writeFileSync(join(dist, `${name}.${ending}`), `export * from "${OFFICIAL}/${name}.js";\n`);
  }
}
