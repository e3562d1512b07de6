/**
 * Which files of a package a specifier may name: by `exports` and `imports` of its manifest, or by `main` and the file system, as Node
 * looks it up. Every condition that Node may choose counts, because a bundle runs on several versions of it.
 */
import { isJsonObject } from "tenon/internal";
import type { JsonObject } from "tenon";

/** Conditions of other platforms, and of compilers. */
const OTHERS = new Set([
  "types",
  "typings",
  "browser",
  "deno",
  "bun",
  "worker",
  "workerd",
  "edge-light",
  "react-native",
  "electron",
  "source",
]);
const ENDINGS = ["", ".js", ".json", ".cjs", ".mjs", ".node", "/index.js", "/index.json", "/index.cjs", "/index.mjs"];

/** Paths in the package, some of which may not exist. @param subpath `"."` or `"./server"`, or `"#name"` for an import of its own */
export function entriesOf(manifest: JsonObject, subpath: string): readonly string[] {
  const table = subpath.startsWith("#") ? manifest["imports"] : manifest["exports"];
  if (table !== undefined) return targetsOf(table, subpath).map(withoutDot);
  if (subpath !== ".") return [withoutDot(subpath)];
  const main = manifest["main"];
  return typeof main === "string" ? [withoutDot(main), "index.js"] : ["index.js"];
}

const withoutDot = (path: string): string => path.replace(/^\.\//, "");

function targetsOf(table: unknown, subpath: string): readonly string[] {
  const isTable = isJsonObject(table) && Object.keys(table).some((key) => /^[.#]/.test(key));
  if (!isTable) return subpath === "." ? leavesOf(table) : [];
  const exact = table[subpath];
  if (exact !== undefined) return leavesOf(exact);
  for (const [key, target] of Object.entries(table)) {
    const [start, end] = key.split("*");
    if (end === undefined || !subpath.startsWith(start!) || !subpath.endsWith(end)) continue;
    const middle = subpath.slice(start!.length, subpath.length - end.length);
    return leavesOf(target).map((leaf) => leaf.replaceAll("*", middle));
  }
  return [];
}

function leavesOf(target: unknown): readonly string[] {
  if (typeof target === "string") return [target];
  if (Array.isArray(target)) return target.flatMap(leavesOf);
  if (!isJsonObject(target)) return [];
  return Object.entries(target).flatMap(([condition, leaf]) => (OTHERS.has(condition) ? [] : leavesOf(leaf)));
}

/** The file that a path without an ending means; undefined if there is none. */
export function fileAt(path: string, has: (path: string) => boolean): string | undefined {
  return ENDINGS.map((ending) => `${path}${ending}`).find(has);
}
