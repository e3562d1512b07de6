// Removes the declarations that no subpath leads to, such as those of the command: nothing can import them.
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

/** The declarations that some of them import, themselves included; `./tool.ts` in them is `tool.d.ts`. */
export function reachable(entries) {
  const found = new Set(entries);
  for (const path of found) {
    for (const [, from] of readFileSync(path, "utf8").matchAll(/(?:from|import\(|import) ?"(\.[^"]+)"/g)) {
      const target = join(dirname(path), from).replace(/(?<!\.d)\.[jt]s$/, ".d.ts");
      if (existsSync(target)) found.add(target);
    }
  }
  return found;
}

/** Removes what `entries` do not lead to, and folders that are empty then. */
export function pruneDeclarations(dist, entries) {
  const kept = reachable(entries);
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    if (entry.isFile() && path.endsWith(".d.ts") && !kept.has(path)) rmSync(path);
  }
  removeEmpty(dist);
}

function removeEmpty(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) if (entry.isDirectory()) removeEmpty(join(folder, entry.name));
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}
