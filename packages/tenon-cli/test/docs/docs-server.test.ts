// `tenon docs --mcp`: the documentation as an MCP server, called by the official client and by Tenon's. Needs a build.
import { Client as OfficialClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { connect } from "tenon/client";
import { docsPages } from "../../scripts/docs-pages.mjs";
import { createDocsServer } from "../../src/docs/docs-server.ts";
import { PageSearch } from "../../src/docs/page-search.ts";
import { runCommand } from "../cli/run-command.ts";
import { MAIN } from "../cli/start-command.ts";

vi.setConfig({ testTimeout: 120_000 });

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const pages = docsPages();
const search = new PageSearch(pages);

test.each([
  ["cancel a call", "clients/calling.md"],
  ["ask the user", "servers/asking.md"],
  ["ctx.elicit", "servers/asking.md"],
  ["session state", "serving/sessions.md"],
  ["resource templates", "servers/resources.md"],
  ["progress", "servers/progress.md"],
  ["login GitHub", "servers/authorization-server.md"],
  ["tasks", "servers/tasks.md"],
  ["test my server", "learn/testing.md"],
  ["connect Claude Desktop", "learn/connect-a-host.md"],
  ["express middleware", "serving/frameworks.md"],
  ["docker", "serving/deploying.md"],
  ["OpenAPI", "servers/openapi.md"],
  ["Python names", "moving/from-python.md"],
])("a search for %j leads to the guide %s within the first three", (words, page) => {
  expect(search.find(words, 3).map(({ path }) => path)).toContain(page);
});

const GOOD = 'import { McpServer } from "tenon";\nexport const server = new McpServer({ name: "a", version: "1" });\n';
const BAD = `${GOOD}server.tool("t", { inputSchema: {} }, () => "x");\n`;

test("the official client over stdio searches, reads a page as tool and as resource, and has code checked", async () => {
  const client = new OfficialClient({ name: "official", version: "1" });
  onTestFinished(() => client.close());
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [MAIN, "docs", "--mcp"], cwd: ROOT }));
  const call = async (name: string, args: object): Promise<string> => {
    const { content } = (await client.callTool({ name, arguments: { ...args } })) as { content: { text: string }[] };
    return content.map(({ text }) => text).join("\n");
  };
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["search_docs", "get_page", "check_code"]);
  expect(await call("search_docs", { query: "ask the user" })).toContain("page: servers/asking.md");
  const page = await call("get_page", { path: "servers/tools.md" });
  expect(page).toMatch(/^# Tools/);
  const { contents } = await client.readResource({ uri: "tenon-docs:///servers/tools.md" });
  expect(contents[0]).toMatchObject({ text: page, mimeType: "text/markdown" });
  expect(await call("check_code", { code: GOOD })).toBe("It compiles.");
  expect(await call("check_code", { code: BAD })).toMatch(/^line 3, column \d+: TS\d+: /);
});

test("code is checked too if the folder of packages is a link", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tenon-linked-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  await using client = await connect(createDocsServer(pages, folder));
  expect((await client.callTool("check_code", { code: BAD })).text).toMatch(/^line 3, column \d+: TS\d+: /);
  expect((await client.callTool("check_code", { code: GOOD })).text).toBe("It compiles.");
});

test("Tenon's client gets the same in process; without a folder no code is checked; unknown pages have a hint", async () => {
  await using client = await connect(createDocsServer(pages));
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["search_docs", "get_page"]);
  expect((await client.callTool("get_page", { path: "clients/calling" })).text).toMatch(/^# /);
  const missing = await client.callTool("get_page", { path: "nowhere.md" });
  expect(missing).toMatchObject({ isError: true, text: 'There is no page "nowhere.md". Search for it with search_docs.' });
  expect((await client.listResources()).resources.length).toBe(pages.length);
});

test("code in a folder without a compiler: what to install", async () => {
  await using client = await connect(createDocsServer(pages, "/"));
  const { isError, text } = await client.callTool("check_code", { code: GOOD });
  expect({ isError, text }).toEqual({
    isError: true,
    text: expect.stringContaining("npm install --save-dev typescript") as string,
  });
});

test("tenon docs shows the sections that fit, and says so if there are none", async () => {
  const found = await runCommand(["docs", "ask", "the", "user"]);
  expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining("servers/asking.md") as string });
  expect(await runCommand(["docs", "zzzzqqq"])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("No page has these words") as string,
  });
  expect((await runCommand(["docs"])).code).toBe(2);
});

test.each(["servers/asking.md", "servers/asking"])("tenon docs %s prints the whole page", async (path) => {
  const page = await runCommand(["docs", path]);
  expect(page).toMatchObject({ code: 0, stdout: expect.stringMatching(/^# .*\n[^]*\n## /) as string });
  const { stdout } = await runCommand(["docs", path, "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ path: "servers/asking.md", title: expect.any(String) as string });
});
