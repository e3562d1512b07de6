// The page of benchmarks and its chart are what the figures say, and figures of a disturbed run never get there.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = (...args: string[]): ReturnType<typeof spawnSync> =>
  spawnSync(process.execPath, ["scripts/benchmarks.mjs", ...args], { cwd: root, encoding: "utf8", timeout: 60_000 });

test.each(["benchmarks.md", "speed.svg"])("docs/project/%s is made from its figures", (name) => {
  const made = JSON.parse(String(run("--print").stdout)) as Record<string, string>; // written by our own script
  expect(readFileSync(join(root, "docs/project", name), "utf8"), "run: npm run docs:benchmarks").toBe(made[name]);
});

test("a run that other processes disturbed is refused", () => {
  const file = join(mkdtempSync(join(tmpdir(), "benchmarks-")), "results.json");
  const before = readFileSync(join(root, "docs/project/benchmarks.json"), "utf8");
  writeFileSync(file, JSON.stringify({ noise: { others: 1.8 }, rows: [], peers: [] }));
  const { status, stderr } = run(file);
  expect(status).not.toBe(0);
  expect(stderr).toContain("Other processes used 1.8 cores");
  expect(readFileSync(join(root, "docs/project/benchmarks.json"), "utf8")).toBe(before);
});
