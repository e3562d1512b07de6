/** `tenon eval`: tasks for a model, judged; which calls are made; recordings; comparisons; commands as agents. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";
import { outsideFolder } from "../cli/packed.ts";
import { runCommand } from "../cli/run-command.ts";
import type { Ended } from "../cli/start-command.ts";
import { scriptedApi, type Asked, type Turn } from "./scripted-api.ts";

vi.setConfig({ testTimeout: 60_000 });

function folder(): string {
  const { path, remove } = outsideFolder();
  onTestFinished(remove);
  return path;
}

interface Tables {
  readonly url: string;
  readonly booked: object[];
}

/** A server with a tool that only reads, one that books, and one that breaks. */
async function tables({ describe = "Book a table", fails = false } = {}): Promise<Tables> {
  const booked: object[] = [];
  const server = new McpServer({ name: "tables", version: "1.0.0" }, { instructions: "Be kind." });
  const input = { type: "object", properties: { at: { type: "string" }, seats: { type: "integer" } }, required: ["at"] } as const;
  server.tool("find", { description: "Find tables", input, annotations: { readOnlyHint: true } }, ({ at }) => {
    if (fails) throw new Error("no tables");
    return `Two tables at ${at}`;
  });
  server.tool("book", { description: describe, input }, (args) => {
    booked.push(args);
    return "Booked";
  });
  server.tool("remove", { description: "Remove a table" }, () => "Removed");
  const http = await serveHttp(server, { port: 0 });
  onTestFinished(() => http.close());
  return { url: http.url, booked };
}

interface Report {
  readonly ok: boolean;
  readonly share: number;
  readonly cost?: number;
  readonly stale?: string;
  readonly tokens: object;
  readonly tasks: readonly {
    readonly name: string;
    readonly right: number;
    readonly runs: number;
    readonly stale?: string;
    readonly attempts: readonly {
      readonly faults: readonly string[];
      readonly calls: readonly object[];
      readonly answer: string;
    }[];
  }[];
  readonly tools: readonly { readonly tool: string; readonly instead: object }[];
}

/** Modules are loaded once in a process: each file has a name of its own. */
let files = 0;

function evalsFile(cwd: string, text: string): string {
  const name = `evals-${++files}.mjs`;
  writeFileSync(join(cwd, name), text);
  return name;
}

