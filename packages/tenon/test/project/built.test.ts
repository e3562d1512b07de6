// A build is left out only if it would make what is there: each test changes one thing in a small repository.
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isBuilt, markBuilt } from "../../../../scripts/built.mjs";

const SOURCE = "packages/tenon/src/index.ts";

function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** A repository that was built. */
function built(): string {
  const root = mkdtempSync(join(tmpdir(), "tenon-built-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const path of [SOURCE, "packages/tenon/dist/index.js", "packages/tenon/test/a.test.ts", "docs/a.md", "scripts/build.mjs"])
    write(root, path, path);
  markBuilt(root);
  return root;
}

test("without a build before there is something to build", () => {
  const root = built();
  rmSync(join(root, "out"), { recursive: true });
  expect(isBuilt(root)).toBe(false);
});

test.each([
  "packages/tenon/test/a.test.ts",
  "docs/reference/a.md",
  "packages/tenon/node_modules/a/index.js",
  "lab/a.mjs",
  "out/a",
])("a change of %s wants no build", (path) => {
  const root = built();
  write(root, path, "changed");
  utimesSync(join(root, SOURCE), 1, 1); // another date
  expect(isBuilt(root)).toBe(true);
});

test.each([
  SOURCE,
  "packages/tenon/dist/index.js",
  "packages/tenon-cli/package.json",
  "docs/a.md",
  "scripts/a/b.mjs",
  "CHANGELOG.md",
])("a change of %s wants one", (path) => {
  const root = built();
  write(root, path, "changed");
  expect(isBuilt(root)).toBe(false);
  markBuilt(root);
  expect(isBuilt(root)).toBe(true);
});

test.each([SOURCE, "packages/tenon/dist/index.js"])("a build follows when %s is gone", (path) => {
  const root = built();
  rmSync(join(root, path));
  expect(isBuilt(root)).toBe(false);
});
