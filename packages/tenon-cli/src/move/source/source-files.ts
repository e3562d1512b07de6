/** The source files of a project: what its owner writes, and what a package ships if it has nothing else. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";

const SOURCE = /\.[cm]?[jt]sx?$/;
const DECLARATION = /\.d\.[cm]?ts$/;
const LEFT_OUT = new Set(["node_modules", "coverage", "bower_components", "out-tsc"]);
/** Folders of what a compiler has written. */
const BUILT = new Set(["dist", "build", "lib", "out", "bin", ".next", ".output"]);
const isBuilt = (path: string): boolean => BUILT.has(path.split("/")[0]!);
/** Most files that are read, and most characters of one. */
const [MAX_FILES, MAX_LENGTH] = [5_000, 3_000_000];

export interface SourceFile {
  /** By its path in the project, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** The files of a project. What was compiled is left out if there are sources in TypeScript. */
export function sourceFilesIn(folder: string): SourceFile[] {
  const all = pathsIn(folder, folder);
  const written = all.filter((path) => !isBuilt(path));
  const paths = written.some((path) => /\.[cm]?tsx?$/.test(path)) ? written : all;
  return paths.slice(0, MAX_FILES).flatMap((path) => {
    const text = readFileSync(join(folder, path), "utf8");
    return text.length > MAX_LENGTH ? [] : [{ path, text }];
  });
}

function pathsIn(folder: string, root: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory())
        return LEFT_OUT.has(entry.name) || (entry.name.startsWith(".") && !BUILT.has(entry.name)) ? [] : pathsIn(path, root);
      if (!SOURCE.test(entry.name) || DECLARATION.test(entry.name) || !statSync(path).isFile()) return [];
      return [relative(root, path).split(sep).join("/")];
    });
}
