/** Explains that a file imports a package or another file that is not there: one sentence instead of the frames of a loader. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, dirname, extname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { nearest } from "tenon/internal";

/** The place of a relative import: `from "./a.ts"`, `import "./a.ts"`, `import("./a.ts")`, `require("./a.ts")`. */
const RELATIVE_IMPORT = /\b(?:from|import|require)\s*\(?\s*(["'])(\.{1,2}\/[^"'\n]*)\1/g;
/** The names of files that can be imported. */
const SOURCE = /\.[mc]?[jt]sx?$/;

/** What to do, if a file imports what is not there. Undefined for other errors. */
export function missingImport(error: Error): string | undefined {
  return missingPackage(error) ?? missingFile(error);
}

/** What to install, if a file imports a package that is not there: Node's error does not say so. */
function missingPackage({ message }: Error): string | undefined {
  const [, specifier] = /^Cannot find (?:package|module) '((?:@[^/']+\/)?[^./'][^']*)'/.exec(message) ?? [];
  if (specifier === undefined) return undefined;
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  const [, importer = "the file"] = /imported from (\S+)|Require stack:\n- (\S+)/.exec(message) ?? [];
  return `The package "${name}" is not installed, and ${importer} imports it. Run: npm install ${name}`;
}

/** Node says the path of the file, and other loaders what the import says. */
function missingFile({ message }: Error): string | undefined {
  const [, missing, ofNode, ofOthers] =
    /^Cannot find module '((?:\.{1,2})?[/\\][^']*|[A-Za-z]:\\[^']*)'(?: imported from (.+)|[^]*?Require stack:\n- (.+))/.exec(message) ??
    [];
  const importer = ofNode ?? ofOthers;
  if (missing === undefined || importer === undefined) return undefined;
  const file = importer.startsWith("file:") ? fileURLToPath(importer) : importer;
  const path = resolve(dirname(file), missing);
  const { line, specifier = missing } = importOf(path, file) ?? {};
  const where = line === undefined ? file : `${file}, line ${line}`;
  const meant = neighbourOf(path);
  const remedy =
    meant === undefined
      ? "Correct the path."
      : `Did you mean ${JSON.stringify(specifier.slice(0, specifier.lastIndexOf("/") + 1) + meant)}?`;
  return `${where}: imports ${JSON.stringify(specifier)}, and there is no such file. ${remedy}`;
}

/** Where a file imports a path, and how it writes it; undefined if the path is computed. */
function importOf(path: string, file: string): { readonly line: number; readonly specifier: string } | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, "utf8");
  for (const { index, 2: specifier = "" } of text.matchAll(RELATIVE_IMPORT))
    if (resolve(dirname(file), specifier) === path) return { line: text.slice(0, index).split("\n").length, specifier };
  return undefined;
}

/** The file of the same folder that was probably meant: with another ending, or a name that is near. */
function neighbourOf(path: string): string | undefined {
  const folder = dirname(path);
  if (!existsSync(folder)) return undefined;
  const sources = readdirSync(folder).filter((name) => SOURCE.test(name));
  return sources.find((name) => stemOf(name) === stemOf(path)) ?? nearest(basename(path), sources);
}

function stemOf(path: string): string {
  return basename(path, extname(path));
}
