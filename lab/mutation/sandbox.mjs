// A copy of the project in which tests run against changed sources. The working tree is never touched.
// The copy lies in out/mutation/, below the project's folder, so that packages resolve from the project's node_modules.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const project = fileURLToPath(new URL("../..", import.meta.url));

/** What tests read. `dist` is linked if it was built: tests that start programs run what was built. */
const COPIED = [
  "packages",
  "examples",
  "docs",
  "scripts",
  "lab",
  "package.json",
  "README.md",
  "tsconfig.json",
  "vitest.config.ts",
];

const isCopied = (path) => !/[\\/](?:node_modules|dist)$/.test(path);

export class Sandbox {
  #originals = new Map();

  /** @param name the folder below out/mutation/; an older one of that name is replaced */
  constructor(name) {
    this.root = join(project, "out/mutation", name);
    rmSync(this.root, { recursive: true, force: true });
    mkdirSync(this.root, { recursive: true });
    for (const path of COPIED) {
      cpSync(join(project, path), join(this.root, path), { recursive: true, filter: isCopied });
    }
    mkdirSync(join(this.root, "node_modules"));
    for (const name of ["tenon", "tenon-cli"]) {
      const dist = join(project, "packages", name, "dist");
      if (existsSync(dist)) symlinkSync(dist, join(this.root, "packages", name, "dist"));
      symlinkSync(`../packages/${name}`, join(this.root, "node_modules", name));
    }
  }

  read(file) {
    return readFileSync(join(this.root, file), "utf8");
  }

  /** Changes a file until `restore()`. */
  write(file, text) {
    if (!this.#originals.has(file)) this.#originals.set(file, this.read(file));
    writeFileSync(join(this.root, file), text);
  }

  /** Puts back every changed file, and returns their names. */
  restore() {
    const files = [...this.#originals.keys()];
    for (const [file, text] of this.#originals) writeFileSync(join(this.root, file), text);
    this.#originals.clear();
    return files;
  }
}
