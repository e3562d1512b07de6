/** The programs of a document, as they are printed there: written to files, compiled, and run against the source. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { dependencies: object }; // our own file

export interface DocPrograms {
  readonly count: number;
  /** What the compiler has to say about them, as in a project that uses Tenon. */
  compile(): string;
  /** Runs the one of that index with Node; returns what it writes. */
  run(index: number, ...nodeOptions: string[]): string;
}

/** @param page relative to the project, such as `docs/internals/streams-by-hand.md` */
export function docPrograms(page: string): DocPrograms {
  const folder = join(root, "out", page.replace(/\W/g, "-"));
  const programs = [...readFileSync(join(root, page), "utf8").matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1]!);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  programs.forEach((program, index) => writeFileSync(join(folder, `program${index}.ts`), program));
  return { count: programs.length, compile: () => compile(folder), run: (index, ...nodeOptions) => run(folder, index, nodeOptions) };
}

function compile(folder: string): string {
  const settings = { extends: "../../examples/tsconfig.json", include: ["*.ts", "../../src/node/*.d.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  return spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8", timeout: 100_000 }).stdout;
}

function run(folder: string, index: number, nodeOptions: readonly string[]): string {
  buildSync({
    entryPoints: [join(folder, `program${index}.ts`)],
    outdir: join(folder, `built${index}`),
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    conditions: ["source"],
    external: ["zod", ...Object.keys(dependencies)],
    logLevel: "silent",
  });
  const program = join(folder, `built${index}`, `program${index}.js`);
  return execFileSync(process.execPath, [...nodeOptions, program], { encoding: "utf8", timeout: 100_000 });
}
