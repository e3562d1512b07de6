/** `tenon check`: what the rules find, the budget of tokens, `mcp.lock` with its verdict, and the forms of the report. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import type { JsonSchema } from "tenon";
import { McpError } from "tenon/client";
import { createGateway, type Gateway } from "tenon/gateway";
import { serveHttp } from "tenon/node";
import { McpServer, type ToolOptions } from "tenon/server";
import { linkPackages, outsideFolder, write } from "../cli/packed.ts";
import { runCommand } from "../cli/run-command.ts";
import type { Ended } from "../cli/start-command.ts";

vi.setConfig({ testTimeout: 60_000 });

const properties = { seats: { type: "integer" }, at: { type: "string" } };
const GOOD: Readonly<Record<string, ToolOptions>> = {
  book: { description: "Book a table", input: { type: "object", properties, required: ["at"] } },
  cancel: {
    description: "Cancel a booking",
    input: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
  },
};

function folder(): string {
  const { path, remove } = outsideFolder();
  onTestFinished(remove);
  return path;
}

/** Checks a server that offers these tools. */
async function check(
  tools: Readonly<Record<string, ToolOptions>>,
  args: readonly string[] = [],
  { cwd = folder(), version = "1.2.3" } = {},
): Promise<Ended> {
  const server = new McpServer({ name: "tables", version });
  for (const [name, options] of Object.entries(tools)) server.tool(name, options, () => "");
  await using http = await serveHttp(server, { port: 0 });
  const ended = await runCommand(["check", http.url, ...args], { cwd });
  if (ended.code === 3) throw new Error(`The server was not reached: ${ended.stderr}`);
  return ended;
}

interface Report {
  readonly ok: boolean;
  readonly findings: readonly {
    readonly rule: string;
    readonly level: string;
    readonly where: string;
    readonly message: string;
  }[];
  readonly tokens: { readonly list: number };
  readonly contract?: { readonly verdict: string; readonly next: string };
}

async function rulesOf(options: ToolOptions, name = "book", args: readonly string[] = []): Promise<readonly string[]> {
  const { stdout } = await check({ [name]: { description: "Book a table", ...options } }, ["--json", ...args]);
  return (JSON.parse(stdout) as Report).findings.map(({ rule }) => rule);
}

it("fails without a lock file under --locked, and passes with one", async () => {
  const cwd = folder();
  expect(await check(GOOD, [], { cwd })).toMatchObject({ code: 0 });
  const refused = await check(GOOD, ["--locked"], { cwd });
  expect(refused.code).toBe(1);
  expect(refused.stdout).toContain(
    "mcp.lock: there is no such file, and --locked compares with it. Write it with --update, and commit it.",
  );
  const { findings } = JSON.parse((await check(GOOD, ["--locked", "--json"], { cwd })).stdout) as Report;
  expect(findings.map(({ rule, level, where }) => [rule, level, where])).toEqual([["contract", "error", "mcp.lock"]]);
  expect(await check(GOOD, ["--update", "--locked"], { cwd })).toMatchObject({ code: 2 });
  await check(GOOD, ["--update"], { cwd });
  expect(await check(GOOD, ["--locked"], { cwd })).toMatchObject({ code: 0 });
});

it("says and compares the lock file that --lock names", async () => {
  const cwd = folder();
  const named = (...args: string[]): ReturnType<typeof check> => check(GOOD, ["--lock", "good.lock", ...args], { cwd });
  expect((await named()).stdout).toContain("There is no good.lock yet");
  expect((await named("--update")).stdout).toContain("good.lock is written");
  expect((await named()).stdout).toContain("Nothing differs from good.lock.");
  expect(existsSync(join(cwd, "mcp.lock"))).toBe(false);
  const broken = await check({}, ["--lock", "good.lock", "--json"], { cwd });
  expect((JSON.parse(broken.stdout) as Report).findings).toMatchObject([{ rule: "contract", where: "good.lock" }, {}]);
});

it("a good server has no finding, and the report says how many tokens it costs", async () => {
  const { code, stdout } = await check(GOOD);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^2 tools, about \d+ tokens; the largest is book, \d+\nThere is no mcp.lock yet: --update/);
});

/**
 * A server with `discovery`, and a gateway with `search` in front of a server
 * without: each lists a search in the place of its tools.
 */
const SHORT: Readonly<Record<string, (tools: Readonly<Record<string, ToolOptions>>) => McpServer | Gateway>> = {
  "a server with discovery": (tools) =>
    served(new McpServer({ name: "tables", version: "1.2.3" }, { discovery: { above: 10 } }), tools),
  "a gateway with search": (tools) =>
    createGateway({
      servers: { tables: served(new McpServer({ name: "tables", version: "1.2.3" }), tools) },
      prefix: { tables: "" },
      search: true,
    }),
};

