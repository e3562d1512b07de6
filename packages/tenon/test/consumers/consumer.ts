/**
 * A project that uses the built package, as `npm install tenon` leaves it: `npm run build` makes it, `npm run setup -- consumers`
 * the packages beside it.
 */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { has } from "../support/needs.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const packages = join(root, "packages/tenon/test/consumers/packages/node_modules");

/** Whether Jest and NestJS are installed. */
const isInstalled = has("consumers");

/** Lays out a project in `out/consumers`, with the files of a folder of this one. Returns where it is. */
export function layOut(name: string, files?: string): string {
  const folder = join(root, "out/consumers", name);
  rmSync(folder, { recursive: true, force: true });
  const modules = install(folder);
  for (const dependency of isInstalled ? namesIn(packages) : ["zod", "@types/node"]) {
    link(join(isInstalled ? packages : join(root, "node_modules"), dependency), join(modules, dependency));
  }
  if (files !== undefined) cpSync(join(root, "packages/tenon/test/consumers", files), folder, { recursive: true });
  return folder;
}

/**
 * Lays out a project with Tenon and nothing else, outside of this repository: a compiler looks for types in all folders above.
 * Returns where it is.
 */
export function layOutAlone(): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-alone-"));
  install(folder);
  return folder;
}

/** Installs the built package and what it depends on. Returns the folder of the packages. */
function install(folder: string): string {
  if (!existsSync(join(root, "packages/tenon/dist/index.js"))) throw new Error("There is no dist/: run `npm run build` first");
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "tenon"), { recursive: true });
  for (const part of ["dist", "src", "package.json"])
    cpSync(join(root, "packages/tenon", part), join(modules, "tenon", part), { recursive: true });
  // our own file
  const manifest = JSON.parse(readFileSync(join(root, "packages/tenon/package.json"), "utf8")) as { dependencies: object };
  for (const dependency of Object.keys(manifest.dependencies))
    link(join(root, "node_modules", dependency), join(modules, dependency));
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  return modules;
}

function link(from: string, to: string): void {
  if (existsSync(to)) return;
  mkdirSync(dirname(to), { recursive: true });
  symlinkSync(from, to);
}

function namesIn(modules: string): string[] {
  return readdirSync(modules).flatMap((name) => {
    if (name.startsWith(".")) return [];
    return name.startsWith("@") ? readdirSync(join(modules, name)).map((own) => `${name}/${own}`) : [name];
  });
}

/** Runs a program of the project with this Node; returns its exit code and what it prints. */
export function run(cwd: string, ...args: string[]): { status: number | null; output: string } {
  const env = { ...process.env, NODE_OPTIONS: "", NO_COLOR: "1" };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: "utf8" });
  return { status, output: stdout + stderr };
}
