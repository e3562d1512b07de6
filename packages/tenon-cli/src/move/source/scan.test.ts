/** What is found in the source of a server: uses by name with their places, what differs, what is refused. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Findings, scan } from "./scan.ts";

const NEW_NODE = { version: "22.0.0", requiresEsm: true };
const OLD_NODE = { version: "20.10.0", requiresEsm: false };

function scanned(files: Readonly<Record<string, string>>, node = NEW_NODE): Findings {
  const folder = mkdtempSync(join(tmpdir(), "tenon-scan-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return scan(folder, node);
}

const SERVER = `import { McpServer as Mcp } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
const server: Mcp = new Mcp({ name: "s", version: "1" });
server.registerTool("a", {}, async (_: unknown, extra: RequestHandlerExtra<never, never>) => {
  await server.server.elicitInput({ message: "?", requestedSchema: { type: "object", properties: {} } });
  return { content: [] };
});
server.tool("b", () => ({ content: [] }));
`;

test("names are counted in TypeScript, whatever they are called locally", () => {
  const { same, differs, refused, files } = scanned({ "src/server.ts": SERVER, "node_modules/x/index.js": SERVER });
  expect(files).toBe(1);
  expect(same).toEqual([
    ["new McpServer", 1],
    ["registerTool()", 1],
    ["tool()", 1],
  ]);
  expect(differs).toEqual([
    { about: expect.stringContaining("ctx.elicit") as string, uses: [{ what: "elicitInput()", file: "src/server.ts", line: 5 }] },
  ]);
  expect(refused).toEqual([]);
});

test("what was compiled is looked at only if there is no source", () => {
  const built = { "dist/index.js": 'import { Server } from "@modelcontextprotocol/sdk/server/index.js";\nnew Server({}, {});\n' };
  expect(scanned({ ...built, "src/server.ts": SERVER }).uses.map(({ file }) => file)).not.toContain("dist/index.js");
  expect(scanned(built).same).toEqual([["new Server", 1]]);
});

const COMMON = `const { McpServer } = require("@modelcontextprotocol/sdk/server/mcp.js");
const sdk = require("@modelcontextprotocol/sdk/server/stdio.js");
new McpServer({ name: "s", version: "1" }).connect(new sdk.StdioServerTransport());
`;

test("CommonJS is served where require() loads ESM, and is refused by name elsewhere", () => {
  const on = scanned({ "index.cjs": COMMON });
  expect(on.refused).toEqual([]);
  expect(on.same.map(([what]) => what)).toEqual(["new McpServer", "new StdioServerTransport"]);
  const [refused, ...others] = scanned({ "index.cjs": COMMON }, OLD_NODE).refused;
  expect(others).toEqual([]);
  expect(refused).toMatchObject({ about: expect.stringMatching(/CommonJS.*20\.19.*20\.10\.0/) as string });
  expect(refused!.uses.map(({ line }) => line)).toEqual([1, 2]);
});

test("WebSocket is refused by name, with its place", () => {
  const socket = `\nimport { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";\n`;
  expect(scanned({ "client.mjs": socket }).refused).toMatchObject([
    { about: expect.stringContaining("WebSocket") as string, uses: [{ file: "client.mjs", line: 2 }] },
  ]);
});

test("a file that cannot be parsed is named, and the others are looked at", () => {
  const { unread, same } = scanned({
    "broken.mjs": "const server = `${",
    "server.mjs": SERVER.replace(/: (Mcp|unknown|RequestHandlerExtra<.*?>)/g, "").replace(/^import type.*$/m, ""),
  });
  expect(unread).toEqual(["broken.mjs"]);
  expect(same).toContainEqual(["registerTool()", 1]);
});

test("methods of other objects are not the SDK's", () => {
  const other =
    'import { McpError } from "@modelcontextprotocol/sdk/types.js";\n' +
    'database.connect(); app.resource("x"); throw new McpError(-1, "x");\n';
  expect(scanned({ "a.js": other }).same).toEqual([["new McpError", 1]]);
});
