/**
 * The files of a bundle: what npm would publish of the package, and its installed dependencies without those for development.
 *
 * Security: a bundle is given to others, so files that look like secrets refuse it. Links and hidden files stay out.
 */
import { execFile } from "node:child_process";
import { readdir, readFile, realpath } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { isJsonObject } from "tenon/internal";
import { UsageError } from "../failure.ts";
import type { Environment } from "../shell.ts";

const MIB = 1024 * 1024;
/** Bytes of all files; hosts unpack them, and this process holds them. */
const MAX_BYTES = 256 * MIB;

/** Files by their paths in the bundle, with `/`. */
export type BundledFiles = Map<string, Uint8Array>;

const SECRET_FILE = /(^|\/)(\.env(\..*)?|\.npmrc|id_(rsa|dsa|ecdsa|ed25519)|credentials(\.json)?|.*\.(pem|key|p12|pfx|keystore))$/i;
const SECRET_TEXT =
  /-----BEGIN [A-Z ]*PRIVATE KEY-----|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36,}|\bsk-[A-Za-z0-9_-]{32,}|\bxox[abpr]-[A-Za-z0-9-]{20,}/;

/**
 * Files that no program needs at run time, by their names: documentation, tests, examples, type declarations, source maps and TypeScript.
 * Licences stay: they must go with the code.
 */
const SURPLUS_FILE =
  /\.(map|tsbuildinfo|flow|md|markdown|mkd|[cm]?ts|tsx|coffee)$|^(readme|changelog|changes|history|contributing|security|authors|code_of_conduct|makefile|gruntfile\.js|gulpfile\.js|karma\.conf\.js|jest\.config\.[cm]?js|tsconfig.*\.json)$/i;
const SURPLUS_FOLDER = /^(docs?|tests?|__tests__|__mocks__|spec|specs|examples?|benchmarks?|coverage|man|website)$/i;
const LICENCE = /^(licen[cs]e|copying|notice|third-party)/i;

/** @throws UsageError if npm cannot list the files, one looks like a secret, or there are too many bytes */
export async function ownFiles(folder: string, env: Environment): Promise<BundledFiles> {
  const listed = JSON.parse(await npm(["pack", "--dry-run", "--json", "--ignore-scripts"], folder, env)) as unknown;
  const [packed] = Array.isArray(listed) ? listed : isJsonObject(listed) ? Object.values(listed) : []; // npm 12 lists by name
  const files = isJsonObject(packed) && Array.isArray(packed["files"]) ? (packed["files"] as { path: string }[]) : []; // npm's own output
  const found: BundledFiles = new Map();
  for (const { path } of files) {
    assertNoSecretName(path);
    if (path.endsWith(".mcpb")) continue; // one that was made before
    if (!path.split("/").some((part) => part.startsWith("."))) found.set(path, await readFile(join(folder, path)));
  }
  for (const [path, bytes] of found) assertNoSecretText(path, bytes);
  return found;
}

/**
 * The files of the installed dependencies and of the command, which serves the file, without those that no program needs. A project has
 * the command for development.
 *
 * @throws UsageError if a package is missing, is a link, or works on one platform only
 */
export async function dependencyFiles(folder: string, env: Environment): Promise<BundledFiles> {
  const found: BundledFiles = new Map();
  const root = await realpath(folder);
  // Before npm lists them: it also judges the project that a link leads to.
  for (const name of await dependenciesOf(root)) placeOf((await installedAt(name, root)) ?? root, root);
  const listed = (await npm(["ls", "--omit=dev", "--all", "--parseable"], folder, env)).split("\n").filter((path) => path.trim() !== "");
  const paths = new Set(await Promise.all(listed.map((path) => realpath(path))));
  await addInstalled("tenon-cli", root, paths);
  for (const path of paths) {
    const place = placeOf(path, root);
    if (place !== "") await addFolder(path, place, place, found);
  }
  return found;
}

/** Where an installed package is in its project; "" for the project itself. @throws UsageError if it is a link */
function placeOf(path: string, root: string): string {
  const place = relative(root, path).split(sep).join("/");
  if (place === "" || place.startsWith("node_modules/")) return place;
  throw new UsageError(`${path} is a linked package, and links do not work for others: install it from a tarball or the registry.`);
}

/** Adds the folder of a package that is installed for the one at `from`, and the folders of its own dependencies. */
async function addInstalled(name: string, from: string, paths: Set<string>): Promise<void> {
  const path = await installedAt(name, from);
  if (path === undefined || paths.has(path)) return;
  paths.add(path);
  for (const dependency of await dependenciesOf(path)) await addInstalled(dependency, path, paths);
}

async function dependenciesOf(folder: string): Promise<readonly string[]> {
  const { dependencies = {} } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { dependencies?: object }; // npm has read it
  return Object.keys(dependencies);
}

/** The real path of an installed package, looked for as Node does; undefined if there is none. */
async function installedAt(name: string, from: string): Promise<string | undefined> {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = await realpath(join(folder, "node_modules", name)).catch(() => undefined);
    if (path !== undefined || folder === dirname(folder)) return path;
  }
}

/** @param root where the package is in the bundle */
async function addFolder(folder: string, place: string, root: string, found: BundledFiles): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const [from, to] = [join(folder, entry.name), `${place}/${entry.name}`];
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue; // a package in it is listed by itself
    if (entry.isDirectory()) await addFolder(from, to, root, found);
    if (!entry.isFile() || isSurplus(to.slice(root.length + 1))) continue;
    if (entry.name.endsWith(".node")) throw new UsageError(`${to} works on one platform only: a bundle is for all of them.`);
    found.set(to, await readFile(from));
  }
}

/** Returns the bytes of all files. @throws UsageError if they are too many */
export function assertSize(files: BundledFiles): number {
  let bytes = 0;
  for (const content of files.values()) bytes += content.length;
  if (bytes > MAX_BYTES)
    throw new UsageError(`The bundle would have ${Math.ceil(bytes / MIB)} MiB, and ${MAX_BYTES / MIB} MiB are the most.`);
  return bytes;
}

function assertNoSecretName(path: string): void {
  if (SECRET_FILE.test(path))
    throw new UsageError(`${path} looks like a secret: leave it out with "files" of package.json or with .npmignore.`);
}

function assertNoSecretText(path: string, bytes: Uint8Array): void {
  if (SECRET_TEXT.test(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1")))
    throw new UsageError(`${path} has a text that looks like a secret: read it from a variable, and name that with --env.`);
}

async function npm(args: readonly string[], cwd: string, env: Environment): Promise<string> {
  const isWindows = process.platform === "win32"; // npm is a script there, and these words need no quotes
  try {
    const { stdout } = await promisify(execFile)("npm", args, { cwd, env, shell: isWindows, maxBuffer: 64 * MIB, timeout: 60_000 });
    return stdout;
  } catch (cause) {
    const said =
      (cause as { stderr?: string }).stderr
        ?.trim()
        .split("\n")
        .find((line) => /ERR|error/i.test(line)) ?? String(cause);
    throw new UsageError(`npm ${args[0]} failed: ${said}. Run "npm install" first.`, { cause });
  }
}

/** Whether a file of an installed package is left out. @param path from the folder of its package, with `/` */
export function isSurplus(path: string): boolean {
  const parts = path.split("/");
  const name = parts.at(-1)!;
  if (LICENCE.test(name)) return false;
  return SURPLUS_FILE.test(name) || parts.slice(0, -1).some((folder) => SURPLUS_FOLDER.test(folder));
}
