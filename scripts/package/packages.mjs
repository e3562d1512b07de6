// The packages of this repository that are published: each has a manifest of its own, and all have one version.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { publicEntries } from "../public-entries.mjs";

/** `{ folder, manifest }` of each package that npm may publish, the one named `tenon` first. Folders are absolute. */
export function packagesOf(root) {
  const below = join(root, "packages");
  const folders = [root, ...(existsSync(below) ? readdirSync(below).map((name) => join(below, name)) : [])];
  return folders
    .filter((folder) => existsSync(join(folder, "package.json")))
    .map((folder) => ({ folder, manifest: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) }))
    .filter(({ manifest }) => manifest.private !== true)
    .toSorted((a, b) => Number(b.manifest.name === "tenon") - Number(a.manifest.name === "tenon"));
}

/** `{ subpath, types }` of what a package exports with declarations: `tenon/server` and the file of its types. */
export function typedSubpaths({ folder, manifest }) {
  return publicEntries(manifest.exports)
    .filter(([, target]) => target.types !== undefined)
    .map(([name, { types }]) => ({ subpath: `${manifest.name}${name.slice(1)}`, types: join(folder, types) }));
}
