// What the files of a source folder say and import: for the checks of layers and circles.
import { readdirSync } from "node:fs";
import { join } from "node:path";

/** The TypeScript files (`.ts` and `.tsx`) below a folder, tests left out, as absolute paths. */
export function sourceFiles(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => /(?<!\.test)\.tsx?$/.test(name));
  return names.map((name) => join(folder, name));
}

/** A source text without its comments. */
export function codeOf(text) {
  return text.replace(/("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|\/\*[\s\S]*?\*\/|\/\/.*$/gm, "$1");
}

/** Every specifier a source text imports, statically or not. */
export function importsOf(text) {
  return [...codeOf(text).matchAll(/\b(?:from|import)\s*\(?\s*(["'])([^"'\n]+)\1/g)].map((match) => match[2]);
}
