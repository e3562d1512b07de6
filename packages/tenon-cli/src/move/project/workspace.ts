/** Workspaces: the folder that has the lock file and the overrides of its packages, and the packages in it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { isJsonObject, jsonIn } from "tenon/internal";

/** The workspace that a folder is a package of; undefined for a project by itself, and for the workspace itself. */
export function workspaceAround(folder: string): string | undefined {
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above)) {
    const path = relative(above, folder).split(sep).join("/");
    if (isMember(path, patternsIn(above))) return above;
  }
  return undefined;
}

/** The packages of a workspace, by their paths in it; of another folder none. */
export function membersOf(root: string): readonly string[] {
  const patterns = patternsIn(root);
  return patterns.length === 0 ? [] : packagesBelow(root, root).filter((path) => isMember(path, patterns));
}

/** The deepest folder in which a package is looked for. */
const MAX_DEPTH = 4;

function packagesBelow(folder: string, root: string, depth = 0): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory() || entry.name === "node_modules" || entry.name.startsWith(".")) return [];
    const path = join(folder, entry.name);
    const own = existsSync(join(path, "package.json")) ? [relative(root, path).split(sep).join("/")] : [];
    return depth === MAX_DEPTH ? own : [...own, ...packagesBelow(path, root, depth + 1)];
  });
}

/** The patterns of `workspaces` in package.json, and of `packages` in pnpm's file. */
function patternsIn(folder: string): readonly string[] {
  const [manifest, pnpm] = [join(folder, "package.json"), join(folder, "pnpm-workspace.yaml")];
  return [
    ...(existsSync(manifest) ? ofManifest(readFileSync(manifest, "utf8")) : []),
    ...(existsSync(pnpm) ? ofPnpm(readFileSync(pnpm, "utf8")) : []),
  ];
}

function ofManifest(text: string): readonly string[] {
  const manifest = jsonIn(text.replace(/^\uFEFF/, ""));
  const list = isJsonObject(manifest) ? manifest["workspaces"] : undefined;
  const patterns = isJsonObject(list) ? list["packages"] : list;
  return Array.isArray(patterns) ? patterns.filter((each) => typeof each === "string") : []; // another folder's file may be anything
}

/** The list below `packages:`; the rest of the file is not read. */
function ofPnpm(text: string): readonly string[] {
  const [, list = ""] = /^packages:[ \t]*\r?\n((?:[ \t]*(?:-.*|#.*)?\r?\n?)*)/m.exec(text) ?? [];
  return [...list.matchAll(/^[ \t]*-[ \t]*(["']?)([^"'#\r\n]+?)\1[ \t]*(?:#.*)?$/gm)].map(([, , pattern]) => pattern!);
}

/** Whether a path fits the patterns; one that begins with `!` takes paths out. */
function isMember(path: string, patterns: readonly string[]): boolean {
  const fits = (pattern: string): boolean => expressionOf(pattern).test(path);
  const [out, within] = [patterns.filter((each) => each.startsWith("!")), patterns.filter((each) => !each.startsWith("!"))];
  return within.some(fits) && !out.some((each) => fits(each.slice(1)));
}

function expressionOf(pattern: string): RegExp {
  const parts = pattern
    .replace(/^\.\//, "")
    .replace(/\/$/, "")
    .split(/(\*\*\/?|\*)/);
  const text = parts.map((part) => {
    if (part === "*") return "[^/]*";
    return part.startsWith("**") ? ".*" : part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`^${text.join("")}$`);
}
