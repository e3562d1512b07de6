/** A project as a reader of the pages has it: Tenon installed, made from the source, and each page's blocks as files. */
import { execFile, spawnSync } from "node:child_process";
import { writeDocsPages } from "../../../tenon-cli/scripts/docs-pages.mjs";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import type { PageBlocks, ShownCommand } from "./doc-blocks.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
/** What a project installs to have all of Tenon. */
const PACKAGES = ["tenon", "tenon-cli"];

interface PackageJson {
  readonly exports: object;
  readonly imports: object;
  readonly bin: object;
  readonly dependencies: object;
  readonly peerDependencies: object;
}

export interface DocProject {
  /** Where the project is; `bin/node` in it runs TypeScript. */
  readonly folder: string;
  /**
   * What the compiler says about the blocks, by page: `page.md:line: message`.
   * @param given the `compilerOptions` of a reader. Default: the strict ones of this repository
   */
  compile(given?: object): ReadonlyMap<string, readonly string[]>;
  /** Runs a command of a page as its reader would; resolves to what it prints. */
  run(page: string, command: ShownCommand): Promise<string>;
}

/** @param pages their blocks, by their path in the project */
export async function docProject(name: string, pages: ReadonlyMap<string, PageBlocks>): Promise<DocProject> {
  const folder = join(root, "out", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "bin"), { recursive: true });
  await Promise.all(PACKAGES.map((each) => install(each, join(folder, "node_modules", each))));
  linkOwn(join(root, "packages/tenon/node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "pages", private: true, type: "module" }));
  await Promise.all(
    [...pages].flatMap(([page, { blocks }]) => blocks.map(({ file, code }) => write(join(folder, slug(page), file), code))),
  );
  writeCommands(folder);
  return { folder, compile: (given) => complaints(folder, pages, given), run: (page, command) => run(folder, page, command) };
}

/** What npm keeps beside the package, and not at the root, because other workspaces override a version in it. */
function linkOwn(from: string, to: string): void {
  if (!existsSync(from)) return;
  for (const name of readdirSync(from)) if (!name.startsWith(".")) symlinkSync(join(from, name), join(to, name));
}

const slug = (page: string): string => page.replace(/\.md$/, "").replaceAll("/", "-");

/**
 * A block without an import is a module too: nothing of one block is visible in another. Its JavaScript is beside it, so that not
 * each program starts a compiler (typescript-hook.mjs). A block that does not compile has none: the program says why.
 */
async function write(file: string, block: string): Promise<void> {
  const isModule = file.endsWith(".json") || /^(?:import|export) /m.test(block);
  const code = isModule ? block : `${block}export {};\n`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, code);
  if (!/\.m?ts$/.test(file)) return;
  const made = await transform(code, { loader: "ts", target: "node20", sourcefile: file, logLevel: "silent" }).catch(
    () => undefined,
  );
  if (made !== undefined) writeFileSync(join(dirname(file), `.${basename(file)}.js`), made.code);
}

// ---- the package ----

/** A package as `npm install` would leave it, with the source beside it, whose types the compiler reads. */
async function install(name: string, folder: string): Promise<void> {
  const from = join(root, "packages", name);
  const text = readFileSync(join(from, "package.json"), "utf8");
  const { exports, imports, bin, dependencies, peerDependencies } = JSON.parse(text) as PackageJson; // our own file
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), text);
  symlinkSync(join(from, "src"), join(folder, "src"));
  for (const part of ["bin", "types", "templates"])
    if (existsSync(join(from, part))) cpSync(join(from, part), join(folder, part), { recursive: true });
  const names = [...new Set([exports, imports, bin].flatMap(entriesOf))].map((path) =>
    path.slice("./dist/".length, -".js".length),
  );
  await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(names.map((entry) => [entry, join(from, "src", `${entry}.ts`)])),
    outdir: join(folder, "dist"),
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    conditions: ["source"],
    // The library of `tenon types` is CommonJS and stays outside: in modules that esbuild writes, it could not load Node's own.
    external: ["#*", "json-schema-to-typescript", ...Object.keys({ ...dependencies, ...peerDependencies })],
    logLevel: "silent",
  });
  if (name === "tenon-cli") writeDocsPages(join(folder, "dist", "docs-pages.json.gz"));
}

