/**
 * At a shell: arguments out of a file or a pipe, bytes into a file, numbers as typed, quiet servers, results and lists with
 * faults.
 */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { runForBytes } from "../cli/run-command.ts";

// Several processes a test, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

/** A server of another author: it declares lists that it lacks, and results that break their schema. */
const SERVER = `import { createInterface } from "node:readline";
const say = (text) => process.stdout.write(text + "\\n");
const PNG = "iVBORw0KGgo=";
const object = { type: "object" };
const tools = [
  { name: "echo", inputSchema: { type: "object",
    properties: { id: { type: "integer" }, pin: {}, either: { type: ["string", "number"] } } } },
  { name: "draw", inputSchema: object }, { name: "both", inputSchema: object },
  { name: "broken", inputSchema: object, outputSchema: { type: "object", properties: { a: object }, required: ["a", "b"] } },
];
const results = {
  draw: { content: [{ type: "image", data: PNG, mimeType: "image/png" }] },
  both: { content: [{ type: "text", text: "two" }, { type: "image", data: PNG, mimeType: "image/png" },
    { type: "audio", data: "AQID", mimeType: "audio/wav" }] },
  broken: { content: [{ type: "text", text: "what it says" }], structuredContent: { c: 1 } },
};
const lists = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {}, resources: {}, prompts: {} },
    serverInfo: { name: "field", version: "1" } },
  "tools/list": { tools }, "resources/list": { resources: [] },
};
process.stderr.write("banner of the server\\n");
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = (member) => say(JSON.stringify({ jsonrpc: "2.0", id, ...member }));
  if (lists[method]) return answer({ result: lists[method] });
  if (method === "prompts/list") return answer({ error: { code: -32603, message: "the database is down" } });
  const content = params.uri === "bin://x" ? { blob: "AQID/w==" } : { text: "t\\u0007" };
  if (method === "resources/read") return answer({ result: { contents: [{ uri: params.uri, ...content }] } });
  if (method !== "tools/call") return answer({ error: { code: -32601, message: "Method not found" } });
  if (params.name !== "echo") return answer({ result: results[params.name] });
  const raw = /"arguments":(\\{.*?\\})[,}]/.exec(line)[1];
  say('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":{"content":[],"structuredContent":' + raw + "}}");
});
`;
const dir = mkdtempSync(join(tmpdir(), "field-shell-"));
writeFileSync(join(dir, "server.mjs"), SERVER);
const server = `${process.execPath} server.mjs`;
const run = (args: readonly string[], input = ""): ReturnType<typeof runForBytes> => runForBytes(args, { cwd: dir, input });

test.each([
  ["-", '{"id":7}'],
  ["@args.json", ""],
])("call takes its arguments from %s [FD-33]", async (args, input) => {
  writeFileSync(join(dir, "args.json"), '\uFEFF{"id":7}');
  const { code, stdout } = await run(["call", server, "echo", "--args", args], input);
  expect([code, JSON.parse(stdout)]).toEqual([0, { id: 7 }]);
});

test("call says which file of arguments is not there [FD-33]", async () => {
  const { code, stderr } = await run(["call", server, "echo", "--args", "@none.json"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("--args @none.json cannot be read: there is no such file")]);
});

test("a pipe gets the bytes of a resource and of a picture with -o -, and nothing in their place [FD-33]", async () => {
  const read = await run(["read", server, "bin://x", "-o", "-"]);
  expect([read.code, [...read.bytes]]).toEqual([0, [1, 2, 3, 255]]);
  const call = await run(["call", server, "draw", "-o", "-"]);
  expect([...call.bytes]).toEqual([...Buffer.from("iVBORw0KGgo=", "base64")]);
  expect(await run(["read", server, "bin://x"])).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("-o -") as unknown,
  });
});

test("-o writes bytes as bytes, text as text, and several files with numbers [FD-33]", async () => {
  const saved = (name: string): number[] => [...readFileSync(join(dir, name))];
  expect((await run(["read", server, "bin://x", "-o", "x.bin"])).stdout).toBe("");
  expect(saved("x.bin")).toEqual([1, 2, 3, 255]);
  await run(["read", server, "text://x", "-o", "x.txt"]);
  expect(saved("x.txt")).toEqual([0x74, 7]);
  await run(["call", server, "draw", "-o", "p.png"]);
  expect(saved("p.png")).toEqual([...Buffer.from("iVBORw0KGgo=", "base64")]);
  await run(["call", server, "both", "--output", "two.bin"]);
  expect(saved("two-2.bin")).toEqual([1, 2, 3]);
  const { code, stderr } = await run(["read", server, "bin://x", "-o", "none/x.bin"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("--output none/x.bin cannot be written: ENOENT")]);
});

test.each([
  ["id=1234567890123456789", '"id": 1234567890123456789'],
  ["id=-9223372036854775808", '"id": -9223372036854775808'],
  ["pin=000123", '"pin": "000123"'],
  ["pin=12345678901234567890", '"pin": 12345678901234567890'],
  ["either=+4917012345", '"either": "+4917012345"'],
  ["either=0x1f", '"either": "0x1f"'],
  ["either=1.", '"either": "1."'],
  ["either=-1.5e3", '"either": -1500'],
])("--arg %s sends %s [FD-09]", async (pair, sent) => {
  const { stdout } = await run(["call", server, "echo", "--arg", pair]);
  expect(stdout).toContain(sent);
});

test("--args and --json keep all digits [FD-06]", async () => {
  const { stdout } = await run([
    "call",
    server,
    "echo",
    "--json",
    "--args",
    '{"id":1234567890123456789,"pin":[1234567890123456789]}',
  ]);
  expect(stdout.replace(/\s/g, "")).toContain('"structuredContent":{"id":1234567890123456789,"pin":[1234567890123456789]}');
});

test("--quiet hides what the server writes to stderr, unless it cannot be reached", async () => {
  expect((await run(["call", server, "echo"])).stderr).toContain("banner of the server");
  expect((await run(["call", server, "echo", "--quiet"])).stderr).toBe("");
  writeFileSync(join(dir, "dies.mjs"), 'console.error("no key"); process.exit(1);');
  const { code, stderr } = await run(["call", `${process.execPath} dies.mjs`, "echo", "-q"]);
  expect([code, stderr]).toEqual([3, expect.stringContaining("no key")]);
});

test.each([true, false])("a result that breaks its output schema is shown, then all that is missing, json: %s", async (json) => {
  const { code, stdout, stderr } = await run(["call", server, "broken", ...(json ? ["--json"] : [])]);
  expect(stdout).toContain("what it says");
  expect(stdout).toContain('"c": 1');
  expect(stderr).toContain('must have the properties "a", "b"');
  expect(code).toBe(1);
});

test("list and types show what there is, and name the list that failed", async () => {
  const list = await run(["list", server]);
  expect(list.stdout).toContain("Tools (4)");
  expect(list.stderr).toContain("prompts/list: the database is down");
  expect(list.stderr).not.toContain("templates");
  expect(list.code).toBe(1);
  const json = JSON.parse((await run(["list", server, "--json"])).stdout) as object;
  expect(json).toMatchObject({
    resourceTemplates: [],
    errors: [{ method: "prompts/list", code: -32603, message: "the database is down" }],
  });
  const types = await run(["types", server]);
  expect(types.stdout).toContain("echo");
  expect(types.stderr).toContain("prompts/list: the database is down");
});
