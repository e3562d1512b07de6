/** What is written for each package manager; the layout of the rest stays. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { editsOf, filesOf } from "./edits.ts";
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

test("source files that were rewritten after the move are put back with it, as they were before the first time", () => {
  const folder = folderWith({ "server.ts": "one" });
  const saved = new SavedFiles(folder);
  saved.saveSource("server.ts", "two");
  expect(saved.isMoved).toBe(false);
  saved.save(["package.json"], new Map([["package.json", "{}"]]));
  for (const text of ["two", "three"]) {
    saved.saveSource("server.ts", text);
    writeFileSync(join(folder, "server.ts"), text);
  }
  expect(saved.changedSince()).toEqual([]);
  writeFileSync(join(folder, "server.ts"), "mine");
  expect(saved.changedSince()).toEqual(["server.ts"]);
  expect(saved.restore()).toEqual(["package.json", "server.ts"]);
  expect(readFileSync(join(folder, "server.ts"), "utf8")).toBe("one");
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

/** A workspace with two packages that name the SDK, and a folder outside of its packages. */
function workspace(files: Readonly<Record<string, string>>): { root: string; member: string } {
  const root = folderWith({ "package.json": '{ "private": true, "workspaces": ["packages/*", "!packages/old"] }\n', ...files });
  for (const path of ["packages/a", "packages/b", "packages/old", "examples/c"]) {
    mkdirSync(join(root, path), { recursive: true });
    writeFileSync(join(root, path, "package.json"), TEXT);
  }
  return { root, member: join(root, "packages/a") };
}

test.each([
  ["npm", { "package-lock.json": "{}" }, { overrides: BOTH }],
  ["yarn", { "yarn.lock": "" }, { resolutions: BOTH }],
  ["pnpm", { "pnpm-lock.yaml": "" }, { pnpm: { overrides: BOTH } }],
])("%s: a package of a workspace gets the dependency, and the workspace the overrides", (manager, files, entries) => {
  const { root, member } = workspace(files);
  const project = projectIn(member, "a");
  expect(project).toMatchObject({ manager, root, up: "../../", others: ["packages/b"] });
  const edits = editsOf(project, PLACES, false);
  expect([...edits.keys()]).toEqual(["package.json", "../../package.json"]);
  expect(JSON.parse(edits.get("package.json")!)).toEqual({ name: "s", dependencies: BOTH });
  expect(JSON.parse(edits.get("../../package.json")!)).toMatchObject({ private: true, ...entries });
});

test("pnpm's workspace file names the packages, and gets the overrides where pnpm reads them there", () => {
  const { root, member } = workspace({
    "package.json": '{ "private": true }',
    "pnpm-workspace.yaml": 'packages:\n  # ours\n  - "packages/*"\nonlyBuiltDependencies:\n  - examples/c\n',
  });
  const project = projectIn(member, "a");
  expect(project).toMatchObject({ root, others: ["packages/b", "packages/old"] });
  expect(editsOf(project, PLACES, true).get("../../pnpm-workspace.yaml")).toContain(`overrides:\n  "${SDK}"`);
  expect(projectIn(join(root, "examples/c"), "c")).toMatchObject({ root: join(root, "examples/c"), up: "", others: [] });
});

test("all files of a workspace are put back byte for byte, and other folders are projects by themselves", () => {
  const { root, member } = workspace({ "package-lock.json": "{ }" });
  const saved = new SavedFiles(member);
  const project = projectIn(member, "a");
  const before = readFileSync(join(root, "package.json"));
  saved.save(filesOf(project), editsOf(project, PLACES, false));
  writeFileSync(join(root, "package-lock.json"), "{}");
  expect(saved.changedSince()).toEqual([]);
  expect(saved.restore()).toEqual(["package.json", "../../package.json", "../../package-lock.json"]);
  expect(readFileSync(join(root, "package.json"))).toEqual(before);
  expect(readFileSync(join(root, "package-lock.json"), "utf8")).toBe("{ }");
  for (const path of ["packages/old", "examples/c"]) expect(projectIn(join(root, path), path).up).toBe("");
});
