// Puts the small chunks that many entries share into one, because Node pays for each file it loads.
//
// Only chunks that need no other (or only such) are taken: whoever loads the joined one then loads nothing else with it.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/** Bytes up to which a chunk is small. */
const SMALL = 6 * 1024;
/** The clauses that esbuild writes: `import { a, b as c } from "./chunk-X.js";` */
const IMPORT = /^import \{([^}]*)\} from "([^"]*\/)([^"/]+\.js)";$/gm;

/** `folder` holds what esbuild wrote: entries anywhere, shared code in `chunks/`. Files of lazy imports are left alone. */
export async function joinChunks(folder) {
  const chunks = join(folder, "chunks");
  const sources = new Map(readdirSync(chunks).map((name) => [name, readFileSync(join(chunks, name), "utf8")]));
  const shared = [...sources.keys()].filter((name) => name.startsWith("chunk-"));
  const leaves = new Set(shared.filter((name) => sources.get(name).length <= SMALL));
  // A chunk that needs one that is not taken is not taken either.
  for (let before = -1; before !== leaves.size;) {
    before = leaves.size;
    for (const name of leaves) if (needs(sources.get(name)).some((other) => !leaves.has(other))) leaves.delete(name);
  }
  const names = [...leaves];
  const prefixOf = new Map(names.map((name, index) => [name, `_${index}_`]));
  await bundle(chunks, names, sources, prefixOf);
  for (const path of readdirSync(folder, { recursive: true }).filter((file) => file.endsWith(".js") && !file.endsWith("base.js"))) {
    const file = join(folder, path);
    writeFileSync(file, redirect(readFileSync(file, "utf8"), prefixOf));
  }
  for (const name of names) rmSync(join(chunks, name));
}

/** The chunks a source imports, and what it takes from packages or by `#`, which no leaf may. */
function needs(source) {
  return [...source.matchAll(/(?:from|import\() ?"([^"]+)"/g)].map(([, specifier]) => specifier.split("/").at(-1));
}

function exportsOf(source) {
  const list = /^export \{([^}]*)\};$/m.exec(source)?.[1] ?? "";
  return list.split(",").flatMap((part) => part.trim().split(" as ").at(-1) || []);
}

/** One module with the exports of all, each behind the prefix of its chunk. */
async function bundle(chunks, names, sources, prefixOf) {
  const lines = names.map((name) => {
    const clauses = exportsOf(sources.get(name)).map((exported) => `${exported} as ${prefixOf.get(name)}${exported}`);
    return `export { ${clauses.join(", ")} } from "./${name}";`;
  });
  await build({
    stdin: { contents: lines.join("\n"), resolveDir: chunks, loader: "js" },
    outfile: join(chunks, "base.js"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "warning",
  });
}

function redirect(source, prefixOf) {
  return source.replace(IMPORT, (clause, list, path, name) => {
    const prefix = prefixOf.get(name);
    if (prefix === undefined) return clause;
    const imported = list.split(",").flatMap((part) => {
      const [from, to = from] = part.trim().split(" as ");
      return from === "" ? [] : [`${prefix}${from} as ${to}`];
    });
    return `import { ${imported.join(", ")} } from "${path}base.js";`;
  });
}