/** Writes a file of tasks and runs it. */
async function evaluate(
  cwd: string,
  evals: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Ended & { report: Report }> {
  const file = evalsFile(cwd, `export default ${evals};`);
  const ended = await runCommand(["eval", file, ...args, "--json"], { cwd, env });
  if (ended.stdout === "" || ended.stdout.includes('"error":')) throw new Error(`${ended.stdout}${ended.stderr}`);
  return { ...ended, report: JSON.parse(ended.stdout) as Report };
}

const MODEL = ["--model", "openai/gpt-test"];

/** A model that calls `tool` once, and then says what it got. */
const calling =
  (tool: string, args: object = { at: "19:00", seats: 2 }) =>
  ({ calls, results }: Asked): Turn =>
    calls === 0 ? { call: tool, args } : { say: `Done: ${results.join()}` };

const faultsOf = ({ report }: { report: Report }): readonly string[] => report.tasks[0]!.attempts.flatMap(({ faults }) => faults);

it("a task is right if the expected tool is called with the right arguments and the answer has what it must", async () => {
  const { url } = await tables();
  const { env, asked } = await scriptedApi(calling("find"));
  const task =
    '{ name: "look", prompt: "Any table?", expect: { tool: "find", arguments: { seats: 2 } }, ' +
    'forbid: ["remove"], answer: ["two TABLES", /19:0\\d/] }';
  const prices = '{ "openai/gpt-test": { input: 1, output: 10 } }';
  const ended = await evaluate(folder(), `{ tasks: [${task}], prices: ${prices} }`, [url, ...MODEL, "--runs", "2"], env);
  expect(ended.code).toBe(0);
  expect(ended.report).toMatchObject({
    ok: true,
    share: 1,
    tokens: { input: 400, output: 40 },
    cost: 0.0008,
    tasks: [{ name: "look", right: 2, runs: 2 }],
    tools: [{ tool: "find", expected: 2, right: 2, instead: {} }],
  });
  expect(asked[0]).toMatchObject({
    tools: ["find", "book", "remove"],
    instructions: "Be kind.",
    authorization: "Bearer key-secret",
  });
  expect(ended.stdout + ended.stderr).not.toContain("key-secret");
});

it.each<[what: string, task: string, turn: (asked: Asked) => Turn, fault: string]>([
  ["another tool", 'expect: "book"', calling("remove", {}), "book was not called; remove was"],
  ["no tool at all", 'expect: "book"', () => ({ say: "No." }), "book was not called, and nothing else"],
  ["other arguments", 'expect: { tool: "find", arguments: { seats: 4 } }', calling("find"), "seats is 2, and should be 4"],
  [
    "arguments that a function refuses",
    'expect: { tool: "find", arguments: ({ seats }) => seats > 2 }',
    calling("find"),
    "not what the task expects",
  ],
  ["a forbidden tool", 'forbid: ["remove"]', calling("remove", {}), "remove was called, and is forbidden"],
  ["a call where no call is expected", "expect: []", calling("find"), "find was called, and no call was expected"],
  ["an answer without a text", 'answer: "Rome"', () => ({ say: "Paris" }), 'the answer does not have "Rome"'],
  [
    "an answer that a function refuses",
    'answer: (text) => text === "Rome"',
    () => ({ say: "Paris" }),
    "the answer is not what the task expects",
  ],
  ["a tool that does not exist", 'expect: "book"', calling("reserve"), "book was not called; reserve was"],
])("a run is wrong with %s", async (_what, task, turn, fault) => {
  const { url } = await tables();
  const { env } = await scriptedApi(turn);
  const ended = await evaluate(folder(), `{ tasks: [{ name: "t", prompt: "Go", ${task} }] }`, [url, ...MODEL], env);
  expect(ended.code).toBe(1);
  expect(faultsOf(ended).join("; ")).toContain(fault);
});

it("a Standard Schema judges arguments", async () => {
  const { url } = await tables();
  const { env } = await scriptedApi(calling("find"));
  const validate = '(value) => value.seats === 4 ? { value } : { issues: [{ message: "must be 4", path: ["seats"] }] }';
  const schema = `{ "~standard": { version: 1, vendor: "own", validate: ${validate} } }`;
  const ended = await evaluate(
    folder(),
    `{ tasks: [{ name: "t", prompt: "Go", expect: { tool: "find", arguments: ${schema} } }] }`,
    [url, ...MODEL],
    env,
  );
  expect(faultsOf(ended)[0]).toContain("seats must be 4");
});

it("a tool that may change something is called only if the file allows it; else the model gets a text", async () => {
  const { url, booked } = await tables();
  const { env, asked } = await scriptedApi(calling("book"));
  const task = 'tasks: [{ name: "t", prompt: "Book", expect: "book" }]';
  expect((await evaluate(folder(), `{ ${task} }`, [url, ...MODEL], env)).code).toBe(0);
  expect(booked).toEqual([]);
  expect(asked.at(-1)?.results[0]).toContain("the call was not made");
  await evaluate(folder(), `{ ${task}, results: { book: ({ at }) => "Table at " + at } }`, [url, ...MODEL], env);
  expect(booked).toEqual([]);
  expect(asked.at(-1)?.results[0]).toContain("Table at 19:00");
  await evaluate(folder(), `{ ${task}, allow: ["book"] }`, [url, ...MODEL], env);
  await evaluate(folder(), `{ ${task}, allow: "all" }`, [url, ...MODEL], env);
  expect(booked).toEqual([
    { at: "19:00", seats: 2 },
    { at: "19:00", seats: 2 },
  ]);
});

it("the share of runs that must be right is the task's or the file's; the report names what was picked instead", async () => {
  const { url } = await tables();
  let begun = 0;
  const { env } = await scriptedApi(({ calls }) =>
    calls > 0 ? { say: "ok" } : begun++ % 2 === 0 ? { call: "find", args: { at: "1" } } : { call: "remove" },
  );
  const task = '{ name: "t", prompt: "Go", expect: "find" }';
  const run = (evals: string): ReturnType<typeof evaluate> =>
    evaluate(folder(), evals, [url, ...MODEL, "--runs", "4", "--concurrency", "1"], env);
  const half = await run(`{ pass: 0.5, tasks: [${task}] }`);
  expect(half.code).toBe(0);
  expect(half.report).toMatchObject({ share: 0.5, tools: [{ tool: "find", expected: 4, right: 2, instead: { remove: 2 } }] });
  expect((await run(`{ pass: 0.75, tasks: [${task}] }`)).code).toBe(1);
});

it("answers are recorded, and replay without a key: the calls are made again", async () => {
  const cwd = folder();
  const { url } = await tables();
  const { env, asked } = await scriptedApi(calling("find"));
  const evals = '{ tasks: [{ name: "look", prompt: "Any table?", expect: "find", answer: "tables" }] }';
  await evaluate(cwd, evals, [url, ...MODEL, "--record", "answers.json", "--runs", "2"], env);
  const before = asked.length;
  const again = await evaluate(cwd, evals, [url, "--replay", "answers.json"]);
  expect(again.code).toBe(0);
  expect(again.report).toMatchObject({ model: "openai/gpt-test", tasks: [{ right: 2, runs: 2 }] });
  expect(asked).toHaveLength(before);
  const broken = await evaluate(cwd, evals, [(await tables({ fails: true })).url, "--replay", "answers.json"]);
  expect(broken.code).toBe(1);
  expect(faultsOf(broken)[0]).toContain("find fails now, and did not when it was recorded");
});

it.each<[what: string, server: { describe?: string }, evals: string, why: string]>([
  ["a tool differs", { describe: "Reserve" }, '{ tasks: [{ name: "t", prompt: "Go" }] }', "~book"],
  ["a prompt differs", {}, '{ tasks: [{ name: "t", prompt: "Run" }] }', "its prompt differs"],
  ["a task is new", {}, '{ tasks: [{ name: "u", prompt: "Go" }] }', "it was not recorded"],
  ["the instructions differ", {}, '{ system: "Hi", tasks: [{ name: "t", prompt: "Go" }] }', "the instructions differ"],
])("a recording is stale if %s, and says so", async (_what, server, evals, why) => {
  const cwd = folder();
  const { env } = await scriptedApi(() => ({ say: "ok" }));
  await evaluate(cwd, '{ tasks: [{ name: "t", prompt: "Go" }] }', [(await tables()).url, ...MODEL, "--record", "a.json"], env);
  const { code, report } = await evaluate(cwd, evals, [(await tables(server)).url, "--replay", "a.json"]);
  expect(code).toBe(1);
  expect([report.stale, report.tasks[0]?.stale].join()).toContain(why);
  const again = evalsFile(cwd, `export default ${evals};`);
  const { stdout } = await runCommand(["eval", again, (await tables(server)).url, "--replay", "a.json"], { cwd });
  expect(stdout).toContain("Record it again with --record.");
});

it("a recording has no secrets", async () => {
  const cwd = folder();
  const { env } = await scriptedApi(calling("find", { at: "19:00", password: "hunter2hunter2" }));
  await evaluate(cwd, '{ tasks: [{ name: "t", prompt: "Go" }] }', [(await tables()).url, ...MODEL, "--record", "a.json"], env);
  const text = readFileSync(join(cwd, "a.json"), "utf8");
  expect(text).toContain('"tool": "find"');
  expect(text).not.toContain("hunter2");
});

it("two reports are compared: a task that is right less often fails", async () => {
  const cwd = folder();
  const { url } = await tables();
  const evals = '{ tasks: [{ name: "look", prompt: "Any?", expect: "find" }, { name: "talk", prompt: "Hi", expect: [] }] }';
  const good = await scriptedApi(({ prompt, calls }) =>
    prompt === "Any?" && calls === 0 ? { call: "find", args: { at: "1" } } : { say: "ok" },
  );
  const bad = await scriptedApi(() => ({ say: "ok" }));
  await evaluate(cwd, evals, [url, ...MODEL, "-o", "before.json"], good.env);
  await evaluate(cwd, evals, [url, ...MODEL, "-o", "after.json"], bad.env);
  const worse = await runCommand(["eval", "--compare", "before.json", "after.json"], { cwd });
  expect(worse.code).toBe(1);
  expect(worse.stdout).toMatch(/look {2}100 % → 0 % {2}worse\n {2}talk {2}100 %/);
  expect(await runCommand(["eval", "--compare", "after.json", "before.json"], { cwd })).toMatchObject({ code: 0 });
  expect(await runCommand(["eval", "--compare", "after.json"], { cwd })).toMatchObject({ code: 2 });
  writeFileSync(join(cwd, "other.json"), "{}");
  expect((await runCommand(["eval", "--compare", "after.json", "other.json"], { cwd })).stderr).toContain("-o other.json");
});

/** An agent that calls a tool over the configuration that it gets, and says what came back. */
const AGENT = `
import { readFileSync } from "node:fs";
const prompt = readFileSync(0, "utf8");
const [config] = process.argv.slice(2);
const { url } = JSON.parse(readFileSync(config, "utf8")).mcpServers.eval;
const post = async (body) => {
  const accept = "application/json, text/event-stream";
  const headers = { "content-type": "application/json", accept, "mcp-protocol-version": "2025-06-18", ...session };
  const text = await (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) }).then((r) => {
    session["mcp-session-id"] ??= r.headers.get("mcp-session-id");
    return r;
  })).text();
  if (text === "") return undefined;
  return JSON.parse(text.startsWith("{") ? text : text.split("\\n").find((l) => l.startsWith("data: {")).slice(6));
};
const session = {};
const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "a", version: "1" } };
await post({ jsonrpc: "2.0", id: 1, method: "initialize", params });
await post({ jsonrpc: "2.0", method: "notifications/initialized" });
const call = { name: "find", arguments: { at: prompt } };
const { result } = await post({ jsonrpc: "2.0", id: 2, method: "tools/call", params: call });
console.log(result.content[0].text);
`;

it("a command is the agent: its calls are seen at the URL that it gets, and its stdout is the answer", async () => {
  const cwd = folder();
  const { url } = await tables();
  writeFileSync(join(cwd, "agent.mjs"), AGENT);
  const evals =
    '{ tasks: [{ name: "t", prompt: "noon", expect: { tool: "find", arguments: { at: "noon" } }, answer: "tables at noon" }] }';
  const ended = await evaluate(cwd, evals, [url, "--agent", `"${process.execPath}" agent.mjs {config}`]);
  expect(faultsOf(ended)).toEqual([]);
  expect(ended.code).toBe(0);
});

it("the tools of an agent are at a path that only its configuration says", async () => {
  const cwd = folder();
  const { url } = await tables();
  const code = `import { readFileSync } from "node:fs";
    const { url } = JSON.parse(readFileSync(process.argv[2], "utf8")).mcpServers.eval;
    const of = async (at) => (await fetch(at, { method: "POST", body: "{}" })).status;
    console.log(await of(new URL("/mcp", url)), await of(new URL("/", url)), (await of(url)) === 404 ? "lost" : "found");`;
  writeFileSync(join(cwd, "agent.mjs"), code);
  const ended = await evaluate(cwd, '{ tasks: [{ name: "t", prompt: "p", answer: "404 404 found" }] }', [
    url,
    "--agent",
    `"${process.execPath}" agent.mjs {config}`,
  ]);
  expect(faultsOf(ended)).toEqual([]);
});

it("an agent that writes a trace is judged by it, and one that fails or hangs is wrong", async () => {
  const cwd = folder();
  const { url } = await tables();
  const trace =
    'console.log(JSON.stringify({ tool: "book", arguments: { at: "1" } })); ' +
    'console.log(JSON.stringify({ answer: "ok", tokens: { input: 5, output: 1 } }))';
  const run = (code: string, evals: string): ReturnType<typeof evaluate> => {
    writeFileSync(join(cwd, "agent.mjs"), code);
    return evaluate(cwd, evals, [url, "--agent", `"${process.execPath}" agent.mjs`]);
  };
  const right = await run(trace, '{ tasks: [{ name: "t", prompt: "p", expect: "book", answer: "ok" }] }');
  expect(faultsOf(right)).toEqual([]);
  expect(right.report.tokens).toEqual({ input: 5, output: 1 });
  const failed = await run('console.error("no key"); process.exit(3)', '{ tasks: [{ name: "t", prompt: "p" }] }');
  expect(faultsOf(failed)).toEqual(["the command ended with 3: no key"]);
  const hung = await run("setInterval(() => {}, 1000)", '{ timeout: 500, tasks: [{ name: "t", prompt: "p" }] }');
  expect(faultsOf(hung)).toEqual(["the command did not end within 500 ms (timeout)"]);
});

it("all servers of a configuration are offered, and tools are named with or without their server", async () => {
  const cwd = folder();
  const { url } = await tables();
  writeFileSync(join(cwd, "mcp.json"), JSON.stringify({ mcpServers: { a: { type: "http", url }, b: { type: "http", url } } }));
  const { env, asked } = await scriptedApi(calling("b__find"));
  const evals = '{ tasks: [{ name: "t", prompt: "p", expect: "find" }, { name: "u", prompt: "p", expect: "b__find" }] }';
  const ended = await evaluate(cwd, evals, ["--config", "mcp.json", "--yes", ...MODEL], { ...env, HOME: cwd });
  expect(ended.code).toBe(0);
  expect(asked[0]?.tools).toContain("a__book");
});

it("a definition in the file is served in this process, and a model of the file is opened only when it is asked", async () => {
  const cwd = folder();
  const made = `(() => {
    const accept = (dispatcher) => dispatcher.run(async ({ method, params }) => {
      const { protocolVersion } = params ?? {};
      const serverInfo = { name: "own", version: "1" };
      if (method === "initialize") return { protocolVersion, capabilities: { tools: {} }, serverInfo };
      if (method === "tools/list") return { tools: [{ name: "ping", inputSchema: { type: "object" } }] };
      throw Object.assign(new Error("no"), { code: -32601 });
    }, () => {});
    return { accept };
  })()`;
  const evals =
    `{ server: ${made}, model: "own", models: { own: () => { throw new Error("opened"); } }, ` +
    'tasks: [{ name: "t", prompt: "p" }] }';
  writeFileSync(join(cwd, "evals.mjs"), `export default ${evals};`);
  expect((await runCommand(["eval"], { cwd })).stderr + (await runCommand(["eval"], { cwd })).stdout).toContain("opened");
});

it.each<[args: readonly string[], says: string]>([
  [["eval", "none.mjs"], "No such file: none.mjs"],
  [["eval", "evals.mjs"], "The server is missing"],
  [["eval", "evals.mjs", "http://127.0.0.1:9/mcp", "--runs", "0", ...MODEL], "--runs must be"],
  [["eval", "evals.mjs", "x", "--agent", "a", "--model", "b"], "exclude each other"],
  [["eval", "evals.mjs", "x", "--replay", "none.json"], "Record it first"],
  [["eval", "evals.mjs", "x", "--only", "zebra"], "It has: t."],
])("a typing mistake says what to do: %j", async (args, says) => {
  const cwd = folder();
  writeFileSync(join(cwd, "evals.mjs"), 'export default { tasks: [{ name: "t", prompt: "p" }] };');
  const ended = await runCommand(args, { cwd });
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain(says);
});

it("a file that is wrong says what is, and a server that is not there is another exit code", async () => {
  const cwd = folder();
  const run = async (text: string, ...args: readonly string[]): Promise<Ended> => {
    return runCommand(["eval", evalsFile(cwd, text), ...args], { cwd });
  };
  expect((await run("export const a = 1;", "x")).stderr).toContain("no default export");
  expect((await run("export default { tasks: [] };", "x")).stderr).toContain('"tasks"');
  expect((await run('export default { tasks: [{ name: "t", prompt: "p", expects: "a" }] };', "x")).stderr).toContain('"expect"');
  const task = 'export default { tasks: [{ name: "t", prompt: "p" }] };';
  expect((await run(task, "http://127.0.0.1:9/mcp", ...MODEL)).code).toBe(3);
  expect((await run(task, (await tables()).url)).stderr).toContain("No model is named");
});
