// The fuzz targets as one module, with a counter at the begin of each block of `src/`: what an input reaches is known after each
// run.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { blocksOf } from "../mutation/reach.mjs";
import { bundleSources } from "../../scripts/source-bundle.mjs";

/** @returns the targets, and the counters by number of block: they count up to 255 */
export async function loadTargets(project, folder) {
  const outfile = join(folder, "fuzz.mjs");
  await bundleSources(join(project, "packages/tenon/test/fuzz/targets/index.ts"), outfile, { plugins: [counting(project)] });
  globalThis.__hits = new Uint8Array(1 << 16);
  const { targets } = await import(pathToFileURL(outfile).href);
  return { targets, hits: globalThis.__hits };
}

function counting(project) {
  let next = 0;
  return {
    name: "count",
    setup(bundler) {
      bundler.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!relative(project, path).startsWith("packages/tenon/src/")) return undefined;
        let text = readFileSync(path, "utf8");
        for (const { start } of blocksOf(path, text).toSorted((a, b) => b.start - a.start)) {
          text = `${text.slice(0, start + 1)} globalThis.__hits[${next++ & 0xffff}]++; ${text.slice(start + 1)}`;
        }
        return { contents: text, loader: "ts" };
      });
    },
  };
}