function served(server: McpServer, tools: Readonly<Record<string, ToolOptions>>): McpServer {
  for (const [name, options] of Object.entries(tools)) server.tool(name, options, () => "");
  return server;
}

it.each(Object.entries(SHORT))(
  "all tools of %s are checked, locked and typed, and its short list is counted",
  async (_, make) => {
    const cwd = folder();
    const run = async (tools: Readonly<Record<string, ToolOptions>>, command: string, ...args: string[]): Promise<Ended> => {
      await using http = await serveHttp(make(tools), { port: 0 });
      return await runCommand([command, http.url, ...args], { cwd });
    };
    const { stdout } = await run({ ...GOOD, cancel: { input: GOOD["cancel"]!.input! } }, "check");
    expect(stdout).toContain("cancel"); // it has no description
    const whole = await check(GOOD, ["--json"]);
    const short = await run(GOOD, "check", "--json");
    const tokensOf = (ended: Ended): { list: number; tools: object } => (JSON.parse(ended.stdout) as { tokens: never }).tokens;
    expect(tokensOf(short).tools).toEqual(tokensOf(whole).tools);
    expect(tokensOf(short).list).not.toBe(tokensOf(whole).list);
    expect((await run(GOOD, "check")).stdout).toMatch(/^2 tools, of which 2 are listed, about \d+ tokens/m);
    expect((await run(GOOD, "check", "--update")).code).toBe(0);
    const lock = readFileSync(join(cwd, "mcp.lock"), "utf8");
    expect([lock.includes('"cancel"'), lock.includes("search_tools")]).toEqual([true, false]);
    const broken = await run(
      { ...GOOD, book: { ...GOOD["book"]!, input: { type: "object", properties, required: ["at", "seats"] } } },
      "check",
    );
    expect([broken.code, broken.stdout.includes("seats")]).toEqual([1, true]);
    const types = await run(GOOD, "types");
    expect(types.stdout).toMatch(/book[\s\S]*cancel/);
    expect(JSON.parse((await run(GOOD, "list", "--json")).stdout)).toMatchObject({
      tools: [{ name: "search_tools" }, { name: "call_tool" }],
    });
  },
);

it("a server that lists a search in place of its tools gets a note that the others were not checked", async () => {
  const queries = { type: "array", items: { type: "string" } };
  const search: ToolOptions = { description: "Finds tools", input: { type: "object", properties: { queries } } };
  const call: ToolOptions = { description: "Calls a tool", input: { type: "object", properties: { name: { type: "string" } } } };
  const { code, stdout } = await check({ search_tools: search, call_tool: call });
  expect(code).toBe(0);
  expect(stdout).toContain("Only what it lists was checked: search_tools may find other tools.\n");
  const { stdout: one } = await check({ search_tools: search });
  expect(one).toMatch(/^1 tool, about \d+ tokens/);
  expect(one).not.toContain("Only what it lists");
});

const text = { type: "string" };
it.each<[rule: string, options: ToolOptions, name?: string]>([
  ["tool-name", {}, "book.table"],
  ["tool-name", {}, "b".repeat(65)],
  ["argument-name", { input: { type: "object", properties: { "filter[name]": text } } }],
  ["argument-name", { input: { type: "object", properties: { ["a".repeat(65)]: text } } }],
  ["root-union", { input: { type: "object", anyOf: [{ properties: { a: text } }, { properties: { b: text } }] } }],
  ["references", { input: { type: "object", properties: { a: { $ref: "#/$defs/A" } }, $defs: { A: { type: "object" } } } }],
  ["list-without-items", { input: { type: "object", properties: { tags: { type: "array" } } } }],
  [
    "list-without-items",
    { input: { type: "object", properties: { a: { $ref: "#/$defs/A" } }, $defs: { A: { type: "array" } } } },
  ],
  ["required-unknown", { input: { type: "object", properties: { a: text }, required: ["b"], additionalProperties: false } }],
  ["description", { description: "" }],
  ["hidden-characters", { description: "Book\u{E0041} a table" }],
  ["hints", { annotations: { readOnlyHint: true, destructiveHint: true } }],
])("the rule %s finds it", async (rule, options, name) => {
  expect(await rulesOf(options, name)).toContain(rule);
});

