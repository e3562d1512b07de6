import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { installedFrom } from "./installed-from.ts";

/** A project with Tenon, installed from `resolved`; without it, npm has written nothing down. */
function project(resolved?: string): { root: string; tenon: string } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-from-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const tenon = join(root, "node_modules", "tenon");
  mkdirSync(tenon, { recursive: true });
  const lock = { packages: { "node_modules/tenon": { version: "1.2.3", resolved } } };
  if (resolved !== undefined) writeFileSync(join(root, "node_modules", ".package-lock.json"), JSON.stringify(lock));
  return { root, tenon };
}

test.each([
  ["a registry", "https://registry.example/tenon/-/tenon-1.2.3.tgz"],
  ["a registry on this machine", "http://127.0.0.1:4873/tenon/-/tenon-1.2.3.tgz"],
  ["something that npm has not written down", undefined],
])("from %s the project gets a range of versions", (_from, resolved) => {
  expect(installedFrom(project(resolved).tenon, "1.2.3")).toEqual({ range: "^1.2.3" });
});

test.each([
  ["a tarball", "file:../packed/tenon-1.2.3.tgz", (root: string) => `file:${join(root, "..", "packed", "tenon-1.2.3.tgz")}`],
  ["an address", "https://files.example/tenon-1.2.3.tgz", () => "https://files.example/tenon-1.2.3.tgz"],
  ["a repository", "git+ssh://git@host.example/tenon.git#0a1b", () => "git+ssh://git@host.example/tenon.git#0a1b"],
])("from %s the project gets that place, and a note about it", (_from, resolved, range) => {
  const { root, tenon } = project(resolved);
  const expected = range(root);
  expect(installedFrom(tenon, "1.2.3")).toEqual({ range: expected, note: expect.stringContaining(expected) as string });
});

test("from a clone, also through a link, the project gets its tarball, and what makes it if it is not there", () => {
  const { root: clone } = project();
  const { tenon, root } = project();
  mkdirSync(join(clone, "packages", "tenon"), { recursive: true });
  mkdirSync(join(clone, "scripts"));
  writeFileSync(join(clone, "scripts", "pack.mjs"), "");
  rmSync(tenon, { recursive: true });
  symlinkSync(join(clone, "packages", "tenon"), join(root, "node_modules", "tenon"));
  const tarball = join(clone, "out", "tenon-1.2.3.tgz");
  expect(installedFrom(tenon, "1.2.3")).toMatchObject({
    range: `file:${tarball}`,
    first: expect.stringContaining("npm run pack") as string,
  });
  mkdirSync(join(clone, "out"));
  writeFileSync(tarball, "");
  expect(installedFrom(tenon, "1.2.3").first).toBeUndefined();
});
