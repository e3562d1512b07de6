// A module of the project's tests as one file, made of the sources: what a process of its own runs.
import { build } from "esbuild";

/** `options` are those of esbuild. */
export async function bundleSources(entry, outfile, options = {}) {
  await build({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    platform: "node",
    conditions: ["source"],
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    outfile,
    logLevel: "error",
    ...options,
  });
  return outfile;
}
