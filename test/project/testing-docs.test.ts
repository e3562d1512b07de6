// The programs of docs/testing.md are compiled and run as they are printed there: each is a test of node:test, and passes.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "out", "testing-docs");
const programs = [...readFileSync(join(root, "docs/testing.md"), "utf8").matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1]!);
const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { dependencies: object }; // our own file
const names = ["test-client", "authorization-server"];

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  names.forEach((name, index) => writeFileSync(join(folder, `${name}.ts`), programs[index]!));
});

test("docs/testing.md has these programs, which compile", { timeout: 30_000 }, () => {
  expect(programs).toHaveLength(names.length);
  const settings = { extends: "../../examples/tsconfig.json", include: ["*.ts", "../../src/node/*.d.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  expect(spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8", timeout: 25_000 }).stdout).toBe("");
});

test.each(names)("%s passes", { timeout: 20_000 }, (name) => {
  buildSync({
    entryPoints: [join(folder, `${name}.ts`)],
    outdir: join(folder, name),
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    conditions: ["source"],
    external: ["zod", ...Object.keys(dependencies)],
    logLevel: "silent",
  });
  const output = execFileSync(process.execPath, ["--test-reporter=tap", join(folder, name, `${name}.js`)], {
    encoding: "utf8",
    timeout: 15_000,
  });
  expect(output).toMatch(/^# pass [12]$/m);
  expect(output).toMatch(/^# fail 0$/m);
});
