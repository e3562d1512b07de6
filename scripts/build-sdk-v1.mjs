// Builds `dist/` of tenon-sdk-v1: its own modules, joined as those of the other packages, and for each other module of the official package one
// line that exports what the official module exports. So every path of the official package is there.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join } from "node:path";
import { bundled, compile, write } from "./build-package.mjs";
import { pruneDeclarations } from "./package/declarations.mjs";
import { sdkV1 } from "./places.mjs";

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

/** The modules of this package that can be imported: all but those in `below/`. */
function ownModules(dist) {
  return readdirSync(dist, { recursive: true })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".js") && !name.startsWith("below/"))
    .map((name) => name.slice(0, -".js".length));
}

export async function buildSdkV1() {
  const dist = join(sdkV1, "dist");
  compile(sdkV1);
  const own = ownModules(dist);
  write(dist, await bundled(dist, own, { external: (id) => !/^[./]/.test(id) && !isAbsolute(id), plugins: [] }));
  pruneDeclarations(
    dist,
    own.map((name) => join(dist, `${name}.d.ts`)),
  );
  for (const name of officialModules()) {
    if (existsSync(join(dist, `${name}.js`))) continue;
    mkdirSync(dirname(join(dist, name)), { recursive: true });
    for (const ending of ["js", "d.ts"]) writeFileSync(join(dist, `${name}.${ending}`), `export * from "${OFFICIAL}/${name}.js";\n`);
  }
}
