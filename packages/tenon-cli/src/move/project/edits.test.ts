/** What is written for each package manager; the layout of the rest stays. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { editsOf } from "./edits.ts";
import { projectIn } from "./project.ts";
import { SavedFiles } from "./saved-files.ts";

const SDK = "@modelcontextprotocol/sdk";
const PLACES = { layer: "npm:tenon-sdk-v1@^1.0.0", tenon: "^1.0.0", note: undefined };
const BOTH = { [SDK]: PLACES.layer, tenon: PLACES.tenon };
const TEXT = `{\n\t"name": "s",\n\t"dependencies": { "${SDK}": "^1.20.0" }\n}\n`;

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-edits-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries({ "package.json": TEXT, ...files })) writeFileSync(join(folder, name), text);
  return folder;
}

test.each([
  ["npm", { "package-lock.json": "{}" }, { overrides: BOTH }],
  ["pnpm", { "pnpm-lock.yaml": "" }, { pnpm: { overrides: BOTH } }],
  ["yarn", { "yarn.lock": "" }, { resolutions: BOTH }],
  ["bun", { "bun.lock": "" }, { overrides: BOTH }],
])("%s is known by its lock file, and gets the entries that it reads", (manager, files, entries) => {
  const project = projectIn(folderWith(files), "s");
  expect(project.manager).toBe(manager);
  const edits = editsOf(project, PLACES, false);
  expect([...edits.keys()]).toEqual(["package.json"]);
  expect(JSON.parse(edits.get("package.json")!)).toEqual({ name: "s", dependencies: BOTH, ...entries });
  expect(edits.get("package.json")).toMatch(/^\{\n\t"name": "s",\n\t"dependencies"/);
});

test("a newer pnpm reads its workspace file, whose other lines stay", () => {
  const folder = folderWith({ "pnpm-lock.yaml": "", "pnpm-workspace.yaml": "packages:\n  - a\noverrides:\n  x: 1.0.0\n" });
  const edits = editsOf(projectIn(folder, "s"), PLACES, true);
  expect(edits.get("pnpm-workspace.yaml")).toBe(
    `packages:\n  - a\noverrides:\n  "${SDK}": "npm:tenon-sdk-v1@^1.0.0"\n  "tenon": "^1.0.0"\n  x: 1.0.0\n`,
  );
  expect(JSON.parse(edits.get("package.json")!)).not.toHaveProperty("pnpm");
});

test("a package in the middle that names the SDK is reached by the override alone", () => {
  const folder = folderWith({ "package.json": '{ "dependencies": { "fastmcp": "^3.0.0" } }' });
  expect(JSON.parse(editsOf(projectIn(folder, "s"), PLACES, false).get("package.json")!)).toEqual({
    dependencies: { fastmcp: "^3.0.0", tenon: PLACES.tenon },
    overrides: BOTH,
  });
});

test("files are put back byte for byte, and those that were not there go", () => {
  const folder = folderWith({});
  const saved = new SavedFiles(folder);
  saved.save(["package.json", "package-lock.json"], new Map([["package.json", "{}"]]));
  expect(saved.changedSince()).toEqual([]);
  writeFileSync(join(folder, "package-lock.json"), "{}");
  expect(saved.restore()).toEqual(["package.json"]);
  expect(projectIn(folder, "s").text).toBe(TEXT);
  expect(projectIn(folder, "s").manager).toBe("npm");
  saved.forget();
  expect(() => saved.restore()).toThrow("Nothing was moved here");
});

test("what a manager writes anew while it installs is no change of the user", () => {
  const folder = folderWith({});
  const saved = new SavedFiles(folder);
  saved.save(["package.json"], new Map([["package.json", "{}"]]));
  writeFileSync(join(folder, "package.json"), "{ }");
  expect(saved.changedSince()).toEqual(["package.json"]);
  saved.installed();
  expect(saved.changedSince()).toEqual([]);
});

test("a member of a workspace names the folder with the lock file", () => {
  const root = folderWith({ "package.json": '{ "workspaces": ["a"] }' });
  const member = mkdtempSync(join(root, "a"));
  writeFileSync(join(member, "package.json"), TEXT);
  expect(() => projectIn(member, "a")).toThrow(`a part of the workspace in ${root}`);
});
