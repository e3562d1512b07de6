/** The program of docs/serving/observability.md compiles and runs as it is printed there, with the package as it was built. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "out", "observability");
const [program, ...others] = [...readFileSync(join(root, "docs/serving/observability.md"), "utf8").matchAll(/```ts\n([\s\S]*?)```/g)].map(
  (match) => match[1]!,
);

test("the documented program prints the spans of both sides and of the part [OT-06]", () => {
  expect(others).toEqual([]);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "program.ts"), program!);
  const settings = { extends: "../../examples/tsconfig.json", include: ["*.ts", "../../src/node/*.d.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  expect(spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8", timeout: 100_000 }).stdout).toBe("");
  writeFileSync(join(folder, "program.mjs"), transformSync(program!, { loader: "ts", target: "node20" }).code);
  const output = execFileSync(process.execPath, ["program.mjs"], { cwd: folder, encoding: "utf8", timeout: 100_000 });
  const names = [...output.matchAll(/^ {2}name: '(.*)',$/gm)].map((match) => match[1]!);
  expect(names.slice(0, 2)).toEqual(["server/discover", "MCP send server/discover"]);
  expect(names.filter((name) => !name.includes("discover") && !name.includes("list"))).toEqual([
    "look up the price",
    "tools/call order",
    "MCP send tools/call order",
  ]);
  expect(output).toMatch(/^4\.20$/m);
});
