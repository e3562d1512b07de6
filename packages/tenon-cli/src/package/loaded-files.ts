/**
 * Which files of the installed packages the files of a bundle may load: found by the specifiers in their texts, from the starting files on.
 *
 * It finds too much rather than too little: comments count, and so does every condition. A package that computes what it loads is kept
 * whole, and so is then every package that no specifier names.
 */
import { posix } from "node:path";
import { isJsonObject, jsonIn } from "tenon/internal";
import type { JsonObject } from "tenon";
import { entriesOf, fileAt } from "./package-entries.ts";
import type { BundledFiles } from "./package-files.ts";

const CODE = /\.[cm]?[jt]sx?$/;
/** Imports of every form, `require`, `require.resolve`, and addresses beside a file. */
const SPECIFIER =
  /(?:\bfrom|\bimport|\brequire(?:\.resolve)?\s*\(|\bimport(?:\.meta\.resolve)?\s*\(|\bnew URL\s*\()\s*(?:\/\*[^]*?\*\/\s*)*(["'`])([^"'`\n$]+)\1/g;
/** What is loaded by a computed name. */
const COMPUTED = /(?<![.\w$])(?:require(?:\.resolve)?|import)\s*\(\s*(?!\s*(?:\/\*[^]*?\*\/\s*)*["'`][^"'`\n$]*["'`]\s*[,)])[\w$`"'[(]/;
/** A path beside the file, which may lead to a file that no specifier names. */
const BESIDE = /\b__dirname\b|\b__filename\b|\bimport\.meta\.(?:url|dirname|filename)\b/;
/** Packages whose files say all that they load and read. */
const OWN = new Set(["tenon", "tenon-cli"]);

/** What of them stays besides. */
const TEXTS = /\/(package\.json|LICENSE|THIRD-PARTY\.md)$/;
/** It computes what it loads, but that is only the author's files, which are read by themselves. */
const LOADER = "jiti";

/** The files of `packages` that are needed by `own` and `start`. @param start paths of files in `packages` that are run */
export function loadedFiles(own: BundledFiles, packages: BundledFiles, start: readonly string[]): BundledFiles {
  const search = new Search(packages);
  for (const [path, content] of own) if (CODE.test(path)) search.read(path, content);
  search.followImports(own.get("package.json"));
  for (const path of start) search.add(path);
  search.run();
  return new Map([...packages].filter(([path]) => search.keeps(path)));
}

/** The folder of the package that a file belongs to: up to the last `node_modules` and the name; undefined for the bundle's own. */
function folderOf(path: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
}

const nameOf = (folder: string): string => folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);

class Search {
  readonly #files: BundledFiles;
  readonly #found = new Set<string>();
  readonly #waiting: string[] = [];
  /** Packages that are kept whole. */
  readonly #whole = new Set<string>();
  readonly #manifests = new Map<string, JsonObject>();
  /** Packages of which a file is needed. */
  readonly #used = new Set<string>();
  /** Whether a file names what it loads by a computed text, which may be any package. */
  #isComputed = false;

  constructor(files: BundledFiles) {
    this.#files = files;
    for (const path of files.keys()) {
      const folder = folderOf(path);
      if (folder !== undefined && path === `${folder}/package.json`) this.#manifests.set(folder, manifestIn(files.get(path)!));
    }
  }

  add(path: string): void {
    if (this.#found.has(path) || !this.#files.has(path)) return;
    this.#found.add(path);
    this.#used.add(folderOf(path) ?? "");
    this.#waiting.push(path);
  }

  run(): void {
    for (let path = this.#waiting.pop(); path !== undefined; path = this.#waiting.pop()) {
      if (CODE.test(path)) this.read(path, this.#files.get(path)!);
    }
    const unnamed = [...this.#manifests.keys()].filter((folder) => !this.#used.has(folder));
    if (!this.#isComputed || unnamed.length === 0) return;
    for (const folder of unnamed) this.#keepWhole(folder);
    this.run();
  }

  /** Packages that `imports` of the bundle's own manifest name. */
  followImports(manifest: Uint8Array | undefined): void {
    const table = manifest === undefined ? undefined : manifestIn(manifest)["imports"];
    if (!isJsonObject(table)) return;
    for (const name of Object.keys(table))
      for (const target of entriesOf({ imports: { [name]: table[name] } }, name)) this.#follow("package.json", target);
  }

  /** Whether a file goes into the bundle. Data, such as JSON and WebAssembly, goes with its package. */
  keeps(path: string): boolean {
    const folder = folderOf(path);
    if (folder === undefined || this.#found.has(path)) return true;
    if (OWN.has(nameOf(folder))) return this.#used.has(folder) && TEXTS.test(path);
    return this.#used.has(folder) && (this.#whole.has(folder) || !CODE.test(path));
  }

  /** Follows what one file loads. */
  read(path: string, content: Uint8Array): void {
    const text = Buffer.from(content.buffer, content.byteOffset, content.length).toString("utf8");
    const folder = folderOf(path);
    for (const [, , specifier] of text.matchAll(SPECIFIER)) this.#follow(path, specifier!);
    if (folder !== undefined && OWN.has(nameOf(folder))) return;
    const isComputed = COMPUTED.test(text);
    this.#isComputed ||= isComputed && (folder === undefined || nameOf(folder) !== LOADER);
    if (folder !== undefined && (isComputed || BESIDE.test(text))) this.#keepWhole(folder);
    if (folder === undefined && isComputed) for (const each of this.#manifests.keys()) this.#keepWhole(each);
  }

  #keepWhole(folder: string): void {
    if (this.#whole.has(folder)) return;
    this.#whole.add(folder);
    for (const path of this.#files.keys()) if (folderOf(path) === folder) this.add(path);
  }

  #follow(from: string, specifier: string): void {
    if (specifier.startsWith(".")) return this.#addFile(posix.join(posix.dirname(from), specifier));
    const folder = specifier.startsWith("#") ? folderOf(from) : this.#installed(from, specifier);
    if (folder === undefined) return;
    const subpath = specifier.startsWith("#") ? specifier : `.${specifier.slice(nameOf(folder).length)}`;
    for (const entry of entriesOf(this.#manifests.get(folder)!, subpath)) {
      if (/^[^.#/]/.test(entry) && !this.#files.has(`${folder}/${entry}`)) this.#follow(`${folder}/package.json`, entry); // `"#a": "package"`
      this.#addFile(posix.join(folder, entry));
    }
  }

  #addFile(path: string): void {
    const file = fileAt(path, (each) => this.#files.has(each));
    if (file !== undefined) this.add(file);
    const inside = this.#files.get(`${path}/package.json`); // a folder with a manifest, as `require("./lib")` may name
    const main = inside === undefined ? undefined : manifestIn(inside)["main"];
    if (typeof main === "string") this.#addFile(posix.join(path, main));
  }

  /** The package that a specifier names for a file, nearest first; undefined if it is not installed, or Node's own. */
  #installed(from: string, specifier: string): string | undefined {
    const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0];
    if (name === undefined) return undefined;
    for (let folder = posix.dirname(from); ; folder = posix.dirname(folder)) {
      const place = folder === "." ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
      if (this.#manifests.has(place)) return place;
      if (folder === "." || folder === "/") return undefined;
    }
  }
}

function manifestIn(content: Uint8Array): JsonObject {
  const manifest = jsonIn(Buffer.from(content.buffer, content.byteOffset, content.length).toString("utf8"));
  return isJsonObject(manifest) ? manifest : {}; // a package that is installed and has no readable manifest cannot be imported
}
