import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { demandOf } from "./demands.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-demands-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it("another origin is another demand, and another path is not", () => {
  const folder = newFolder();
  const digestFor = (url: string): string =>
    demandOf("a", { url, headers: { a: "${env:TOKEN}" } }, { folder, cwd: folder })!.digest;
  expect(digestFor("https://a.example/x")).toBe(digestFor("https://a.example/y"));
  for (const other of ["https://b.example/x", "http://a.example/x", "https://a.example:8443/x", "https://${env:X}.example/x"])
    expect(digestFor(other), other).not.toBe(digestFor("https://a.example/x"));
});

it("another text of the file of variables of a program is another demand", () => {
  const folder = newFolder();
  const digest = (): string => demandOf("a", { command: "x", envFile: "variables" }, { folder, cwd: folder })!.digest;
  const missing = digest();
  writeFileSync(join(folder, "variables"), "A=1");
  const first = digest();
  writeFileSync(join(folder, "variables"), "A=2");
  expect(new Set([missing, first, digest()]).size).toBe(3);
});

it("a link in the folder to a file outside is outside; a file beside the configuration and one of /run/secrets are not", () => {
  const [folder, other] = [newFolder(), newFolder()];
  writeFileSync(join(other, "key"), "");
  symlinkSync(join(other, "key"), join(folder, "link"));
  writeFileSync(join(folder, "beside"), "");
  const headers = { a: "${file:link}", b: "${file:beside}", c: "${file:/run/secrets/x}", d: "${file:../other}" };
  const { files } = demandOf("a", { url: "https://a.example", headers }, { folder, cwd: folder })!;
  expect(files.map(({ written, isOutside }) => [written, isOutside])).toEqual([
    ["link", true],
    ["beside", false],
    ["/run/secrets/x", false],
    ["../other", true],
  ]);
});

it("a URL without variables and files demands nothing, and neither does a separator of paths", () => {
  const places = { folder: "/a", cwd: "/a" };
  expect(demandOf("a", { url: "https://a.example", headers: { a: "b" } }, places)).toBeUndefined();
  expect(demandOf("a", { url: "https://a.example${/}x" }, places)).toBeUndefined();
});

it("a file of a folder whose name begins with that of the configuration is outside", () => {
  const parent = newFolder();
  for (const name of ["project", "project-evil"]) mkdirSync(join(parent, name));
  writeFileSync(join(parent, "project-evil", "key"), "");
  const folder = join(parent, "project");
  const { files } = demandOf(
    "a",
    { url: "https://a.example", headers: { a: "${file:../project-evil/key}" } },
    { folder, cwd: folder },
  )!;
  expect(files.map(({ isOutside }) => isOutside)).toEqual([true]);
});
