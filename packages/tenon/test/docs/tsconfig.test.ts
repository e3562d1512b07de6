// There is one `tsconfig.json`: the one that `tenon init` writes with every template is, letter by letter,
// the one of the docs and of the examples. Blocks of the docs compile with it and with the strict one of
// this repository (pages.test.ts); so do the examples.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readSteps } from "../support/tutorial.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const given = read("packages/tenon-cli/templates/tsconfig.json");

test("the examples have the tsconfig that `tenon init` writes [s1]", () => {
  expect(read("examples/tsconfig.json")).toBe(given);
});

test("every page that shows a whole tsconfig.json shows the one that `tenon init` writes [s1]", () => {
  const pages = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
  const shown = pages.flatMap((page) =>
    readSteps(read(join("docs", page))).flatMap((step) =>
      step.kind === "file" && step.name === "tsconfig.json" ? [[page, step.text]] : [],
    ),
  );
  expect(shown.map(([page]) => page)).toContain("learn/first-server.md");
  expect(shown.filter(([, text]) => text !== given)).toEqual([]);
});

test("no page shows the options of a compiler without saying that they are another file", () => {
  const blocks = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .flatMap((name) => [...read(join("docs", name)).matchAll(/^```json([^\n]*)\n([\s\S]*?)^```$/gm)]);
  const settings = blocks.filter(([, , text]) => text!.includes('"compilerOptions"'));
  expect(settings.filter(([, info, text]) => !info!.includes("[tsconfig.json]") && !text!.includes('"extends"'))).toEqual([]);
});

test("the examples compile with it", () => {
  const folder = join(root, "out", "examples");
  mkdirSync(folder, { recursive: true });
  // From the source of Tenon: then nothing needs to be built first. What the
  // compiler says of that source is not about the examples.
  const compilerOptions = { customConditions: ["source"] };
  const include = ["../../examples", "../../packages/tenon/src/node/*.d.ts"];
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: "../../examples/tsconfig.json", compilerOptions, include }),
  );
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder, "--pretty", "false", "--listFiles"], {
    cwd: root,
    encoding: "utf8",
  });
  const lines = stdout.split("\n");
  expect(lines.some((line) => line.endsWith("/examples/apps/host.ts"))).toBe(true); // the compiler read them
  expect(lines.filter((line) => line.startsWith("examples/"))).toEqual([]);
});
