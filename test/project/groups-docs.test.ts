// The programs of docs/groups.md compile as they are printed there; the one that needs nobody else is run.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "out", "groups-docs");
const programs = [...readFileSync(join(root, "docs/groups.md"), "utf8").matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1]!);
const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { dependencies: object }; // our own file

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  programs.forEach((program, index) => writeFileSync(join(folder, `program${index}.ts`), program));
});

test("the programs of docs/groups.md compile", { timeout: 30_000 }, () => {
  expect(programs).toHaveLength(4);
  const settings = { extends: "../../examples/tsconfig.json", include: ["*.ts", "../../src/node/*.d.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  expect(spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8", timeout: 25_000 }).stdout).toBe("");
});

test("the one about servers that fail says what it should", { timeout: 20_000 }, () => {
  buildSync({
    entryPoints: [join(folder, "program1.ts")],
    outdir: join(folder, "built"),
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    conditions: ["source"],
    external: Object.keys(dependencies),
    logLevel: "silent",
  });
  const output = execFileSync(process.execPath, [join(folder, "built", "program1.js")], { encoding: "utf8", timeout: 15_000 });
  expect(output.trim().split("\n")).toEqual([
    'gone: Cannot start the server "no-such-program": ENOENT',
    "3",
    "true",
    "sums, tools: +sums__subtract -",
    "sums__add sums__subtract",
  ]);
});
