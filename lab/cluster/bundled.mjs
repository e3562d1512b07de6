// Bundles a program of the cluster from its source, so that it runs in processes of its own without a build.
import { build } from "esbuild";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Packages that the programs load from the folder of this project. */
const EXTERNAL = ["redis", "pg", "@electric-sql/pglite", "@nats-io/*", "vitest"];

/** Bundles a file into a folder. Returns where it is. */
export async function bundled(file, folder) {
  const outfile = join(folder, `${basename(fileURLToPath(file), ".ts")}.mjs`);
  await build({
    entryPoints: [fileURLToPath(file)],
    bundle: true,
    format: "esm",
    platform: "node",
    conditions: ["source"],
    external: EXTERNAL,
    // Packages in CommonJS ask for it.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    outfile,
    logLevel: "error",
  });
  return outfile;
}
