/**
 * The hosting templates of `tenon init --template`: folders below `templates/` of this package, each with the files that a project gets beside
 * the usual ones, and a `template.json` that says what stands in `package.json`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { UsageError } from "../failure.ts";
import { packageFolder } from "../version.ts";

export interface Template {
  readonly files: ReadonlyMap<string, string>;
  /** Scripts of `package.json`, `deploy` among them. */
  readonly scripts: Readonly<Record<string, string>>;
  readonly devDependencies: readonly string[];
  readonly ignore: readonly string[];
}

interface Manifest {
  readonly summary: string;
  readonly deploy: string;
  readonly start: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly devDependencies?: readonly string[];
  readonly ignore?: readonly string[];
}

const MANIFEST = "template.json";
const root = (): string => join(packageFolder("tenon-cli"), "templates");

/** The `tsconfig.json` of every project: the one that the documentation gives. */
export function usualTsconfig(): string {
  return readFileSync(join(root(), "tsconfig.json"), "utf8");
}

export function templateNames(): readonly string[] {
  const entries = readdirSync(root(), { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).toSorted();
}

/** @throws UsageError if there is no such template */
export function assertTemplate(name: string): void {
  if (templateNames().includes(name)) return;
  throw new UsageError(`--template must be one of ${templateNames().join(", ")}, not ${JSON.stringify(name)}.`);
}

/** Reads a template. @param project the name of the package, which platforms take without dots and underscores */
export function readTemplate(name: string, project: string): Template {
  const folder = join(root(), name);
  const own = (text: string): string => text.replaceAll("{{name}}", project.replace(/[._]+/g, "-"));
  const read = (path: string): string => own(readFileSync(join(folder, path), "utf8"));
  const { deploy, start, scripts = {}, devDependencies = [], ignore = [] } = JSON.parse(read(MANIFEST)) as Manifest; // our own
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== MANIFEST)
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  const files = new Map(paths.toSorted().map((path) => [path.split(sep).join("/"), read(path)]));
  return { files, scripts: { start, deploy, ...scripts }, devDependencies, ignore };
}
