// The addresses of the site, the repository and its issues are placeholders until there are such. They stand in one manifest, and
// everything that shows them takes them from there.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const HOME = "packages/tenon/package.json";
const { homepage } = JSON.parse(readFileSync(join(root, HOME), "utf8")) as { homepage: string }; // our own file

test("no file but the manifest of tenon names the host of the site", () => {
  const files = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 })
    .split("\0")
    .filter(Boolean);
  expect(files).toContain(HOME);
  const naming = execFileSync("git", ["grep", "--files-with-matches", "--fixed-strings", new URL(homepage).host], {
    cwd: root,
    encoding: "utf8",
  });
  expect(naming.trim().split("\n")).toEqual([HOME]);
});
