/**
 * Which files of an installed package no program needs at run time, by their names: documentation, tests, examples, type declarations,
 * source maps and TypeScript. Licences stay: they must go with the code. What is needed among the rest is a matter of `loaded-files.ts`.
 */

const SURPLUS_FILE =
  /\.(map|tsbuildinfo|flow|md|markdown|mkd|[cm]?ts|tsx|coffee)$|^(readme|changelog|changes|history|contributing|security|authors|code_of_conduct|makefile|gruntfile\.js|gulpfile\.js|karma\.conf\.js|jest\.config\.[cm]?js|tsconfig.*\.json)$/i;
const SURPLUS_FOLDER = /^(docs?|tests?|__tests__|__mocks__|spec|specs|examples?|benchmarks?|coverage|man|website)$/i;
const LICENCE = /^(licen[cs]e|copying|notice|third-party)/i;

/** Whether a file is left out. @param path from the folder of its package, with `/` */
export function isSurplus(path: string): boolean {
  const parts = path.split("/");
  const name = parts.at(-1)!;
  if (LICENCE.test(name)) return false;
  return SURPLUS_FILE.test(name) || parts.slice(0, -1).some((folder) => SURPLUS_FOLDER.test(folder));
}
