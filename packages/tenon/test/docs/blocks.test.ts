// How blocks of a page are read, and what counts as printed: the checks of the pages are only as good as this.
import { expect, test } from "vitest";
import { isShown, readBlocks } from "../support/doc-blocks.ts";

const fence = (info: string, code: string): string => `\`\`\`${info}\n${code}\n\`\`\`\n`;

test("a block is a file of its own, named by its title or its line", () => {
  const page = `# A\n\n${fence("ts", "1;")}\n${fence("ts [server.ts]", "2;")}`;
  expect(readBlocks(page).blocks).toEqual([
    { file: "0/line-4.ts", code: "1;\n", line: 4 },
    { file: "0/server.ts", code: "2;\n", line: 8 },
  ]);
});

test("a title that was there before begins another program", () => {
  const page = ["server.ts", "client.ts", "server.ts"].map((name) => fence(`ts [${name}]`, "1;")).join("");
  expect(readBlocks(page).blocks.map(({ file }) => file)).toEqual(["0/server.ts", "0/client.ts", "1/server.ts"]);
});

test("output belongs to the block before it, or to the commands in it", () => {
  const page =
    fence("ts [a.ts]", "1;") + fence("text output", "one") + fence("console output", "$ node a.ts x\ntwo\n$ npx tenon list a.ts");
  expect(readBlocks(page).commands.map(({ command, output, folder }) => [command, output, folder])).toEqual([
    ["node a.ts", "one\n", "0"],
    ["node a.ts x", "two\n", "0"],
    ["npx tenon list a.ts", "", "0"],
  ]);
});

test("a block of text that is not marked as output is no claim", () => {
  expect(readBlocks(fence("ts", "1;") + fence("text", "one")).commands).toEqual([]);
});

test.each([
  ["one\ntwo\n", "one\ntwo", true],
  ["one\ntwo\n", "one", false],
  ["one\n", "one\ntwo", false],
  ["pid 4711 of 2\n", "pid … of 2", true],
  ["pid 4711 of 3\n", "pid … of 2", false],
  ["a\nb\nc\n", "a\n…\nc", true],
  ["a\nc\n", "a\n…\nc", true],
  ["a\nb\nd\n", "a\n…\nc", false],
  ["a.b\n", "a+b", false],
  ["\n", "", true],
  ["something\n", "", false],
])("%j is shown by %j: %s", (printed, output, shown) => {
  expect(isShown(printed, output)).toBe(shown);
});
