/** The project that is moved: its package.json, its package manager, and the SDK that it has. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { isJsonObject } from "tenon/internal";
import type { JsonObject } from "tenon";
import { UsageError } from "../../failure.ts";
import { OFFICIAL } from "../source/imports.ts";

/** The package that takes the place of the official one. */
export const LAYER = "tenon-sdk-v1";

export type Manager = "npm" | "pnpm" | "yarn" | "bun";

/** The lock files of each manager; the first one is the one that it writes. */
export const LOCKS: Readonly<Record<Manager, readonly string[]>> = {
  npm: ["package-lock.json", "npm-shrinkwrap.json"],
  pnpm: ["pnpm-lock.yaml"],
  yarn: ["yarn.lock"],
  bun: ["bun.lock", "bun.lockb"],
};

export interface MovedProject {
  /** Absolute. */
  readonly folder: string;
  readonly text: string;
  readonly package: JsonObject;
  readonly manager: Manager;
  /** The member of package.json that names the official SDK: `dependencies`; undefined if only other packages name it. */
  readonly member: string | undefined;
  /** The version that is installed; undefined if none is. */
  readonly installed: string | undefined;
}

const MEMBERS = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"] as const;

/** @throws UsageError if there is no project, or none that uses the official SDK 1.x */
export function projectIn(folder: string, shown: string): MovedProject {
  const path = join(folder, "package.json");
  if (!existsSync(path)) throw new UsageError(`${shown} has no package.json. Name the folder of the server's project.`);
  const text = readFileSync(path, "utf8");
  const manifest = parsed(text, path);
  assertNoMember(folder);
  return {
    folder,
    text,
    package: manifest,
    manager: managerOf(folder, manifest),
    member: MEMBERS.find((member) => dependenciesOf(manifest, member)[OFFICIAL] !== undefined),
    installed: installedVersion(folder, OFFICIAL),
  };
}

function parsed(text: string, path: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (isJsonObject(value)) return value;
  } catch (cause) {
    throw new UsageError(`${path} is not JSON: ${(cause as Error).message}`, { cause }); // JSON.parse throws only SyntaxErrors
  }
  throw new UsageError(`${path} is not an object.`);
}

/** The packages that a member of package.json names. */
export function dependenciesOf(manifest: JsonObject, member: string): Readonly<Record<string, unknown>> {
  const value = manifest[member];
  return isJsonObject(value) ? value : {};
}

/** All packages that a project names, by any of its members. */
export function allDependencies(manifest: JsonObject): ReadonlyMap<string, unknown> {
  return new Map(MEMBERS.flatMap((member) => Object.entries(dependenciesOf(manifest, member))));
}

/** Overrides count in the folder of the lock file only. @throws UsageError if the folder is a part of a larger workspace */
function assertNoMember(folder: string): void {
  if (Object.values(LOCKS).some((names) => names.some((name) => existsSync(join(folder, name))))) return;
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above)) {
    const isRoot = existsSync(join(above, "pnpm-workspace.yaml")) || hasWorkspaces(join(above, "package.json"));
    if (isRoot) throw new UsageError(`${folder} is a part of the workspace in ${above}, which has its lock file: run tenon move there.`);
  }
}

function hasWorkspaces(path: string): boolean {
  if (!existsSync(path)) return false;
  return "workspaces" in parsed(readFileSync(path, "utf8"), path);
}

function managerOf(folder: string, { packageManager }: JsonObject): Manager {
  const [, named] = typeof packageManager === "string" ? (/^(npm|pnpm|yarn|bun)@/.exec(packageManager) ?? []) : [];
  const managers = Object.keys(LOCKS) as Manager[]; // our own table
  return (named as Manager | undefined) ?? managers.find((name) => LOCKS[name].some((lock) => existsSync(join(folder, lock)))) ?? "npm";
}

/** The version of a package as a file of the project finds it. */
export function installedVersion(folder: string, name: string): string | undefined {
  const [root] = createRequire(resolve(folder, "package.json")).resolve.paths(name) ?? [];
  const path = root === undefined ? undefined : join(root, name, "package.json");
  if (path === undefined || !existsSync(path)) return undefined;
  const { version } = parsed(readFileSync(path, "utf8"), path);
  return typeof version === "string" ? version : undefined;
}
