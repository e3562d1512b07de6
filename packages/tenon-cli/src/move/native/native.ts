/** `tenon move --native`: rewrites files of a project from the API of the SDK 1.x to Tenon's, as far as it knows them. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { cleanLine, type Paint } from "tenon/internal";
import { UsageError } from "../../failure.ts";
import type { Invocation, Outcome } from "../../invocation.ts";
import { installedVersion } from "../project/project.ts";
import { SavedFiles } from "../project/saved-files.ts";
import { type SourceFile, sourceFilesIn } from "../source/source-files.ts";
import { type Mark, NEWER, type Rewritten, rewriteFile } from "./rewrite-file.ts";

/** One file that was rewritten, or that stays. */
interface NativeFile {
  readonly file: string;
  /** Lines before and after. */
  readonly before: number;
  readonly after: number;
  readonly edits: number;
  readonly marks: readonly Mark[];
}

/** @throws UsageError if a file is not there, cannot be parsed, or if the project does not have Tenon */
export async function rewriteFiles({ positionals, words, values, shell }: Invocation): Promise<Outcome> {
  if (values.undo === true || words !== undefined)
    throw new UsageError("--native takes folders and files, and neither --undo nor a command.");
  const typed = positionals.map((path) => resolve(shell.cwd, path));
  const folder = folderAbove(typed[0] ?? shell.cwd);
  if (installedVersion(folder, "tenon") === undefined)
    throw new UsageError(`Tenon is not installed in ${folder}. First run: tenon move, or npm install tenon`);
  const files = (typed.length === 0 ? [folder] : typed).flatMap((path) => filesAt(path, folder));
  const options = { hasZod: makesJsonSchemas(installedVersion(folder, "zod")), link: "See: npx tenon docs moving/from-typescript" };
  const done: NativeFile[] = [];
  for (const { path, text } of files) {
    if (!text.includes("@modelcontextprotocol/sdk") && !NEWER.test(text)) continue;
    const { edits, marks, text: after } = rewritten(path, text, options);
    if (edits > 0 && values.check !== true) {
      new SavedFiles(folder).saveSource(path, after);
      writeFileSync(join(folder, path), after);
    }
    done.push({ file: path, before: linesOf(text), after: linesOf(after), edits, marks });
  }
  return { json: { folder, files: done }, text: (paint) => describe(done, values.check === true, paint) };
}

function rewritten(path: string, text: string, options: { hasZod: boolean; link: string }): Rewritten {
  try {
    return rewriteFile(path, text, options);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new UsageError(`${path} cannot be parsed: ${cause.message}`, { cause });
  }
}

/** The nearest folder with a package.json, from a file or a folder. @throws UsageError */
function folderAbove(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    try {
      readFileSync(join(folder, "package.json"));
      return folder;
    } catch {
      if (folder === dirname(folder)) throw new UsageError(`There is no package.json in ${start} or above it.`);
    }
  }
}

/** The source files of a folder, or one file, by their paths in the project. @throws UsageError */
function filesAt(path: string, project: string): SourceFile[] {
  const pathIn = (file: string): string => relative(project, file).split(sep).join("/");
  try {
    if (statSync(path).isDirectory()) return sourceFilesIn(path).map((file) => ({ ...file, path: pathIn(join(path, file.path)) }));
    return [{ path: pathIn(path), text: readFileSync(path, "utf8") }];
  } catch (cause) {
    throw new UsageError(`${path} cannot be read.`, { cause });
  }
}

/** Zod makes JSON Schemas in the common form from 4.2 on. */
function makesJsonSchemas(version: string | undefined): boolean {
  const [major = 0, minor = 0] = (version ?? "").split(".").map(Number);
  return major > 4 || (major === 4 && minor >= 2);
}

function linesOf(text: string): number {
  return text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
}

function describe(files: readonly NativeFile[], isCheck: boolean, paint: Paint): string {
  const changed = files.filter(({ edits }) => edits > 0);
  const lines = changed.flatMap(({ file, before, after, edits, marks }) => [
    `${paint("bold", cleanLine(file))}  ${before} → ${after} lines, ${edits} ${edits === 1 ? "place" : "places"} rewritten`,
    ...marks.map(({ line, why }) => `  ${line}: stays on tenon-sdk-v1, because ${cleanLine(why)}`),
  ]);
  const rest = files.filter(({ edits, marks }) => edits === 0 && marks.length === 0).map(({ file }) => cleanLine(file));
  const newer = files.filter(({ edits, marks }) => edits === 0 && marks.length > 0);
  return [
    ...lines,
    ...newer.flatMap(({ file, marks }) => [
      `${cleanLine(file)} stays on the official SDK 2.x:`,
      ...marks.map(({ line, why }) => `  ${line}: ${cleanLine(why)}`),
    ]),
    ...(rest.length === 0 ? [] : [`Unchanged, on tenon-sdk-v1: ${rest.join(", ")}`]),
    ...(files.length === 0 ? ["No file imports @modelcontextprotocol/sdk."] : []),
    ...(isCheck && changed.length > 0 ? ["Nothing was written."] : []),
  ].join("\n");
}
