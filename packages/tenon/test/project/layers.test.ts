// The check that keeps the layers apart must itself be seen to fail: each test plants one import in a copy of a small
// tree and runs the script on it.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const script = fileURLToPath(new URL("../../../../scripts/layers.mjs", import.meta.url));
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "layers-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Runs the check on a tree that holds one file with this text. */
function check(file: string, text: string, name = "tenon"): { status: number | null; output: string } {
  const path = join(root, "packages", name, "src", file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, root], { encoding: "utf8", timeout: 100_000 });
  return { status, output: stdout + stderr };
}

test.each([
  [
    "a lower layer importing a higher one",
    "jsonrpc/parse.ts",
    'import { McpServer } from "../server/mcp-server.ts";',
    "server/ is not below jsonrpc/",
  ],
  [
    "a type from a higher layer",
    "wire/codec.ts",
    'import type { Session } from "../session/session.ts";',
    "session/ is not below wire/",
  ],
  ["a re-export from a higher layer", "protocol/types.ts", 'export * from "../wire/codec.ts";', "wire/ is not below protocol/"],
  ["server importing client", "server/http.ts", 'import { Client } from "../client/client.ts";', "client/ is not below server/"],
  [
    "client importing server",
    "client/connect.ts",
    'const m = await import("../server/http.ts");',
    "server/ is not below client/",
  ],
  [
    "a Node built-in outside node/ and cli/",
    "client/stdio.ts",
    'import { spawn } from "node:child_process";',
    "may import Node's built-ins",
  ],
  [
    "a Node built-in without its prefix",
    "server/file.ts",
    'import { readFile } from "fs/promises";',
    "may import Node's built-ins",
  ],
  [
    "an import after a string that looks like a comment",
    "wire/codec.ts",
    'const any = "*/*";\nconst m = await import("../server/http.ts"); /* */',
    "server/ is not",
  ],
  ["the package by its own name", "node/serve.ts", 'import { McpServer } from "tenon/server";', "by path"],
  [
    "the platform-neutral entry importing node/",
    "index.ts",
    'export { serveStdio } from "./node/stdio.ts";',
    "node/ is not below ./",
  ],
  [
    "a revision named above wire/",
    "server/posts.ts",
    'const since = "2025-11-25"; // not "2025-06-18"',
    'says "2025-11-25": only protocol/ and wire/ may name a revision',
  ],
  [
    "an import in a file of components",
    "server/view.tsx",
    'import { Client } from "../client/client.ts";',
    "client/ is not below server/",
  ],
  ["a folder without a layer", "misc/thing.ts", 'import { x } from "../jsonrpc/message.ts";', "misc/ has no layer"],
])("lint refuses %s", (_name, file, text, why) => {
  const { status, output } = check(file, text);
  expect(output).toContain(`src/${file}`);
  expect(output).toContain(why);
  expect(status).toBe(1);
});

test.each([
  ["a lower layer", "server/http.ts", 'import { isRequest } from "../jsonrpc/message.ts";'],
  ["its own folder", "server/http.ts", 'import { x } from "./inner/x.ts";'],
  ["a listed neighbour", "dispatch/json-rpc.ts", 'import type { Transport } from "../transport/transport.ts";'],
  ["a Node built-in in node/", "node/stdio.ts", 'import { spawn } from "node:child_process";'],
  ["a platform mapping", "client/connect.ts", 'const m = await import("#child-process");'],
  [
    "anything inside a comment",
    "wire/codec.ts",
    '/** `import { x } from "../server/http.ts"` */\n// import "node:fs";\nexport const x = 1;',
  ],
  ["a revision named in wire/", "wire/v2025-11-25.ts", 'export const version = "2025-11-25";'],
  ["a revision in a comment", "server/posts.ts", "/** Batches are legal on `2025-03-26` only. */"],
  ["anything in a test", "wire/codec.test.ts", 'import { McpServer } from "../server/mcp-server.ts";'],
])("lint accepts %s", (_name, file, text) => {
  expect(check(file, text).status).toBe(0);
});

test.each([
  ["a file of Tenon by its path", 'import { McpError } from "../../tenon/src/jsonrpc/mcp-error.ts";', "by its subpaths"],
  ["a type of a file of Tenon", 'import type { Tool } from "../../tenon/src/protocol/tools.ts";', "by its subpaths"],
  ["a file of Tenon by its name", 'const { x } = await import("tenon/dist/chunks/base.js");', "by its subpaths"],
])("lint refuses a command that imports %s", (_name, text, why) => {
  const { status, output } = check("help.ts", text, "tenon-cli");
  expect({ status, output }).toEqual({ status: 1, output: expect.stringContaining(why) as string });
});

test("lint refuses an inspector that knows the rest of the command", () => {
  const { status, output } = check("inspector/server/page.ts", 'import { help } from "../../help.ts";', "tenon-cli");
  expect({ status, output }).toEqual({
    status: 1,
    output: expect.stringContaining("does not know the rest of the command") as string,
  });
});

test.each([
  ["the command by its name", 'import "tenon-cli";', "nothing in Tenon imports the other packages"],
  ["the command by its path", 'import { help } from "../../../tenon-cli/src/help.ts";', "files of its own package only"],
])("lint refuses a file of Tenon that imports %s", (_name, text, why) => {
  const { status, output } = check("node/serve.ts", text);
  expect({ status, output }).toEqual({ status: 1, output: expect.stringContaining(why) as string });
});

test.each([
  ["a public subpath", 'import { McpServer } from "tenon/server";\nimport { McpError } from "tenon";'],
  ["tenon/internal", 'import { isJsonObject } from "tenon/internal";'],
  ["the inspector", 'import { startInspector } from "./inspector/start-inspector.ts";'],
  ["a Node built-in", 'import { spawn } from "node:child_process";'],
])("lint accepts a command that imports %s", (_name, text) => {
  expect(check("help.ts", text, "tenon-cli").status).toBe(0);
});
