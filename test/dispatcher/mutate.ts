/**
 * Builds the dispatchers with one known bug in them, from the real source: what the simulation must be able to catch.
 */
import { build, type Plugin } from "esbuild";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export interface Mutant {
  readonly name: string;
  /** Within `src/`. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

const ENTRY = fileURLToPath(new URL("subject.ts", import.meta.url));
const SRC = fileURLToPath(new URL("../../src/", import.meta.url));

/** @throws Error where the source no longer has what the mutant replaces */
export async function buildMutant({ file, find, replace }: Mutant): Promise<typeof import("./subject.ts")> {
  const mutate: Plugin = {
    name: "mutate",
    setup(bundler) {
      bundler.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (path !== join(SRC, file)) return undefined;
        const text = await readFile(path, "utf8");
        if (text.split(find).length !== 2) throw new Error(`"${find}" is not in ${file} exactly once`);
        return { contents: text.replace(find, () => replace), loader: "ts" };
      });
    },
  };
  const built = await build({ entryPoints: [ENTRY], bundle: true, format: "esm", write: false, logLevel: "silent", plugins: [mutate] });
  const folder = await mkdtemp(join(tmpdir(), "tenon-mutant-"));
  try {
    const bundle = join(folder, "subject.mjs");
    await writeFile(bundle, built.outputFiles[0]!.contents);
    return (await import(/* @vite-ignore */ pathToFileURL(bundle).href)) as typeof import("./subject.ts"); // built from that very file
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
