// Every page keeps its word: each `ts` block compiles alone, as a reader pastes it, and each output block is what its program
// prints. How a page is written stands in CONTRIBUTING.md, "Writing a page".
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { isShown, readBlocks } from "../support/doc-blocks.ts";
import { docProject, type DocProject } from "../support/doc-project.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const names = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md") && !name.startsWith("reference/"))
  .map((name) => `docs/${name}`);
const skills = readdirSync(join(root, "packages/tenon/skills")).map((name) => `packages/tenon/skills/${name}/SKILL.md`);
const pages = new Map(
  ["README.md", ...names.sort(), ...skills].map((name) => [name, readBlocks(readFileSync(join(root, name), "utf8"))]),
);

let project: DocProject;
let complaints: ReadonlyMap<string, readonly string[]>;

beforeAll(async () => {
  project = await docProject("pages", pages);
  complaints = project.compile();
});

test("the compiler complains about pages only", () => {
  expect(complaints.get("elsewhere") ?? []).toEqual([]);
});

const withCode = [...pages].filter(([, { blocks }]) => blocks.length > 0).map(([page]) => page);

test.each(withCode)("each block of %s compiles alone", (page) => {
  expect(complaints.get(page)).toEqual([]);
});

/** Whether programs of a page run in a browser: it says that they need "dom" in `lib` besides. */
const inBrowser = (page: string): boolean => readFileSync(join(root, page), "utf8").includes('add `"dom"` to `lib`');

test("each block compiles with the tsconfig that the pages give [P3 s1]", () => {
  const [given] = pages.get("docs/learn/first-server.md")!.json;
  const { compilerOptions } = JSON.parse(given!.code) as { compilerOptions: { rewriteRelativeImportExtensions?: boolean } };
  expect(compilerOptions.rewriteRelativeImportExtensions).toBe(true); // pages import "./server.ts"
  const found = project.compile(compilerOptions);
  expect(withCode.filter((page) => !inBrowser(page)).flatMap((page) => found.get(page)!)).toEqual([]);
});

test.each(skills)("%s says when to use it, has a program with its output, and is at most 200 lines long", (name) => {
  const text = readFileSync(join(root, name), "utf8");
  const folder = name.split("/").at(-2)!;
  expect(text).toMatch(new RegExp(`^---\\nname: ${folder}\\ndescription: .+ Use it .+\\n---\\n\\n# `));
  expect(text.split("\n").length).toBeLessThanOrEqual(200);
  expect(pages.get(name)!.blocks.length).toBeGreaterThan(0);
});

const lessons = [...pages].filter(([page]) => /^docs\/(?:learn|servers)\//.test(page));

test.each(lessons)("%s begins with a program and what it prints", (page, { blocks, commands }) => {
  const text = readFileSync(join(root, page), "utf8");
  const fences = [...text.matchAll(/^```(\w.*)$/gm)].map((match) => match[1]!);
  expect([blocks.length, commands.length].every((count) => count > 0)).toBe(true);
  expect([fences[0], fences[1]]).toEqual([expect.stringMatching(/^ts\b/), expect.stringMatching(/\boutput\b/)]);
});

const ofClients = [...pages].filter(([page]) => page.startsWith("docs/clients/"));

test.each(ofClients)("%s begins with the files of a program and what it prints", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const fences = [...text.matchAll(/^```(\w.*)$/gm)].map((match) => match[1]!);
  const output = fences.findIndex((info) => /\boutput\b/.test(info));
  expect(output).toBeGreaterThan(0);
  expect(fences.slice(0, output).filter((info) => !/^ts\b/.test(info))).toEqual([]);
});

// Tutorials are done from the first step to the last (tutorials.test.ts).
const single = [...pages].filter(([page]) => !page.startsWith("docs/tutorials/"));
const commands = single.flatMap(([page, { commands }]) =>
  commands.map((shown) => [`${page}:${shown.line}`, shown.command, page, shown] as const),
);

describe.concurrent("what a page shows", () => {
  test.each(commands)("%s: %s prints it", async (_where, _command, page, shown) => {
    const printed = await project.run(page, shown);
    if (!isShown(printed, shown.output)) expect(printed).toBe(shown.output);
  });
});

const json = [...pages].flatMap(([page, { json }]) => json.map(({ code, line }) => [`${page}:${line}`, code] as const));

test.each(json)("the JSON of %s is JSON", (_where, code) => {
  expect(() => JSON.parse(code) as unknown).not.toThrow();
});
