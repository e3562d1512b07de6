/**
 * `tenon record`: a session with a server becomes a file, and the file a server, on
 * every revision, on stdio and over HTTP. Needs a build.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { SUPPORTED_PROTOCOL_VERSIONS, type ProtocolVersion } from "tenon";
import { connect, type Client, type ConnectOptions } from "tenon/client";
import type { EndpointAuth } from "tenon/auth";
import { tasks } from "tenon/ext/tasks";
import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";
import { linkPackages, outsideFolder, write } from "../cli/packed.ts";
import { runCommand } from "../cli/run-command.ts";
import { MAIN, startCommand } from "../cli/start-command.ts";

vi.setConfig({ testTimeout: 100_000 });

const SERVER = `import { McpServer } from "tenon/server";
export const server = new McpServer({ name: "tables", version: "1.2.3" }, { instructions: "Be kind." });
let calls = 0;
server.tool("count", { description: "Counts" }, () => String(++calls));
const place = { type: "object", properties: { at: { type: "string" } } };
server.tool("find", { description: "Finds", input: place, annotations: { readOnlyHint: true } }, ({ at }) => "Table at " + at);
server.tool("login", { input: { type: "object", properties: { password: { type: "string" } } } }, () => "in");
server.tool("ask", {}, async (_, ctx) => {
  const schema = { type: "object", properties: { seats: { type: "integer" } } };
  const { content } = await ctx.elicit("seats", { message: "Seats?", schema });
  return "For " + content?.seats;
});
server.resource("note://today", { mimeType: "text/plain" }, () => "Buy milk");
const person = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
server.prompt("greet", { input: person }, ({ name }) => "Greet " + name);
`;

function folder(): string {
  const { path, remove } = outsideFolder();
  onTestFinished(remove);
  write(path, { "package.json": { type: "module" }, "server.mjs": SERVER });
  linkPackages(path, "tenon");
  return path;
}

const asked: ConnectOptions = { onElicit: () => ({ action: "accept", content: { seats: 2 } }) };

/** A client of a command. */
async function over(args: readonly string[], cwd: string, options: ConnectOptions = {}): Promise<Client> {
  const client = await connect({ command: process.execPath, args: [MAIN, ...args], cwd, stderr: "ignore" }, options);
  onTestFinished(() => client.close());
  return client;
}

/** Uses the server as a host would. */
async function session(client: Client): Promise<readonly unknown[]> {
  const tools = (await client.listTools()).tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  const resources = (await client.listResources()).resources.map(({ uri }) => uri);
  const prompts = (await client.listPrompts()).prompts.map(({ name }) => name);
  const said = [
    (await client.callTool("count")).text,
    (await client.callTool("count")).text,
    (await client.callTool("find", { at: "19:00" })).text,
    (await client.callTool("ask")).text,
    (await client.readResource("note://today")).contents,
    (await client.getPrompt("greet", { name: "Ada" })).messages,
  ];
  return [client.serverInfo, client.instructions, tools, resources, prompts, ...said];
}

it.each(SUPPORTED_PROTOCOL_VERSIONS)(
  "a session on stdio of %s is recorded, and the file says the same on every revision",
  async (revision) => {
    const cwd = folder();
    const original = await over(["record", "-o", "tables.json", "--", process.execPath, MAIN, "run", "server.mjs"], cwd, {
      ...asked,
      revision,
    });
    if (revision < "2025-06-18") return recordsWithoutQuestions(original, cwd);
    const before = await session(original);
    await original.close();
    await expect.poll(() => stepsIn(cwd)).toBe(6);
    for (const again of SUPPORTED_PROTOCOL_VERSIONS.filter((one) => one >= "2025-06-18")) {
      const client = await over(["record", "--serve", "tables.json"], cwd, { ...asked, revision: again });
      expect(await session(client)).toEqual(before);
      await client.close();
    }
  },
);

function stepsIn(cwd: string, name = "tables.json"): number {
  try {
    return (JSON.parse(readFileSync(join(cwd, name), "utf8")) as { steps: unknown[] }).steps.length;
  } catch {
    return 0; // it is being written
  }
}

/** Older revisions have no forms. */
async function recordsWithoutQuestions(original: Client, cwd: string): Promise<void> {
  await original.listTools();
  const { text } = await original.callTool("find", { at: "1" });
  await original.close();
  await expect.poll(() => stepsIn(cwd)).toBe(1);
  const client = await over(["record", "--serve", "tables.json"], cwd, {
    revision: original.protocolVersion as ProtocolVersion, // one of those that are tested
  });
  expect((await client.callTool("find", { at: "1" })).text).toBe(text);
}

