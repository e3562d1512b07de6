/**
 * The author's files as they are on the disk: their text, and on Node 20 their JavaScript.
 *
 * The generation that runs was loaded from `served`. A file whose text is the same again has not changed, whatever its time says.
 */
import { readFile, stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { readsTypeScript, TYPESCRIPT } from "../commands/typescript.ts";

/** Milliseconds between two reads that must give the same text: an editor may still be writing. */
const SETTLE_MS = 5;
/** Milliseconds by which the times of files may be behind the clock. */
const CLOCK_MS = 20;
/** Most reads of a file that does not settle. */
const MAX_READS = 40;

/** A file with its text; undefined if there is none. */
type Texts = ReadonlyMap<string, string | undefined>;

export class Sources {
  readonly #files = new Set<string>();
  #served: Texts = new Map();
  /** JavaScript by path, with the text that it was made from. */
  readonly #stripped = new Map<string, { readonly text: string; readonly code: string }>();

  get files(): ReadonlySet<string> {
    return this.#files;
  }

  /** Returns the files that are new. */
  add(files: Iterable<string>): string[] {
    const added = [...files].filter((file) => !this.#files.has(file));
    for (const file of added) this.#files.add(file);
    return added;
  }

  /** Reads all files: the next attempt is made from them. */
  async read(): Promise<void> {
    const texts = [...this.#files].map(async (file) => [file, await settledText(file, this.#served.get(file))] as const);
    this.#served = new Map(await Promise.all(texts));
  }

  /** JavaScript of the files in TypeScript, by URL, if Node cannot read TypeScript. @throws SyntaxError with the file and the line */
  async code(): Promise<ReadonlyMap<string, string>> {
    if (readsTypeScript()) return new Map();
    const { stripTypes } = await import("./loader/strip-types.ts");
    const code = new Map<string, string>();
    for (const [path, text] of this.#served) {
      if (text === undefined || !TYPESCRIPT.test(path)) continue;
      let known = this.#stripped.get(path);
      if (known?.text !== text) this.#stripped.set(path, (known = { text, code: stripTypes(text, path) }));
      code.set(pathToFileURL(path).href, known.code);
    }
    return code;
  }

  /** Records files that the newest attempt was the first to import. One that was saved since `began` counts as changed. */
  async serveNew(began: number): Promise<void> {
    const added = [...this.#files].filter((file) => !this.#served.has(file));
    const texts = await Promise.all(added.map(async (file) => [file, await textBefore(file, began)] as const));
    this.#served = new Map([...texts, ...this.#served]);
  }

  /** The files that differ from the newest attempt. */
  async changed(): Promise<string[]> {
    const isChanged = async (file: string): Promise<boolean> => (await textOf(file)) !== this.#served.get(file);
    const files = [...this.#files];
    const changes = await Promise.all(files.map(isChanged));
    return files.filter((_, at) => changes[at]);
  }
}

async function textOf(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch(() => undefined);
}

/**
 * The text of a file that was last saved before a time; else undefined.
 *
 * The text is read before the times: a save between the two reads shows in the times. A file that is moved to this place keeps its time of
 * modification, so the time of its last change of any kind counts too.
 */
async function textBefore(file: string, began: number): Promise<string | undefined> {
  const text = await textOf(file);
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return undefined;
  return Math.max(found.mtimeMs, found.ctimeMs) >= began - CLOCK_MS ? undefined : text;
}

/** The text once it is the same twice. An editor that saves may empty or remove the file first: then it is read for longer. */
async function settledText(file: string, before: string | undefined): Promise<string | undefined> {
  let text = await textOf(file);
  for (let read = 0; read < MAX_READS; read++) {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const again = await textOf(file);
    if (again === text && (again || !before)) break;
    text = again;
  }
  return text;
}
