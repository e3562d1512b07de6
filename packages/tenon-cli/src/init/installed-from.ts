/**
 * Where this Tenon was installed from, so that a new project gets it from there too: a version of the registry, a tarball, a repository, or
 * the clone that it runs in. npm writes down what it has installed in `node_modules/.package-lock.json`.
 */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { isJsonObject } from "tenon/internal";

/** A place, as the dependencies of a package name it. */
export interface Place {
  /** Such as `^0.1.0` or `file:/home/ann/tenon-0.1.0.tgz`. */
  readonly range: string;
  /** What the user must know of a place that is not a version of the registry. */
  readonly note?: string;
  /** What must be done before the project can be installed. */
  readonly first?: string;
}

/** @param folder the folder of the running package */
export function installedFrom(folder: string, version: string): Place {
  const real = realpathSync(folder);
  const modules = modulesOf(real);
  const resolved = modules === undefined ? undefined : resolvedIn(modules, real);
  if (resolved === undefined) return cloneOf(real, version) ?? { range: `^${version}` };
  // A tarball of a registry lies under `/-/`, wherever the registry is.
  if (/^https?:/.test(resolved) && resolved.includes("/-/")) return { range: `^${version}` };
  const range = resolved.startsWith("file:") ? `file:${resolve(dirname(modules!), resolved.slice("file:".length))}` : resolved;
  return { range, note: `Tenon was installed from ${range}, so the project names that place. Others need a version that is published.` };
}

/** The `node_modules` that a package lies in; undefined if it lies in none. */
function modulesOf(folder: string): string | undefined {
  const end = folder.lastIndexOf(`${sep}node_modules${sep}`);
  return end === -1 ? undefined : folder.slice(0, end + `${sep}node_modules`.length);
}

/** What npm has written down; undefined for other package managers, and for a link. */
function resolvedIn(modules: string, folder: string): string | undefined {
  try {
    const lock: unknown = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8"));
    const packages = isJsonObject(lock) && isJsonObject(lock["packages"]) ? lock["packages"] : {};
    const entry = packages[`node_modules/${folder.slice(modules.length + 1).replaceAll(sep, "/")}`];
    return isJsonObject(entry) && typeof entry["resolved"] === "string" ? entry["resolved"] : undefined;
  } catch {
    return undefined; // no such file, or none that npm has written
  }
}

/** The tarball that `npm run pack` writes in a clone; undefined if the package is in none. */
function cloneOf(folder: string, version: string): Place | undefined {
  const clone = resolve(folder, "..", "..");
  if (basename(dirname(folder)) !== "packages" || !existsSync(join(clone, "scripts", "pack.mjs"))) return undefined;
  const tarball = join(clone, "out", `${basename(folder)}-${version}.tgz`);
  return {
    range: `file:${tarball}`,
    note: `Tenon runs from a clone, so the project names the tarball of that clone. Others need a version that is published.`,
    ...(!existsSync(tarball) && { first: `npm run build --prefix ${quoted(clone)} && npm run pack --prefix ${quoted(clone)}` }),
  };
}

export const quoted = (path: string): string => (/\s/.test(path) ? JSON.stringify(path) : path);
