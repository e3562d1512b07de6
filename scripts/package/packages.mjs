// The packages of this repository that are published: each has a manifest of its own, and all have one version.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { publicEntries } from "../public-entries.mjs";

/** `{ folder, manifest }` of each package that npm may publish; one that others depend on stands before them. Folders are absolute. */
export function packagesOf(root) {
  const below = join(root, "packages");
  const folders = [root, ...(existsSync(below) ? readdirSync(below).map((name) => join(below, name)) : [])];
  const packages = folders
    .filter((folder) => existsSync(join(folder, "package.json")))
    .map((folder) => ({ folder, manifest: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) }))
    .filter(({ manifest }) => manifest.private !== true);
  const byName = new Map(packages.map((each) => [each.manifest.name, each]));
  /** How many packages of this repository must be published before one. */
  const depth = ({ manifest }) =>
    Math.max(0, ...Object.keys(manifest.dependencies ?? {}).map((name) => (byName.has(name) ? depth(byName.get(name)) + 1 : 0)));
  return packages.toSorted((a, b) => depth(a) - depth(b));
}

/** `{ subpath, types }` of what a package exports with declarations: `tenon/server` and the file of its types. */
export function typedSubpaths({ folder, manifest }) {
  return publicEntries(manifest.exports)
    .filter(([, target]) => target.types !== undefined)
    .map(([name, { types }]) => ({ subpath: `${manifest.name}${name.slice(1)}`, types: join(folder, types) }));
}
