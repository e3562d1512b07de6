/** A module and everything it imports as one bundle, from the real source: as it is, or with one known bug in it. */
import { build, type Plugin } from "esbuild";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** A bug that a test must be able to catch. */
export interface Mutant {
  readonly name: string;
  /** Within `src/`. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

const SRC = fileURLToPath(new URL("../../src/", import.meta.url));
/** Packages in CommonJS ask for it. */
const REQUIRE = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/**
 * Loads a fresh copy of the module at `entry`.
 * @throws Error if the source no longer has what the mutant replaces
 */
export async function loadBundle<Module>(entry: URL, mutant?: Mutant): Promise<Module> {
  const built = await build({
    entryPoints: [fileURLToPath(entry)],
    bundle: true,
    format: "esm",
    platform: "node",
    conditions: ["source"],
    banner: { js: REQUIRE },
    write: false,
    logLevel: "silent",
    plugins: mutant === undefined ? [] : [mutate(mutant)],
  });
  const folder = await mkdtemp(join(tmpdir(), "tenon-bundle-"));
  try {
    const bundle = join(folder, "bundle.mjs");
    await writeFile(bundle, built.outputFiles[0]!.contents);
    return (await import(/* @vite-ignore */ pathToFileURL(bundle).href)) as Module; // built from that very file
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function mutate({ file, find, replace }: Mutant): Plugin {
  return {
    name: "mutate",
    setup(bundler) {
      let isLoaded = false;
      bundler.onEnd(() => {
        if (!isLoaded) throw new Error(`${file} is not in the bundle`);
      });
      bundler.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (path !== join(SRC, file)) return undefined;
        isLoaded = true;
        const text = await readFile(path, "utf8");
        if (text.split(find).length !== 2) throw new Error(`"${find}" is not in ${file} exactly once`);
        return { contents: text.replace(find, () => replace), loader: "ts" };
      });
    },
  };
}