it.each<[bug: string, host: string, rule: string, input: object]>([
  [
    "claude-code#95504",
    "claude-code",
    "root-union",
    { type: "object", oneOf: [{ properties: { a: text } }, { properties: { b: text } }] },
  ],
  [
    "claude-code#95504",
    "claude-code",
    "root-union",
    { type: "object", properties: { a: text, b: text }, if: { required: ["a"] }, then: { required: ["b"] } },
  ],
  [
    "gemini-cli#13326",
    "gemini-cli",
    "references",
    { type: "object", properties: { a: { $ref: "#/$defs/A" } }, $defs: { A: { type: "object", properties: { b: text } } } },
  ],
])("the bug %s of a host is found, by default and with --profile %s", async (bug, host, rule, input) => {
  expect(await rulesOf({ input: input as JsonSchema })).toEqual([rule]);
  expect(await rulesOf({ input: input as JsonSchema }, "book", ["--profile", host])).toEqual([rule]);
  expect((await runCommand(["check", "--explain", rule])).stdout).toContain(bug);
});

it("a list that cannot be read is noted, and the tools are checked", async () => {
  const server = new McpServer({ name: "tables", version: "1.0.0" });
  server.tool("cancel", {}, () => "");
  server.resource("note://a", {}, () => "");
  server.use((next) => (context) => {
    if (context.method === "resources/list") throw new McpError(-32_000, "the database is away");
    return next(context);
  });
  await using http = await serveHttp(server, { port: 0 });
  const { code, stdout, stderr } = await runCommand(["check", http.url], { cwd: folder() });
  expect(code).toBe(0);
  expect(stdout).toContain("tool cancel: it has no description");
  expect(stderr).toContain("Not read: resources/list: the database is away");
});

it("two tools that look the same are found, by their names and by their texts", async () => {
  const { stdout } = await check({
    list_users: { description: "List users" },
    listUsers: { description: "List all users" },
    find: { description: "list  users" },
  });
  expect(stdout).toContain("tool listUsers: it and list_users have the same names");
  expect(stdout).toContain("tool find: it and list_users have the same descriptions");
});

it("usual schemas have no finding: optional and nullable members, choices, maps and nested lists", async () => {
  const input = {
    type: "object",
    properties: {
      a: { type: ["string", "null"] },
      b: { anyOf: [text, { type: "null" }] },
      c: { enum: ["x", "y"] },
      d: { type: "object", additionalProperties: text },
      e: { type: "array", items: { type: "array", items: text } },
      f: { type: "object", properties: { $top: text } },
    },
    required: ["a"],
    additionalProperties: false,
  };
  expect(await rulesOf({ input })).toEqual([]);
});

it("a profile adds what its host refuses, and a rule can be left out", async () => {
  const many = Object.fromEntries(Array.from({ length: 41 }, (_, n) => [`t${n}`, { description: `Number ${n}` }]));
  expect((await check(many)).stdout).not.toContain("too-many-tools");
  expect((await check(many, ["--profile", "cursor"])).stdout).toContain("it has 41 tools, and 40 are taken (cursor)");
  expect(await rulesOf({ description: "" }, "book", ["--off", "description"])).toEqual([]);
  expect(await rulesOf({}, "9lives", ["--profile", "gemini"])).toEqual(["tool-name"]);
  expect(await rulesOf({}, "9lives", ["--profile", "openai"])).toEqual([]);
});

it("errors fail, warnings only with --strict, and a typing mistake is another exit code", async () => {
  expect((await check({ "a.b": { description: "A" } })).code).toBe(1);
  expect((await check({ a: {} })).code).toBe(0);
  expect((await check({ a: {} }, ["--strict"])).code).toBe(1);
  const wrong = await check(GOOD, ["--profile", "cursr"]);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain("cursor");
  expect((await check(GOOD, ["--budget", "many"])).code).toBe(2);
});

it("a budget is kept for the list, for a tool and for instructions, and --update remembers it", async () => {
  const cwd = folder();
  const over = await check(GOOD, ["--budget", "10", "--budget", "tool=5"], { cwd });
  expect(over.code).toBe(1);
  expect(over.stdout).toMatch(/budget {4}tools\/list: \d+ of 10 tokens\nbudget {4}tool book: \d+ of 5 tokens/);
  expect((await check(GOOD, ["--budget", "4000", "--update"], { cwd })).code).toBe(0);
  expect((await check(GOOD, [], { cwd })).stdout).toContain("of 4,000 tokens");
  expect((await check(GOOD, ["--budget", "list=10"], { cwd })).code).toBe(1);
});

