// Puts the small chunks that many entries share into two, because Node pays for each file it loads.
//
// Only chunks that need no other (or only such) are taken: whoever loads the joined one then loads nothing else with it.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/** Bytes up to which a chunk is small. */
const SMALL = 6 * 1024;
/** Where a module says what it loads at once. */
const STATIC = /^(?:import|export) [^"]*"([^"]+)";$/gm;
/** The same, and what it loads when it is used. */
const ANY = /^(?:import|export) [^"]*"([^"]+)";$|\bimport\("([^"]+)"\)/gm;
/** The clauses that esbuild writes: `import { a, b as c } from "./chunk-X.js";` */
const IMPORT = /^import \{([^}]*)\} from "([^"]*\/)([^"/]+\.js)";$/gm;

/**
 * `folder` holds what esbuild wrote: entries anywhere, shared code in `chunks/`. Files of lazy imports are left alone.
 *
 * What `core` entries load at once becomes `base.js`, what only others need `more.js`: a bundler that splits would
 * otherwise put what is loaded late beside what is loaded at once, for they would share a file. For the same reason what
 * one of the `light` entries loads late, though another core entry loads it at once, is kept apart from the base: in one
 * file for each set of core entries that load it at once.
 */
export async function joinChunks(folder, core, light) {
  const atOnce = reachable(folder, core, STATIC);
  const late = new Set(light.flatMap((entry) => lateFor(folder, entry)));
  const apart = new Map([...atOnce].filter((name) => late.has(name)).map((name) => [name, usersOf(folder, core, name)]));
  await joinGroup(folder, "base", (name) => atOnce.has(name) && !late.has(name));
  for (const users of new Set(apart.values())) await joinGroup(folder, `base-${users}`, (name) => apart.get(name) === users);
  await joinGroup(folder, "more", (name) => !atOnce.has(name));
}

/** Which of the entries load a chunk at once: a text that is the same for the same ones. */
function usersOf(folder, entries, name) {
  return entries.flatMap((entry, index) => (reachable(folder, [entry], STATIC).has(name) ? [index] : [])).join("");
}

/** Names of the chunks that an entry loads, but not at once. */
function lateFor(folder, entry) {
  const now = reachable(folder, [entry], STATIC);
  return [...reachable(folder, [entry], ANY)].filter((name) => !now.has(name));
}

/** Names of the chunks that those entries load, by imports of that form. */
function reachable(folder, entries, form) {
  const found = new Set();
  const visit = (path) => {
    for (const [, now, specifier = now] of readFileSync(path, "utf8").matchAll(form)) {
      const name = specifier.split("/").at(-1);
      if (!specifier.startsWith(".") || found.has(name)) continue;
      found.add(name);
      visit(join(folder, "chunks", name));
    }
  };
  for (const entry of entries) visit(join(folder, entry));
  return found;
}

async function joinGroup(folder, target, belongs) {
  const chunks = join(folder, "chunks");
  const sources = new Map(readdirSync(chunks).map((name) => [name, readFileSync(join(chunks, name), "utf8")]));
  const shared = [...sources.keys()].filter((name) => name.startsWith("chunk-") && belongs(name));
  const leaves = new Set(shared.filter((name) => sources.get(name).length <= SMALL));
  // A chunk that needs one that is not taken is not taken either, save for the base.
  const stands = (other) => leaves.has(other) || other === "base.js";
  for (let before = -1; before !== leaves.size;) {
    before = leaves.size;
    for (const name of leaves) if (!needs(sources.get(name)).every(stands)) leaves.delete(name);
  }
  const names = [...leaves];
  if (names.length === 0) return;
  const prefixOf = new Map(names.map((name, index) => [name, `_${index}_`]));
  await bundle(chunks, names, sources, prefixOf, target);
  for (const path of readdirSync(folder, { recursive: true }).filter((file) => file.endsWith(".js") && !file.endsWith(`${target}.js`))) {
    const file = join(folder, path);
    writeFileSync(file, redirect(readFileSync(file, "utf8"), prefixOf, target));
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
async function bundle(chunks, names, sources, prefixOf, target) {
  const lines = names.map((name) => {
    const clauses = exportsOf(sources.get(name)).map((exported) => `${exported} as ${prefixOf.get(name)}${exported}`);
    return `export { ${clauses.join(", ")} } from "./${name}";`;
  });
  await build({
    stdin: { contents: lines.join("\n"), resolveDir: chunks, loader: "js" },
    outfile: join(chunks, `${target}.js`),
    external: ["./base.js"],
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "warning",
  });
}

function redirect(source, prefixOf, target) {
  return source.replace(IMPORT, (clause, list, path, name) => {
    const prefix = prefixOf.get(name);
    if (prefix === undefined) return clause;
    const imported = list.split(",").flatMap((part) => {
      const [from, to = from] = part.trim().split(" as ");
      return from === "" ? [] : [`${prefix}${from} as ${to}`];
    });
    return `import { ${imported.join(", ")} } from "${path}${target}.js";`;
  });
}