/** Every file that package.json names. */
function entriesOf(value: unknown): string[] {
  if (typeof value === "string") return value.startsWith("./dist/") && value.endsWith(".js") ? [value] : [];
  return Object.values(value as object).flatMap(entriesOf); // what is no string in package.json's maps is a map
}

// ---- compiling ----

/** What a project needs to read Tenon's types from its source. */
const FROM_SOURCE = { customConditions: ["source"], skipLibCheck: true, noEmit: true, allowImportingTsExtensions: true };

/** A package that offers its TypeScript under the same condition. The official client needs it. */
const OF_EVENTSOURCE = /^[./]*node_modules\/eventsource\/src\//;

function complaints(folder: string, pages: ReadonlyMap<string, PageBlocks>, given?: object): ReadonlyMap<string, string[]> {
  const settings = {
    ...(given === undefined && { extends: "../../tsconfig.examples.json" }),
    compilerOptions: { noUnusedLocals: false, noUnusedParameters: false, ...given, ...FROM_SOURCE },
    include: ["**/*.ts", "../../packages/tenon/src/node/*.d.ts"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder, "--pretty", "false"], {
    cwd: folder,
    encoding: "utf8",
  });
  const found = new Map<string, string[]>([...pages.keys()].map((page) => [page, []]));
  for (const message of stdout.split(/\n(?! )/).filter((text) => text !== "" && !OF_EVENTSOURCE.test(text))) {
    const [page, text] = placed(message, pages);
    found.set(page, [...(found.get(page) ?? []), text]);
  }
  return found;
}

/** A message of the compiler, at the page and the line that it is about. */
function placed(message: string, pages: ReadonlyMap<string, PageBlocks>): [page: string, text: string] {
  const [, name, file, line, text] = /^([^/]+)\/(\d+\/[^(]+)\((\d+),\d+\): (.*)$/s.exec(message) ?? [];
  for (const [page, { blocks }] of pages) {
    const block = blocks.find((block) => slug(page) === name && block.file === file);
    if (block !== undefined) return [page, `${page}:${block.line + Number(line) - 1}: ${text}`];
  }
  return ["elsewhere", message];
}

// ---- running ----

/** `node`, which runs TypeScript as newer releases of Node do, and `npx`, which finds `tenon` and `tsx`. */
function writeCommands(folder: string): void {
  const hook = new URL("typescript-hook.mjs", import.meta.url).href;
  const node = `exec "${process.execPath}" --no-warnings --import "${hook}" "$@"`;
  const command = join(folder, "node_modules", "tenon", "bin", "tenon.mjs");
  const npx =
    `name=$1; shift; case $name in tenon) exec "${process.execPath}" "${command}" "$@";; tsx) ${node};; esac; ` +
    'echo "npx $name is not known here" >&2; exit 1';
  for (const [name, line] of Object.entries({ node, npx }))
    writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
}

/** Milliseconds after which a command hangs, however busy the machine is. */
const HANG = 110_000;

function run(folder: string, page: string, { command, folder: part }: ShownCommand): Promise<string> {
  const env = { ...process.env, PATH: `${join(folder, "bin")}:${process.env["PATH"]}`, NO_COLOR: "1", NODE_OPTIONS: "" };
  const cwd = join(folder, slug(page), part);
  return new Promise((resolve) => {
    const child = execFile("sh", ["-c", command], { cwd, env, encoding: "utf8", timeout: HANG }, (error, stdout, stderr) => {
      resolve(error === null ? stdout : `${stdout}\n[failed: ${error.signal ?? error.code}]\n${stderr}`);
    });
    child.stdin?.end();
  });
}
