/** `tenon move --native`: the programs that it writes run, alone or with the layer, and offer the same. Needs a build. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Client, connect } from "tenon/client";
import { expect, test } from "vitest";
import { runCommand } from "../cli/run-command.ts";
import { movedProject } from "./native-project.ts";

const WHOLE = readFileSync(new URL("fixtures/whole.mjs", import.meta.url), "utf8");
const PARTLY = readFileSync(new URL("fixtures/server.mjs", import.meta.url), "utf8");

/** What a program offers, and some of its answers. */
async function offerOf(folder: string, file: string): Promise<unknown> {
  await using client: Client = await connect(
    { command: process.execPath, args: [join(folder, file)], stderr: "pipe" },
    { revision: "stateful" },
  );
  const lists = [
    await client.listTools(),
    await client.listResources(),
    await client.listResourceTemplates(),
    await client.listPrompts(),
  ];
  const answers = [
    await client.callTool("add", { a: 1, b: 2 }),
    await client.readResource("note://today"),
    await client.readResource("note://all/tomorrow"),
    await client.getPrompt("greet", { who: "Ada" }),
    await client.complete({ ref: { type: "ref/prompt", name: "greet" }, argument: { name: "who", value: "to" } }),
    await client.complete({ ref: { type: "ref/resource", uri: "note://all/{name}" }, argument: { name: "name", value: "tom" } }),
  ];
  // Tenon writes neither the draft of a schema nor that a tool cannot be a task.
  const isOfBoth = (key: string, value: unknown): unknown => (key === "$schema" || key === "execution" ? undefined : value);
  return JSON.parse(JSON.stringify([client.serverInfo, client.instructions, ...lists, ...answers]), isOfBoth) as unknown;
}

test("a program that is known as a whole loses the SDK and offers the same", async () => {
  const folder = movedProject({ "server.mjs": WHOLE });
  const before = await offerOf(folder, "server.mjs");
  const { code, stdout } = await runCommand(["move", "--native"], { cwd: folder });
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^server\.mjs {2}\d+ → \d+ lines, 11 places rewritten\n$/) as string,
  });
  const text = readFileSync(join(folder, "server.mjs"), "utf8");
  expect(text).not.toContain("@modelcontextprotocol");
  expect(text).not.toContain("tenon-sdk-v1");
  expect(text).toContain('import { serveStdio } from "tenon/node";');
  expect(await offerOf(folder, "server.mjs")).toEqual(before);
});

test("what is not known stays on the layer with a comment, beside what was rewritten, in one program that runs", async () => {
  const folder = movedProject({ "src/server.mjs": PARTLY, "other.mjs": "export const a = 1;\n" });
  const before = await offerOf(folder, "src/server.mjs");
  const checked = await runCommand(["move", "--native", "--check"], { cwd: folder });
  expect(checked.stdout).toContain("Nothing was written.");
  expect(readFileSync(join(folder, "src/server.mjs"), "utf8")).toBe(PARTLY);
  const { code, stdout } = await runCommand(["move", "--native", "src/server.mjs", "--json"], { cwd: folder });
  expect(code).toBe(0);
  const { files } = JSON.parse(stdout) as { files: { marks: { why: string }[] }[] };
  expect(files.map(({ marks }) => marks.map(({ why }) => why))).toEqual([
    expect.arrayContaining(["its handler uses extra.sessionId", "sendLoggingMessage() has no counterpart here"]) as string[],
  ]);
  const text = readFileSync(join(folder, "src/server.mjs"), "utf8");
  expect(text).toMatch(/^server\.tenon\.tool\(\n {2}"add",\n {2}\{ input: z\.object\(\{ a: z\.number\(\)/m);
  expect(text).toMatch(
    /^ {2}\/\/ tenon move: this stays on tenon-sdk-v1, because .* See: npx tenon docs moving\/from-typescript$/m,
  );
  expect(text).toContain('server.registerTool("log"');
  const [info, , tools, ...rest] = before as [unknown, unknown, { tools: { name: string }[] }, ...unknown[]];
  const [infoAfter, , toolsAfter, ...restAfter] = (await offerOf(folder, "src/server.mjs")) as typeof before &
    [unknown, unknown, typeof tools, ...unknown[]];
  expect(infoAfter).toEqual(info);
  expect(restAfter).toEqual(rest);
  const names = (list: typeof tools): string[] => list.tools.map(({ name }) => name).toSorted();
  expect(names(toolsAfter)).toEqual(names(tools));
});

test("a folder is rewritten from anywhere, with all of its files", async () => {
  const folder = movedProject({ "server.mjs": WHOLE, "src/other.mjs": WHOLE });
  const elsewhere = movedProject({});
  const files = async (path: string): Promise<unknown> => {
    const { stdout, stderr } = await runCommand(["move", path, "--native", "--check", "--json"], { cwd: elsewhere });
    expect(stderr).toBe("");
    return (JSON.parse(stdout) as { files: { file: string }[] }).files.map(({ file }) => file);
  };
  expect(await files(folder)).toEqual(["server.mjs", "src/other.mjs"]);
  expect(await files(join(folder, "src"))).toEqual(["src/other.mjs"]);
});

test("files that hold nothing to rewrite stay, and mistakes are named", async () => {
  const folder = movedProject({
    "types.mjs": 'export { McpError } from "@modelcontextprotocol/sdk/types.js";\n',
    "broken.mjs": "import '@modelcontextprotocol/sdk/x'; `${",
  });
  expect(await runCommand(["move", "--native", "types.mjs"], { cwd: folder })).toMatchObject({
    code: 0,
    stdout: "Unchanged, on tenon-sdk-v1: types.mjs\n",
  });
  expect(await runCommand(["move", "--native", "broken.mjs"], { cwd: folder })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("broken.mjs cannot be parsed") as string,
  });
  expect(await runCommand(["move", "--native", "none.mjs"], { cwd: folder })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("cannot be read") as string,
  });
});
