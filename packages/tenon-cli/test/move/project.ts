/** Projects on the official SDK 1.x, in folders outside the repository, and the tarballs that a move in a clone names. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { install, outsideFolder, pack, root, write } from "../cli/packed.ts";
import { runCommand } from "../cli/run-command.ts";
import type { Ended, RunOptions } from "../cli/start-command.ts";

/** Packs what a move from a clone installs, where it looks for it. */
export async function packLayer(): Promise<void> {
  await Promise.all(["tenon", "tenon-sdk-v1"].map((name) => pack(name, join(root, "out"))));
}

const versionOf = (name: string): string =>
  // a manifest
  (JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8")) as { version: string }).version;

/** The releases of packages that are installed here. */
export function versionsOf(packages: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(packages.map((name) => [name, versionOf(name)]));
}

/** A project with these files and packages, installed. */
export async function project(
  files: Readonly<Record<string, string>>,
  packages: readonly string[],
  manifest: object = {},
): Promise<string> {
  const { path, remove } = outsideFolder();
  onTestFinished(remove);
  const dependencies = versionsOf(packages);
  write(path, {
    "package.json": `${JSON.stringify({ name: "moved", type: "module", ...manifest, dependencies }, undefined, 4)}\n`,
    ...files,
  });
  await install(path);
  return path;
}

/** The bytes of the files that a move changes. */
export function savedBytes(folder: string): readonly Buffer[] {
  return ["package.json", "package-lock.json"].map((name) => readFileSync(join(folder, name)));
}

/** Runs `tenon move`. Its JSON must be whole. */
export async function moveJson(
  folder: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<{ ended: Ended; json: unknown }> {
  const ended = await runCommand(["move", folder, "--json", ...args], {
    env: { HOME: process.env["HOME"] ?? folder },
    ...options,
  });
  expect(ended.stdout, ended.stderr).not.toBe("");
  return { ended, json: JSON.parse(ended.stdout) as unknown };
}