/** Runs a command that serves until it is interrupted, and gives its URL. */
async function served(args: readonly string[], cwd: string): Promise<{ url: string; stop: () => Promise<void> }> {
  let stop = (): void => undefined;
  let resolveUrl: (url: string) => void;
  const url = new Promise<string>((resolve) => (resolveUrl = resolve));
  const ended = runCommand(args, {
    cwd,
    onStderr: (text, kill) => {
      stop = () => kill("SIGINT");
      const [found] = /http:\/\/127\.0\.0\.1:\d+\/\S*[^\s.,]/.exec(text) ?? [];
      if (found !== undefined) resolveUrl(found);
    },
  });
  let stopped: Promise<void> | undefined;
  const once = (): Promise<void> =>
    (stopped ??= (async () => {
      stop();
      await ended;
    })());
  onTestFinished(once);
  return { url: await Promise.race([url, ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]), stop: once };
}

it.each<ProtocolVersion>(["2025-06-18", "2025-11-25", "2026-07-28"])(
  "a session over HTTP of %s is recorded, with its questions, and served over HTTP",
  async (revision) => {
    const cwd = folder();
    const { server } = (await import(join(cwd, "server.mjs"))) as { server: McpServer };
    await using http = await serveHttp(server, { port: 0 });
    const recorder = await served(["record", http.url, "-o", "tables.json", "--port", "0"], cwd);
    const original = await connect(recorder.url, { ...asked, revision });
    const before = await session(original);
    await original.close();
    await recorder.stop();
    const mock = await served(["record", "--serve", "tables.json", "--http", "--port", "0"], cwd);
    for (const again of ["2025-06-18", "2026-07-28"] as const) {
      await using client = await connect(mock.url, { ...asked, revision: again });
      const [info, ...rest] = await session(client);
      expect(info).toEqual(before[0]);
      if (again === "2025-06-18") expect(rest).toEqual(before.slice(1));
      expect((await client.callTool("count")).text).toBe(before[6]); // the last one stays
    }
  },
);

const JOBS = `import { tasks } from "tenon/ext/tasks";
import { ToolError } from "tenon";
import { McpServer } from "tenon/server";
export const server = new McpServer({ name: "jobs", version: "1.0.0" }, { extensions: [tasks({ pollInterval: 20 })] });
server.tool("copy", {}, async (_, ctx) => {
  for (let file = 1; file <= 3; file++) await ctx.progress(file, 3, "File " + file);
  return "copied";
});
const input = { type: "object", properties: { pages: { type: "integer" } } };
server.tool("print", { task: true, input }, async ({ pages }, ctx) => {
  await ctx.progress(1, pages);
  if (pages === 0) throw new ToolError("out of paper");
  return pages + " pages";
});
`;

it.each(["2025-11-25", "2026-07-28"] as const)(
  "progress and the results of tasks on %s are recorded, and served on every revision",
  async (revision) => {
    const cwd = folder();
    write(cwd, { "jobs.mjs": JOBS });
    const use = async (client: Client): Promise<readonly unknown[]> => {
      const heard: unknown[] = [];
      const copied = await client.callTool("copy", {}, { onProgress: (progress) => void heard.push(progress) });
      const [printed, failed] = [await client.callTool("print", { pages: 2 }), await client.callTool("print", { pages: 0 })];
      return [copied.text, heard, printed.text, failed.text, failed.isError];
    };
    const args = ["record", "-o", "jobs.json", "--", process.execPath, MAIN, "run", "jobs.mjs"];
    const original = await over(args, cwd, { revision, extensions: [tasks()] });
    const before = await use(original);
    expect(before).toMatchObject([
      "copied",
      [{ progress: 1 }, { progress: 2 }, { progress: 3, total: 3 }],
      "2 pages",
      "out of paper",
      true,
    ]);
    await original.close();
    await expect.poll(() => stepsIn(cwd, "jobs.json")).toBe(3);
    for (const again of SUPPORTED_PROTOCOL_VERSIONS) {
      const client = await over(["record", "--serve", "jobs.json"], cwd, { revision: again, extensions: [tasks()] });
      const heard = before[1] as { message?: string }[];
      // Progress has messages since 2025-03-26.
      const shown = again < "2025-03-26" ? heard.map((each) => ({ ...each, message: undefined })) : heard;
      expect(await use(client)).toEqual([before[0], shown, ...before.slice(2)]);
      await client.close();
    }
  },
);

