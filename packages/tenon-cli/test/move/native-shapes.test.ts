/**
 * `tenon move --native` on programs as people write them: what it writes compiles, and answers the same as before, on a revision
 * with a handshake and on the newest. Needs a build.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../cli/packed.ts";
import { runCommand } from "../cli/run-command.ts";
import { answersOf, type Asked, movedProject, transpile } from "./native-project.ts";

const FIXTURES = new URL("fixtures/native/", import.meta.url);
const textOf = (name: string): string => readFileSync(new URL(`${name}.txt`, FIXTURES), "utf8");
const call = (name: string, args: object): Asked["requests"][number] => ["tools/call", { name, arguments: { ...args } }];

interface Shape {
  /** Why places stay. */
  readonly stays?: readonly string[];
  /** What the written file has, and what it has no more. */
  readonly has: readonly RegExp[];
  readonly path?: string;
  readonly requests: Asked["requests"];
}

const WHOLE = /^(?![^]*modelcontextprotocol)/;
const NO_EXPRESS = /^(?![^]*(?:express|transports))/i;

const SHAPES: Readonly<Record<string, Shape>> = {
  "express-sessions.ts": {
    has: [
      WHOLE,
      NO_EXPRESS,
      /await serveHttp\(getServer\(\), \{ port: Number\(PORT\) \}\)/,
      /throw new ToolError\("No more sums today"\)/,
    ],
    path: "/mcp",
    requests: [["tools/list", {}], call("add", { a: 1, b: 2 }), call("fail", {})],
  },
  "express-stateless.ts": {
    has: [
      WHOLE,
      /app\.get\("\/health"/,
      /app\.all\("\/mcp", toNodeHandler\(getServer\(\), \{ sessions: false, responseMode: "json"/,
    ],
    path: "/mcp",
    requests: [
      ["tools/list", {}],
      call("echo", { text: "Hello" }),
      ["prompts/get", { name: "greet", arguments: { who: "Ada" } }],
    ],
  },
  "express-inline.mjs": {
    has: [
      WHOLE,
      NO_EXPRESS,
      /^server\.tool\("double"/m,
      /^await serveHttp\(server, \{ port: parseInt\(.*sessions: false \}\);$/m,
    ],
    path: "/mcp",
    requests: [["tools/list", {}], call("double", { n: 4 }), ["resources/list", {}], ["resources/read", { uri: "note://today" }]],
  },
  "express-sse.ts": {
    has: [
      WHOLE,
      NO_EXPRESS,
      /await serveHttp\(server, \{ port: Number\(process\.env\.PORT\), path: "\/sse", httpSse: true \}\);/,
    ],
    path: "/sse",
    requests: [["tools/list", {}], call("upper", { text: "a" })],
  },
  "express-custom.ts": {
    stays: ["its route reads the header x-tenant; over HTTP serveHttp(server.tenon) serves every revision"],
    has: [/server\.tenon\.tool\("who"/, /await transport\.handleRequest\(/],
    path: "/mcp",
    requests: [["tools/list", {}], call("who", { greeting: "Hi" })],
  },
  "factory.ts": {
    has: [WHOLE, /await serveStdio\(createServer\(\)\);/, /await serveHttp\(createServer\(\), \{ port, sessions: false \}\)/],
    requests: [
      ["tools/list", {}],
      call("note", { name: "today" }),
      call("note", { name: "none" }),
      ["resources/read", { uri: "notes://today" }],
    ],
  },
  "low-switch.ts": {
    has: [
      WHOLE,
      /^#!\/usr\/bin\/env node\n\/\/ A low-level server/,
      /^server\.tool\("repeat", \{ description: "Repeats a text"/m,
    ],
    requests: [
      ["tools/list", {}],
      call("add", { a: 1, b: 2 }),
      call("repeat", { text: "ab" }),
      call("repeat", { text: "ab", times: 101 }),
    ],
  },
  "low-class.ts": {
    has: [WHOLE, /private server: McpServer;/, /this\.server\.use\("tools\/call"/, /onError: \(error\) => console\.error\(/],
    requests: [
      ["tools/list", {}],
      call("forecast", { city: "Rome" }),
      call("other", {}),
      ["resources/list", {}],
      ["resources/read", { uri: "weather://rome" }],
      ["resources/read", { uri: "weather://paris" }],
    ],
  },
  "helpers.ts": {
    has: [WHOLE, /input: z\.object\(searchShape\)/, /input: ReadSchema/, /import type \{ CallToolResult \} from "tenon";/],
    requests: [["tools/list", {}], call("search", { query: "a" }), call("read", { id: "1" }), call("read", { id: "0" })],
  },
  "newer.ts": {
    has: [
      WHOLE,
      /^serveStdio\(createServer\(\)\);$/m,
      /throw new McpError\(ErrorCode\.InvalidParams, "Never"\)/,
      /ctx\.signal\.throwIfAborted/,
    ],
    requests: [
      ["tools/list", {}],
      call("add", { a: 1, b: 2 }),
      ["resources/list", {}],
      ["resources/read", { uri: "note://today" }],
    ],
  },
  "mixed.ts": {
    stays: ["its handler uses extra.sendNotification"],
    has: [
      /server\.tenon\.tool\("add"/,
      /server\.tenon\.use\("completion\/complete"/,
      /throw new TenonError\(ErrorCode\.InvalidParams/,
    ],
    requests: [
      call("add", { a: 1, b: 2 }),
      call("add", { a: 2000, b: 2 }),
      call("work", {}),
      ["completion/complete", { ref: { type: "ref/prompt", name: "a" }, argument: { name: "b", value: "tom" } }],
      ["completion/complete", { ref: { type: "ref/prompt", name: "a" }, argument: { name: "b", value: "!" } }],
    ],
  },
};

test("each shape of a fixture is tried", () => {
  expect(readdirSync(FIXTURES).map((name) => name.replace(/\.txt$/, ""))).toEqual(Object.keys(SHAPES).toSorted());
});

test.each(Object.entries(SHAPES))("%s is rewritten, and answers the same on both revisions", async (file, shape) => {
  const folder = movedProject({ [file]: textOf(file) });
  const asked = { path: shape.path, requests: shape.requests };
  const before = transpile(folder, file);
  const old = await answersOf(folder, before, { ...asked, revision: "stateful" });
  const { code, stdout, stderr } = await runCommand(["move", "--native", file, "--json"], { cwd: folder });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const [{ marks }] = (JSON.parse(stdout) as { files: [{ marks: { why: string }[] }] }).files; // of one file
  expect(marks.map(({ why }) => why)).toEqual(shape.stays ?? []);
  const text = readFileSync(join(folder, file), "utf8");
  for (const each of shape.has) expect(text).toMatch(each);
  const after = transpile(folder, file);
  expect(await answersOf(folder, after, { ...asked, revision: "stateful" })).toEqual(old);
  if (file === "express-sse.ts") return; // of the first revision
  const newest = await answersOf(folder, after, { ...asked, revision: "2026-07-28" });
  expect(newest.map((answer) => bare(answer))).toEqual(old.map((answer) => bare(answer)));
});

/** Without what only the newest revision has in results. */
function bare(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null) return answer;
  // an answer is an object
  const { resultType: _, ttlMs: _ttl, cacheScope: _scope, _meta, ...rest } = answer as Record<string, unknown>;
  return rest;
}

test("what is written compiles, strictly", async () => {
  const files = Object.keys(SHAPES).filter((name) => name.endsWith(".ts"));
  const options = {
    strict: true,
    noUnusedLocals: true,
    module: "nodenext",
    target: "es2022",
    noEmit: true,
    skipLibCheck: true,
    types: ["node"],
  };
  const folder = movedProject({
    ...Object.fromEntries(files.map((name) => [name, textOf(name)])),
    "tsconfig.json": { compilerOptions: options, include: ["*.ts"] },
  });
  expect(compiled(folder)).toBe("");
  expect(await runCommand(["move", "--native"], { cwd: folder })).toMatchObject({ code: 0 });
  expect(compiled(folder)).toBe("");
});

/** What the compiler says of a project. */
function compiled(folder: string): string {
  return spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder], { encoding: "utf8" }).stdout;
}