it.each<[what: string, tools: Readonly<Record<string, ToolOptions>>, verdict: string, next: string, line: string]>([
  [
    "an argument is required now",
    { ...GOOD, book: { ...GOOD["book"], input: { type: "object", properties, required: ["at", "seats"] } } },
    "breaking",
    "2.0.0",
    "breaking  `seats` of book is required now",
  ],
  ["a tool is gone", { book: GOOD["book"]! }, "breaking", "2.0.0", "breaking  cancel is gone"],
  ["a tool is new", { ...GOOD, pay: { description: "Pay" } }, "feature", "1.3.0", "feature   pay is new"],
  [
    "a text differs",
    { ...GOOD, cancel: { ...GOOD["cancel"], description: "Cancel it" } },
    "fix",
    "1.2.4",
    "fix       cancel: description changed",
  ],
])("mcp.lock: %s", async (_what, tools, verdict, next, line) => {
  const cwd = folder();
  await check(GOOD, ["--update"], { cwd });
  expect(JSON.parse(readFileSync(join(cwd, "mcp.lock"), "utf8"))).toMatchObject({ lockVersion: 1 });
  expect((await check(GOOD, [], { cwd })).stdout).toContain("Nothing differs from mcp.lock.");
  const changed = await check(tools, [], { cwd });
  expect(changed.stdout).toContain(line);
  expect(changed.stdout).toContain(`next: ${next}`);
  expect(changed.code).toBe(verdict === "breaking" ? 1 : 0);
  const { contract } = JSON.parse((await check(tools, ["--json"], { cwd })).stdout) as Report;
  expect(contract).toMatchObject({ verdict, next });
  expect((await check(tools, [], { cwd, version: next })).code).toBe(0); // the version says it
  expect((await check(tools, ["--update"], { cwd })).code).toBe(0);
  expect((await check(tools, [], { cwd })).stdout).toContain("Nothing differs");
});

it("before 1.0.0 a break raises the second number", async () => {
  const cwd = folder();
  await check(GOOD, ["--update"], { cwd, version: "0.3.1" });
  expect((await check({ book: GOOD["book"]! }, [], { cwd, version: "0.3.1" })).stdout).toContain("next: 0.4.0");
});

it.each([
  "{}",
  '{"lockVersion":1,"definition":{}}',
  '{"lockVersion":1,"definition":{"capabilities":{},"tools":[{}],"prompts":[],"resources":[],"resourceTemplates":[]}}',
])("a lock file that is something else is refused, and written anew by --update: %s", async (content) => {
  const cwd = folder();
  writeFileSync(join(cwd, "mcp.lock"), content);
  const refused = await check(GOOD, [], { cwd });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("--update");
  expect((await check(GOOD, ["--update"], { cwd })).code).toBe(0);
});

it("SARIF names each rule, and each finding with its place", async () => {
  const cwd = folder();
  await check({ "a.b": { description: "A" } }, ["--sarif", "out.sarif"], { cwd });
  const sarif = JSON.parse(readFileSync(join(cwd, "out.sarif"), "utf8")) as {
    version: string;
    runs: { tool: { driver: { rules: { id: string }[] } }; results: object[] }[];
  };
  expect(sarif.version).toBe("2.1.0");
  expect(sarif.runs[0]?.tool.driver.rules.map(({ id }) => id)).toContain("root-union");
  expect(sarif.runs[0]?.results).toMatchObject([
    { ruleId: "tool-name", level: "error", locations: [{ logicalLocations: [{ name: "tool a.b" }] }] },
  ]);
});

it("--explain says why a rule is there, and what to do", async () => {
  const one = await runCommand(["check", "--explain", "root-union"]);
  expect(one.stdout).toContain("claude-code#95504");
  const all = await runCommand(["check", "--explain"]);
  expect(all.stdout.match(/^\S+ \((?:error|warning)\): /gm)?.length).toBeGreaterThan(10);
  for (const own of ["budget", "contract"])
    expect(await runCommand(["check", "--explain", own])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("--update") as string,
    });
  expect((await runCommand(["check", "--explain", "root-onion"])).stderr).toContain("root-union");
});

it("--fix changes the server's file where one change mends a finding", async () => {
  const cwd = folder();
  const source = `import { McpServer } from "tenon/server";
export const server = new McpServer({ name: "tables", version: "1.0.0" });
server.tool("book.table", { description: "Book\u200B a table" }, () => "");
`;
  write(cwd, { "package.json": { type: "module" }, "server.mjs": source });
  linkPackages(cwd, "tenon");
  const { code, stdout } = await runCommand(["check", "server.mjs", "--fix"], { cwd });
  expect(stdout).toContain("fixed     tool book.table");
  expect(code).toBe(0);
  const mended = readFileSync(join(cwd, "server.mjs"), "utf8");
  expect(mended).toBe(source.replace("book.table", "book_table").replace("\u200B", ""));
  expect(existsSync(join(cwd, "mcp.lock"))).toBe(false);
  expect((await runCommand(["check", "server.mjs"], { cwd })).stdout).not.toContain("error");
});
