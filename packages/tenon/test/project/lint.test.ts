// The linter's rules must be seen to fail: one file with every fault the house rules forbid, linted with the project's settings.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const lines = (count: number): string => Array.from({ length: count }, (_, index) => `  console.log(${index});`).join("\n");
let output: string;
let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "lint-"));
  mkdirSync(join(copy, "src"));
  for (const name of [".oxlintrc.json", "tsconfig.json", "package.json"]) copyFileSync(join(root, name), join(copy, name));
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  writeFileSync(
    join(copy, "src", "faults.ts"),
    `export default function long(x: any): unknown {
  Promise.resolve(x);
  if (x == 1) throw "text";
${lines(450)}
  return eval("1");
}
`,
  );
  writeFileSync(
    join(copy, "src", "faults.test.ts"),
    'import { expect, test } from "vitest";\ntest.skip("a", () => expect(1).toBe(1));\n' +
      'test.only("b", () => expect(1).toBe(1));\n',
  );
  const oxlint = join(root, "node_modules", ".bin", "oxlint");
  const { stdout, stderr } = spawnSync(oxlint, ["--type-aware", "--format=unix"], {
    cwd: copy,
    encoding: "utf8",
    timeout: 100_000,
  });
  output = stdout + stderr;
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

test.each([
  "no-explicit-any",
  "no-floating-promises",
  "no-default-export",
  "only-throw-error",
  "eqeqeq",
  "no-console",
  "no-eval",
  "max-lines",
  "max-lines-per-function",
  "no-disabled-tests",
  "no-focused-tests",
])("lint refuses what %s is about", (rule) => {
  expect(output).toContain(`(${rule})`);
});
