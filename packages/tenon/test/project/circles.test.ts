// The check of circles must itself be seen to find one: each test writes a small project and runs the script on it.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const script = fileURLToPath(new URL("../../../../scripts/circles.mjs", import.meta.url));
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "circles-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function check(files: Record<string, string>): { status: number | null; output: string } {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, "packages/tenon/src", name)), { recursive: true });
    writeFileSync(join(root, "packages/tenon/src", name), text);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, root], { encoding: "utf8" });
  return { status, output: stdout + stderr };
}

test("files that import only lower layers make no circle", () => {
  const { status, output } = check({
    "a.ts": 'import { b } from "./b.ts";\nimport { c } from "./x/c.ts";',
    "b.ts": 'import { c } from "./x/c.ts";',
    "x/c.ts": "",
    "b.test.ts": 'import { a } from "./a.ts";',
  });
  expect({ status, output }).toEqual({ status: 0, output: "circles: none in 3 files\n" });
});

test.each([
  ["values", 'import { a } from "../a.ts";'],
  ["types", 'import type { A } from "../a.ts";'],
  ["late imports", 'const late = () => import("../a.ts");'],
  ["exports", 'export { a } from "../a.ts";'],
])("a circle of %s is found, and the way around it is shown", (_what, back) => {
  const { status, output } = check({
    "a.ts": 'import { b } from "./b.ts";',
    "b.ts": 'import { c } from "./x/c.ts";',
    "x/c.ts": back,
  });
  expect(status).toBe(1);
  expect(output).toContain(
    "import circle of 3 files: packages/tenon/src/a.ts → packages/tenon/src/b.ts → packages/tenon/src/x/c.ts → " +
      "packages/tenon/src/a.ts",
  );
});

test("files of components count", () => {
  const { status, output } = check({ "a.tsx": 'import { b } from "./b.ts";', "b.ts": 'import type { A } from "./a.tsx";' });
  expect(status).toBe(1);
  expect(output).toContain(
    "import circle of 2 files: packages/tenon/src/a.tsx → packages/tenon/src/b.ts → packages/tenon/src/a.tsx",
  );
});
