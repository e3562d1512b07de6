/**
 * Where a finding is in the source: the file and the line that defines a tool, looked up by its name in the server's file and in what
 * it imports by relative paths. It reads texts, and runs nothing.
 */
import { readFile, stat } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { Finding } from "./rule.ts";

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Most files that are read. */
const MAX_FILES = 300;
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)["'](\.{1,2}\/[^"']+)["']/g;

/** The server's file, and the files that it imports. */
export async function readSource(path: string): Promise<readonly SourceFile[]> {
  const found = new Map<string, SourceFile>();
  const open = [path];
  for (let next = open.shift(); next !== undefined && found.size < MAX_FILES; next = open.shift()) {
    if (found.has(next)) continue;
    const text = await readFile(next, "utf8").catch(() => undefined);
    if (text === undefined) continue;
    found.set(next, { path: next, text });
    for (const [, name = ""] of text.matchAll(IMPORT)) {
      const file = await importedFile(resolve(dirname(next), name));
      if (file !== undefined) open.push(file);
    }
  }
  return [...found.values()];
}

/** The file that an import means: TypeScript may write `.js` for it, or no ending. */
async function importedFile(path: string): Promise<string | undefined> {
  const bare = path.replace(/\.[cm]?jsx?$/, "");
  const candidates = [
    path,
    `${bare}.ts`,
    `${bare}.tsx`,
    `${bare}.mts`,
    `${path}.ts`,
    `${path}.js`,
    join(path, "index.ts"),
    join(path, "index.js"),
  ];
  for (const candidate of candidates) if ((await stat(candidate).catch(() => undefined))?.isFile() === true) return candidate;
  return undefined;
}

/** The folder of the repository, from which code hosts name files; the working directory outside of one. */
export async function rootOf(cwd: string): Promise<string> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if ((await stat(join(folder, ".git")).catch(() => undefined)) !== undefined) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}

export interface Place {
  /** As the repository names it, encoded for a URI. */
  readonly uri: string;
  /** From 1. */
  readonly line: number;
}

export class Places {
  readonly #files: readonly SourceFile[];
  readonly #root: string;
  readonly #lock: string;

  /** @param files undefined if the server is not a file: then findings are at the lock file */
  constructor(files: readonly SourceFile[] | undefined, { root, lock }: { readonly root: string; readonly lock: string }) {
    this.#files = files ?? [];
    this.#root = root;
    this.#lock = lock;
  }

  of({ tool, argument }: Finding): Place {
    const [first] = this.#files;
    const found = tool === undefined ? undefined : this.#definition(tool);
    if (found === undefined) return this.#at(first?.path ?? this.#lock, 1);
    const at = argument === undefined ? found.at : argumentAt(found.file.text, found.at, argument);
    return this.#at(found.file.path, found.file.text.slice(0, at).split("\n").length);
  }

  #at(path: string, line: number): Place {
    return { uri: encodeURI(relative(this.#root, path).split(sep).join("/")), line };
  }

  /** Where the name stands first as a definition: in a call that registers a tool, as its `name`, as a key, or else anywhere in quotes. */
  #definition(tool: string): { readonly file: SourceFile; readonly at: number } | undefined {
    const name = tool.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    const quoted = `(["'\`])${name}\\1`;
    const forms = [
      `\\b(?:tool|registerTool|addTool|defineTool)\\s*(?:<[^>]*>)?\\(\\s*${quoted}`,
      `\\bname\\s*:\\s*${quoted}`,
      `(?:^|[{,\\s])(["'\`]?)${name}\\1\\s*[:(]`,
      quoted,
    ];
    for (const form of forms)
      for (const file of this.#files) {
        const match = new RegExp(form, "m").exec(file.text);
        if (match !== null) return { file, at: match.index + match[0].lastIndexOf(tool) };
      }
    return undefined;
  }
}

/** Most characters after the name of a tool in which its arguments are looked for. */
const REACH = 6_000;

/** Where an argument stands as a key after the name of its tool; else the tool. */
function argumentAt(text: string, at: number, argument: string): number {
  const last = argument.replaceAll("[]", "").split(".").at(-1) ?? "";
  const key = last.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const match = new RegExp(`(["'\`]?)\\b${key}\\b\\1\\s*:`).exec(text.slice(at, at + REACH));
  return match === null ? at : at + match.index;
}
