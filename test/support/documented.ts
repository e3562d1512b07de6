/** The programs in a document: compiled as they are printed there, with what they leave to the reader declared beside them. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Documented {
  /** The TypeScript of each block. */
  readonly blocks: readonly string[];
  /** What the compiler says of all of them: nothing, where they are right. */
  readonly complaints: string;
  /** Where they were written. */
  readonly folder: string;
}

/** Needs a build. `rest` declares globals. */
export function compileDocument(name: string, rest: string): Documented {
  const folder = join(root, "out", "documents", name.replaceAll("/", "-"));
  const blocks = [...readFileSync(join(root, "docs", `${name}.md`), "utf8").matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1]!);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "rest.d.ts"), `${rest}\n`);
  for (const [index, block] of blocks.entries()) writeFileSync(join(folder, `block-${index}.ts`), `${block}\nexport {};\n`);
  const settings = {
    extends: "../../../examples/tsconfig.json",
    compilerOptions: { noUnusedLocals: false },
    include: ["*.ts", "../../../src/node/*.d.ts"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8", timeout: 100_000 });
  return { blocks, complaints: stdout, folder };
}
