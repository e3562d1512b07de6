// The packages the demonstration uses: where their programs are and what they are called.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of this repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/[\\/]$/, "");

function manifestOf(name) {
  const folder = join(root, "node_modules", name);
  return { folder, manifest: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) };
}

/** The program of a package that has one. */
export function binOf(name) {
  const { folder, manifest } = manifestOf(name);
  const bin = typeof manifest.bin === "string" ? manifest.bin : Object.values(manifest.bin)[0];
  return join(folder, bin);
}

/** Name and version, without the scope. */
export function titleOf(name) {
  return `${name.replace("@modelcontextprotocol/", "")} ${manifestOf(name).manifest.version}`;
}

/** Tenon's own name and version. */
export const tenon = `tenon ${JSON.parse(readFileSync(join(root, "packages/tenon/package.json"), "utf8")).version}`;
