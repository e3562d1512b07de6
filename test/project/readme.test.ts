// The README's programs are compiled and run as they are printed there: the server in its own process, the client against it.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "out", "readme");
const [server, client, ...others] = [...readFileSync(join(root, "README.md"), "utf8").matchAll(/```ts\n([\s\S]*?)```/g)].map(
  (match) => match[1]!,
);

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "server.ts"), server!);
  writeFileSync(join(folder, "client.ts"), `${client!}\nconsole.log(JSON.stringify(result.data));\nawait client.close();\n`);
});

test("the README has two programs", () => {
  expect(server).toContain("McpServer");
  expect(client).toContain("connect");
  expect(others).toEqual([]);
});

test("the README's programs compile as printed", () => {
  const settings = { extends: "../../examples/tsconfig.json", include: ["*.ts", "../../src/node/*.d.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8", timeout: 100_000 });
  expect(stdout).toBe("");
});

test("the README's client calls the README's server", () => {
  buildSync({
    entryPoints: [join(folder, "server.ts"), join(folder, "client.ts")],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    conditions: ["source"],
    external: ["zod", "re2js", "cross-spawn"],
    logLevel: "silent",
  });
  const output = execFileSync(process.execPath, ["client.mjs"], { cwd: folder, encoding: "utf8", timeout: 100_000 });
  expect(JSON.parse(output)).toEqual({ sum: 3 });
});
