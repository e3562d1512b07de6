/** What is rewritten in a file, and what stays with a mark. */
import { expect, test } from "vitest";
import { type Rewritten, rewriteFile } from "./rewrite-file.ts";

const IMPORTS = `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import * as z from "zod";
`;
const MADE = `const server = new McpServer({ name: "s", version: "1" });\n`;
const TOOL = `server.registerTool("a", { inputSchema: { n: z.number() } }, ({ n }) => ({ content: [] }));\n`;

const rewrite = (text: string, hasZod = true): Rewritten => rewriteFile("server.ts", IMPORTS + text, { hasZod, link: "See: x" });
const whys = (text: string): string[] => rewrite(TOOL + text).marks.map(({ why }) => why);

test("a file of which everything is known imports Tenon alone", () => {
  expect(rewrite(`${MADE}${TOOL}await server.connect(new StdioServerTransport());\n`).text).toBe(
    `import { McpServer } from "tenon/server";
import { serveStdio } from "tenon/node";
import * as z from "zod";
const server = new McpServer({ name: "s", version: "1" });
server.tool("a", { input: z.object({ n: z.number() }) }, ({ n }) => ({ content: [] }));
await serveStdio(server);
`,
  );
});

test("an exported server stays on the layer, and what is registered goes to Tenon", () => {
  const { text, marks } = rewrite(`export ${MADE}${TOOL}`);
  expect(text).toContain(`export ${MADE}server.tenon.tool("a", `);
  expect(text).toContain('from "@modelcontextprotocol/sdk/server/mcp.js"');
  expect(marks).toEqual([]);
});

test.each([
  ["server.server.onclose = () => {};", "the server is used as a value"],
  ["export default () => server;", "the server is used as a value"],
  ["server.sendLoggingMessage(message);", "sendLoggingMessage() has no counterpart here"],
  ['server.registerTool("b", options, () => ({ content: [] }));', "its options are written elsewhere"],
  ['server.registerTool("b", {}, handler);', "its handler is written elsewhere"],
  [
    'server.registerTool("b", { inputSchema }, () => ({ content: [] }));',
    "its schema is written elsewhere, and may be a raw shape",
  ],
  ['server.registerTool("b", { execution: {} }, () => ({ content: [] }));', "it has the option execution"],
  ['server.registerTool("b", {}, (extra) => use(extra));', "its handler passes extra on"],
  ['server.registerTool("b", {}, ({ sendRequest }) => sendRequest());', "its handler uses extra.sendRequest"],
  ["server.toString();", "toString() has no counterpart here"],
  ['server.registerTool("b", {}, (extra) => use(extra.constructor));', "its handler uses extra.constructor"],
  ["await server.connect(other);", expect.stringContaining("serveHttp(server.tenon)") as string],
  ["start(server.connect(new StdioServerTransport()));", "connect() is a part of something larger"],
])("%s stays, and the mark says why", (line, why) => {
  const { text, marks } = rewrite(`${MADE}${TOOL}${line}\n`);
  expect(marks.map((mark) => mark.why)).toEqual([why]);
  expect(text).toContain(line);
  expect(text).toMatch(/^\/\/ tenon move: this stays on tenon-sdk-v1, because .*\. See: x\n/m);
  expect(text).toContain("server.tenon.tool(");
});

test("a name that is bound anew in a function is another one, and a schema of an older zod is left alone", () => {
  const other = "function other(server) {\n  server.tool();\n}\n";
  expect(rewrite(`${MADE}${TOOL}${other}`)).toMatchObject({
    edits: 2,
    marks: [],
    text: expect.stringContaining(other) as string,
  });
  expect(rewrite(`${MADE}${TOOL}`, false)).toMatchObject({ edits: 0, marks: [] });
  expect(whys("")).toEqual([]);
});

test("what follows connect() still runs at once", () => {
  const { text } = rewrite(
    `${MADE}async function main() {\n  const transport = new StdioServerTransport();\n` +
      '  await server.connect(transport);\n  console.error("up");\n}\nmain();\n',
  );
  expect(text).toContain('async function main() {\n  void serveStdio(server);\n  console.error("up");\n}');
  expect(text).not.toContain("StdioServerTransport");
});