it("a call that was not recorded says what was, and a secret is in no file", async () => {
  const cwd = folder();
  const original = await over(["record", "-o", "tables.json", "server.mjs"], cwd);
  await original.callTool("login", { password: "hunter2hunter2" });
  await original.callTool("find", { at: "19:00" });
  await expect(original.callTool("nothing")).rejects.toThrow(/nothing/);
  await expect(original.request("constructor", {})).rejects.toThrow("Method not found"); // a name that each object has
  await original.close();
  await expect.poll(() => stepsIn(cwd)).toBe(3);
  expect(readFileSync(join(cwd, "tables.json"), "utf8")).not.toContain("hunter2");
  const client = await over(["record", "--serve", "tables.json"], cwd);
  const other = await client.callTool("find", { at: "20:00" });
  expect(other.isError).toBe(true);
  expect(other.text).toContain('The recording has no call of find with these arguments. It has: {"at":"19:00"}');
  await expect(client.callTool("nothing")).rejects.toThrow(/nothing/);
});

it("a server that sends no messages of the protocol ends no recording", async () => {
  const cwd = folder();
  const said = [
    '{"jsonrpc":"2.0","method":1}',
    '{"jsonrpc":"2.0","method":"notifications/progress","params":5}',
    '{"jsonrpc":"2.0","id":{}}',
    "[[]]",
  ];
  write(cwd, { "odd.mjs": `for (const line of ${JSON.stringify(said)}) console.log(line);` });
  const { code, stdout } = await startCommand(["record", "-o", "odd.json", "--", process.execPath, "odd.mjs"], { cwd });
  expect({ code, lines: stdout.trim().split("\n") }).toEqual({ code: 0, lines: said });
  expect(stepsIn(cwd, "odd.json")).toBe(0);
});

it("what a server repeats of the headers and variables that it was given is in no file", async () => {
  const cwd = folder();
  const given = { header: "opaque-1f8e7d6c5b4a", variable: "v4r-of-the-user-77" };
  const server = new McpServer({ name: "echo", version: "1.0.0" });
  server.tool("repeat", {}, (_input, ctx) => `You sent ${String(ctx.auth?.claims["given"])}`);
  const auth: EndpointAuth = {
    insufficientScope: () => ({ status: 403, headers: [], message: "no" }),
    authorize: (request) => ({
      auth: { issuer: "https://id.example", subject: "ada", scopes: [], claims: { given: request.header("x-tenant") } },
      principal: "ada",
      until: Infinity,
    }),
  };
  await using http = await serveHttp(server, { port: 0, auth });
  const recorder = await served(
    ["record", http.url, "-o", "tables.json", "--port", "0", "--header", `X-Tenant: ${given.header}`],
    cwd,
  );
  const client = await connect(recorder.url);
  expect((await client.callTool("repeat")).text).toContain(given.header);
  await client.close();
  await recorder.stop();
  expect(stepsIn(cwd)).toBe(1);
  expect(readFileSync(join(cwd, "tables.json"), "utf8")).not.toContain(given.header);

  write(cwd, { "repeat.mjs": REPEATS });
  const local = await over(["record", "-o", "local.json", "--env", `MINE=${given.variable}`, "repeat.mjs"], cwd);
  expect((await local.callTool("repeat")).text).toContain(given.variable);
  await local.close();
  await expect.poll(() => readFileSync(join(cwd, "local.json"), "utf8")).toContain("You have");
  expect(readFileSync(join(cwd, "local.json"), "utf8")).not.toContain(given.variable);
});

const REPEATS = `import { McpServer } from "tenon/server";
export const server = new McpServer({ name: "repeats", version: "1.0.0" });
server.tool("repeat", {}, () => "You have " + process.env.MINE);
`;

const RECORDED = JSON.stringify({
  recording: 1,
  revision: "2025-11-25",
  server: { name: "tables", version: "1.0.0" },
  capabilities: { tools: {} },
  lists: { tools: [{ name: "find", inputSchema: { type: "object" } }], resources: [], resourceTemplates: [], prompts: [] },
  steps: [{ op: "call", name: "find", params: {}, answers: [], result: { content: [{ type: "text", text: "x".repeat(200) }] } }],
});

