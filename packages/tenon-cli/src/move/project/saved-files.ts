/** What a move has replaced, byte for byte, in the folder `.tenon-move` of the project, so that `--undo` puts it back. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../failure.ts";
import type { Edits } from "./edits.ts";

const FOLDER = ".tenon-move";
const RECORD = "moved.json";

interface Moved {
  /** The files that were there, by their names in the project; their bytes are beside the record. */
  readonly saved: readonly string[];
  /** Files that were not there. */
  readonly absent: readonly string[];
  /** What was written, to see whether it was changed since. */
  readonly written: Readonly<Record<string, string>>;
}

export class SavedFiles {
  readonly #project: string;
  readonly #folder: string;

  constructor(project: string) {
    this.#project = project;
    this.#folder = join(project, FOLDER);
  }

  get isMoved(): boolean {
    return existsSync(join(this.#folder, RECORD));
  }

  /** Keeps the files of these names as they are now, and then writes the edits. */
  save(names: readonly string[], edits: Edits): void {
    mkdirSync(this.#folder, { recursive: true });
    const saved = names.filter((name) => existsSync(join(this.#project, name)));
    for (const name of saved) writeFileSync(this.#copyOf(name), readFileSync(join(this.#project, name)));
    const moved: Moved = { saved, absent: names.filter((name) => !saved.includes(name)), written: Object.fromEntries(edits) };
    writeFileSync(join(this.#folder, ".gitignore"), "*\n");
    this.#write(moved);
    for (const [name, text] of edits) writeFileSync(join(this.#project, name), text);
  }

  /** Keeps the files that were written as installing has left them: some managers write package.json anew. */
  installed(): void {
    const moved = this.#read();
    const texts = Object.keys(moved.written).map((name) => [name, readFileSync(join(this.#project, name), "utf8")]);
    this.#write({ ...moved, written: Object.fromEntries(texts) as Moved["written"] });
  }

  /** Keeps a source file before it is rewritten, so that undoing the move brings it back; without a move nothing is kept. */
  saveSource(name: string, rewritten: string): void {
    if (!this.isMoved) return;
    const moved = this.#read();
    if (!moved.saved.includes(name)) writeFileSync(this.#copyOf(name), readFileSync(join(this.#project, name)));
    this.#write({ ...moved, saved: [...new Set([...moved.saved, name])], written: { ...moved.written, [name]: rewritten } });
  }

  /** The files that were changed since the move, apart from lock files. @throws UsageError if there was no move */
  changedSince(): string[] {
    const { written } = this.#read();
    return Object.entries(written).flatMap(([name, text]) => {
      const path = join(this.#project, name);
      return existsSync(path) && readFileSync(path, "utf8") === text ? [] : [name];
    });
  }

  /** Puts all files back as they were. @throws UsageError if there was no move */
  restore(): readonly string[] {
    const { saved, absent } = this.#read();
    for (const name of saved) writeFileSync(join(this.#project, name), readFileSync(this.#copyOf(name)));
    for (const name of absent) rmSync(join(this.#project, name), { force: true });
    return saved;
  }

  forget(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Where the bytes of a file are kept: a file of the workspace around a project has a path that leads out of it. */
  #copyOf(name: string): string {
    return join(this.#folder, encodeURIComponent(name));
  }

  #write(moved: Moved): void {
    writeFileSync(join(this.#folder, RECORD), `${JSON.stringify(moved, undefined, 2)}\n`);
  }

  #read(): Moved {
    if (!this.isMoved) throw new UsageError(`Nothing was moved here: there is no ${FOLDER} in ${this.#project}.`);
    return JSON.parse(readFileSync(join(this.#folder, RECORD), "utf8")) as Moved; // our own file
  }
}
