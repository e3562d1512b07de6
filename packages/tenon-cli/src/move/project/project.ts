/** The project that is moved: its package.json, its package manager, and the SDK that it has. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, resolve, sep } from "node:path";
import { isJsonObject } from "tenon/internal";
import type { JsonObject } from "tenon";
import { UsageError } from "../../failure.ts";
import { OFFICIAL } from "../source/imports.ts";
import { membersOf, workspaceAround } from "./workspace.ts";

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
  /** The folder with the lock file and the overrides, absolute: the workspace around the project, or the project itself. */
  readonly root: string;
  /** The way from the project to that folder: `../../`; "" if it is the project. */
  readonly up: string;
  /** Other packages of the workspace that name the official SDK, too, by their paths in it. */
  readonly others: readonly string[];
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
  const root = workspaceAround(folder) ?? folder;
  const up = root === folder ? "" : `${relative(folder, root).split(sep).join("/")}/`;
  return {
    folder,
    root,
    up,
    others: othersIn(root, folder),
    text,
    package: manifest,
    manager: managerOf(root, root === folder ? manifest : manifestIn(root)),
    member: memberOf(manifest),
    installed: installedVersion(folder, OFFICIAL, root),
  };
}

/** The member of a package.json that names the official SDK. */
function memberOf(manifest: JsonObject): string | undefined {
  return MEMBERS.find((member) => dependenciesOf(manifest, member)[OFFICIAL] !== undefined);
}

function othersIn(root: string, folder: string): readonly string[] {
  return membersOf(root)
    .filter((path) => join(root, path) !== folder && memberOf(manifestIn(join(root, path))) !== undefined)
    .toSorted();
}

/** The package.json of a folder. @throws UsageError if it is not an object */
function manifestIn(folder: string): JsonObject {
  const path = join(folder, "package.json");
  return parsed(readFileSync(path, "utf8"), path);
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

export function dependenciesOf(manifest: JsonObject, member: string): Readonly<Record<string, unknown>> {
  const value = manifest[member];
  return isJsonObject(value) ? value : {};
}

export function allDependencies(manifest: JsonObject): ReadonlyMap<string, unknown> {
  return new Map(MEMBERS.flatMap((member) => Object.entries(dependenciesOf(manifest, member))));
}

function managerOf(folder: string, { packageManager }: JsonObject): Manager {
  const [, named] = typeof packageManager === "string" ? (/^(npm|pnpm|yarn|bun)@/.exec(packageManager) ?? []) : [];
  const managers = Object.keys(LOCKS) as Manager[]; // our own table
  const locked = managers.find((name) => LOCKS[name].some((lock) => existsSync(join(folder, lock))));
  return (named as Manager | undefined) ?? locked ?? (existsSync(join(folder, "pnpm-workspace.yaml")) ? "pnpm" : "npm");
}

/** The version of a package as a file of the project finds it. @param root the workspace around the project, where it may be instead */
export function installedVersion(folder: string, name: string, root: string = workspaceAround(folder) ?? folder): string | undefined {
  for (const place of createRequire(resolve(folder, "package.json")).resolve.paths(name) ?? []) {
    const path = join(place, name, "package.json");
    if (relative(root, place).startsWith("..")) return undefined;
    if (!existsSync(path)) continue;
    const { version } = parsed(readFileSync(path, "utf8"), path);
    return typeof version === "string" ? version : undefined;
  }
  return undefined;
}