async function outcomesOf(client: Client, calls: number): Promise<readonly string[]> {
  const all: string[] = [];
  for (let n = 0; n < calls; n++)
    all.push(
      await client.callTool("find", {}, { timeout: 1_500 }).then(
        ({ content }) => (Array.isArray(content) ? "right" : "wrong"),
        (error: unknown) => (error as Error).constructor.name,
      ),
    );
  return all;
}

it.each(["2025-06-18", "2026-07-28"] as const)(
  "over HTTP of %s each fault reaches the client, and lists stay whole",
  async (revision) => {
    const cwd = folder();
    writeFileSync(join(cwd, "r.json"), RECORDED);
    for (const fault of ["late=100ms", "cut", "wrong", "closed"]) {
      const mock = await served(["record", "--serve", "r.json", "--http", "--port", "0", "--faults", fault, "--seed", "1"], cwd);
      await using client = await connect(mock.url, { revision, validateOutput: false });
      expect((await client.listTools()).tools).toHaveLength(1);
      const [outcome] = await outcomesOf(client, 1);
      if (fault.startsWith("late")) expect(outcome).toBe("right");
      else expect(outcome).not.toBe("right");
      await mock.stop();
    }
  },
);

it("on stdio a cut line is no message, a closed connection ends the program, and a late result comes", async () => {
  const cwd = folder();
  writeFileSync(join(cwd, "r.json"), RECORDED);
  const serve = (fault: string): Promise<Client> =>
    over(["record", "--serve", "r.json", "--faults", fault, "--seed", "1"], cwd, { revision: "2025-11-25" });
  expect(await outcomesOf(await serve("late=50ms"), 1)).toEqual(["right"]);
  expect(await outcomesOf(await serve("cut"), 1)).toEqual(["ProtocolViolationError"]);
  const closed = await serve("closed");
  await expect(closed.callTool("find")).rejects.toThrow(/closed/i);
});

it("the same seed gives the same faults, and a rate leaves some calls whole", async () => {
  const cwd = folder();
  writeFileSync(join(cwd, "r.json"), RECORDED);
  const run = async (seed: string): Promise<readonly string[]> => {
    const args = ["record", "--serve", "r.json", "--http", "--port", "0", "--faults", "closed,rate=0.5", "--seed", seed];
    const mock = await served(args, cwd);
    await using client = await connect(mock.url, { revision: "2026-07-28" });
    const outcomes = await outcomesOf(client, 12);
    await mock.stop();
    return outcomes;
  };
  const first = await run("7");
  expect(new Set(first).size).toBeGreaterThan(1);
  expect(first).toContain("right");
  expect(await run("7")).toEqual(first);
  expect(await run("8")).not.toEqual(first);
});

it("the recorder of a URL is for programs of this machine: a page of another origin and another host are refused", async () => {
  const cwd = folder();
  await using http = await serveHttp(new McpServer({ name: "a", version: "1" }), { port: 0 });
  const { url } = await served(["record", http.url, "--port", "0"], cwd);
  const post = (headers: Record<string, string>): Promise<Response> =>
    fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: "{}" });
  expect((await post({ origin: "https://evil.example" })).status).toBe(403);
  expect((await post({})).status).not.toBe(403);
  expect((await fetch(new URL("/other", url))).status).toBe(404);
});

it.each<[args: readonly string[], says: string]>([
  [["record", "--serve", "none.json"], "tenon record -o none.json"],
  [["record", "--serve", "package.json"], "is not a recording"],
  [["record", "--serve", "r.json", "--faults", "slow"], "There are: late"],
  [["record", "--serve", "r.json", "--faults", "late=soon"], "200ms or 2s"],
  [["record", "--serve", "r.json", "--seed", "1"], "--seed goes with --faults"],
  [["record", "server.mjs", "--faults", "cut"], "record first"],
])("a typing mistake says what to do: %j", async (args, says) => {
  const cwd = folder();
  writeFileSync(join(cwd, "r.json"), RECORDED);
  const ended = await runCommand(args, { cwd });
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain(says);
});

it("shows what the recorded program writes to stderr without what it could do to a terminal", async () => {
  const says = String.raw`process.stderr.write("a\u001b[2Jb\u202e\nlast")`;
  const { stderr } = await runCommand(["record", "-o", "r.json", "--", process.execPath, "-e", says], { cwd: folder() });
  expect(stderr).toContain("ab\nlast\n");
  for (const hidden of ["\u001B", "\u202E"]) expect(stderr).not.toContain(hidden);
});
