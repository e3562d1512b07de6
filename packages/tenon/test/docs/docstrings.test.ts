// The examples of docstrings are programs: each compiles alone, runs, and prints what the comments behind its `console.log` say.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import type { PageBlocks } from "../support/doc-blocks.ts";
import { docProject, type DocProject } from "../support/doc-project.ts";

const source = fileURLToPath(new URL("../../src/", import.meta.url));

interface Example {
  readonly file: string;
  readonly line: number;
  readonly code: string;
  /** What it prints, a line each. */
  readonly prints: readonly string[];
}

/** The examples of one file: each fence behind an `@example`, without the stars of its comment. */
function examplesOf(file: string): Example[] {
  const text = readFileSync(join(source, file), "utf8");
  return [...text.matchAll(/^( *) \* @example\n(?: *\* )```ts\n([\s\S]*?)\n *\* ```$/gm)].map(({ index, 2: body }) => {
    const code = body!.replace(/^ *\* ?/gm, "");
    const prints = [...code.matchAll(/(?:console\.log\(.*\);|prints:) *(?:\/\/)? ?(.*)$/gm)]
      .map((match) => match[1]!)
      .filter((said) => said !== "");
    return { file, line: text.slice(0, index).split("\n").length + 2, code: `${code}\n`, prints };
  });
}

const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => /(?<!\.test|\.d)\.ts$/.test(name));
const examples = files.sort().flatMap(examplesOf);
const pages = new Map<string, PageBlocks>(
  examples.map(({ file, line, code }) => [
    `${file}.${line}.md`,
    { blocks: [{ file: `0/example.ts`, code, line }], commands: [], json: [] },
  ]),
);
const table = examples.map((example) => [`src/${example.file}:${example.line}`, example] as const);

let project: DocProject;
let complaints: ReadonlyMap<string, readonly string[]>;

beforeAll(async () => {
  project = await docProject("docstrings", pages);
  complaints = project.compile();
});

test("what users write most has an example", () => {
  expect(examples.length).toBeGreaterThanOrEqual(30);
  expect(complaints.get("elsewhere") ?? []).toEqual([]);
});

test.each(table)("the example at %s compiles alone", (_where, { file, line }) => {
  expect(complaints.get(`${file}.${line}.md`)).toEqual([]);
});

describe.concurrent("an example", () => {
  test.each(table)("at %s prints what it says", async (_where, { file, line, prints }) => {
    const command = { command: "node example.ts", output: "", folder: "0", line };
    const printed = await project.run(`${file}.${line}.md`, command);
    expect(printed).toBe(prints.map((said) => `${said}\n`).join(""));
  });
});
