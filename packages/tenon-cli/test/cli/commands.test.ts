// What the commands answer: list, call, read, prompt, run, help.
import { expect, test, vi } from "vitest";
import { runCommand } from "./run-command.ts";
import { fixture } from "./start-command.ts";

// Several processes a test, on machines that may be busy.
vi.setConfig({ testTimeout: 30_000 });

const sums = fixture("sums.mjs");

test("list shows everything a server offers, on stdout only", async () => {
  const { code, stdout } = await runCommand(["list", sums]);
  expect(stdout).toBe(`sums 1.0.0, revision 2026-07-28

Tools (9)
  add(a: number, b: number)  Add two numbers
  fail()                     Always fails
  hang()
  die()
  steps()
  nasty()                    red
  ask()
  argv()
  env(name?: string)

Resources (2)
  notes://today  today
  bytes://four   four

Prompts (1)
  greet(who)  Greets
`);
  expect(code).toBe(0);
});

test("list --json is one document with what the server sent", async () => {
  const { code, stdout } = await runCommand(["list", sums, "--json", "--revision", "2025-06-18"]);
  const listing = JSON.parse(stdout) as {
    protocolVersion: string;
    serverInfo: object;
    tools: { name: string; description?: string }[];
    prompts: object[];
  };
  expect(listing).toMatchObject({ protocolVersion: "2025-06-18", serverInfo: { name: "sums" }, prompts: [{ name: "greet" }] });
  expect(listing.tools[5]).toMatchObject({ name: "nasty", description: "\u001B[31mred\u001B[0m\u202E" });
  expect(code).toBe(0);
});

test("call types arguments by the tool's schema", async () => {
  expect(await runCommand(["call", sums, "add", "--arg", "a=1", "--arg", "b=2.5"])).toMatchObject({
    code: 0,
    stdout: '{\n  "sum": 3.5\n}\n',
  });
});

test("call --args takes them all as JSON", async () => {
  const { code, stdout } = await runCommand([
    "call",
    sums,
    "add",
    "--args",
    '{"a":1,"b":2}',
    "--json",
    "--revision",
    "2025-11-25",
  ]);
  expect(JSON.parse(stdout)).toEqual({
    content: [{ type: "text", text: '{"sum":3}' }],
    structuredContent: { sum: 3 },
    isError: false,
  });
  expect(code).toBe(0);
});

test("call takes an older version of a tool by its own name", async () => {
  const shop = fixture("versions.mjs");
  expect(await runCommand(["call", shop, "search.v1", "--arg", "q=tea"])).toEqual({ code: 0, stdout: "old: tea\n", stderr: "" });
  expect(await runCommand(["call", shop, "search.v3", "--arg", "q=tea"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Unknown tool "search.v3". Did you mean "search"?') as string,
  });
});

test("call finds a tool that a server with many tools keeps in its search", async () => {
  const office = fixture("searched.mjs");
  expect(await runCommand(["call", office, "delete_memo", "--arg", "id=7"])).toEqual({ code: 0, stdout: "memo 7\n", stderr: "" });
  expect(await runCommand(["call", office, "delete_meme", "--arg", "id=7"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'Unknown tool "delete_meme". "tenon list" shows what is listed; "tenon call … search_tools" finds the others.',
    ) as string,
  });
});

test("progress and log messages go to stderr", async () => {
  const { code, stdout, stderr } = await runCommand(["call", sums, "steps"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "done\n" });
  expect(stderr).toContain("[warning] careful\n");
  expect(stderr).toContain("[==========          ] 1/2 half\n");
});

test("foreign text is cleaned for people, and left alone for machines [R20]", async () => {
  expect((await runCommand(["call", sums, "nasty"])).stdout).toBe("text\n");
  expect(JSON.parse((await runCommand(["call", sums, "nasty", "--json"])).stdout)).toMatchObject({
    content: [{ text: "\u001B]0;title\u0007te\u202Ext" }],
  });
});

test("read shows text, and writes bytes only where -o says", async () => {
  expect(await runCommand(["read", sums, "notes://today"])).toMatchObject({ code: 0, stdout: "Buy milk.\n" });
  expect(await runCommand(["read", sums, "bytes://four", "-o", "-"])).toMatchObject({
    code: 0,
    stdout: "\u0001\u0002\u0003\u0004",
  });
  expect(JSON.parse((await runCommand(["read", sums, "bytes://four", "--json"])).stdout)).toMatchObject({
    contents: [{ blob: "AQIDBA==" }],
  });
});

test("prompt shows messages", async () => {
  expect(await runCommand(["prompt", sums, "greet", "--arg", "who=Ada"])).toMatchObject({
    code: 0,
    stdout: "user: Hello, Ada\n",
  });
});

test("a server in TypeScript, exported as the default", async () => {
  expect(await runCommand(["call", fixture("typed.ts"), "next", "--arg", "n=1"])).toMatchObject({ code: 0, stdout: "2\n" });
});

test("a file that serves by itself", async () => {
  expect(await runCommand(["call", fixture("self-serving.mjs"), "ok"])).toMatchObject({ code: 0, stdout: "ok\n" });
});

test("a command in quotes and a command after -- are started without a shell, with their own arguments [R17]", async () => {
  const node = process.execPath;
  expect(await runCommand(["call", `${node} ${fixture("self-serving.mjs")} "$(touch x)"`, "ok"])).toMatchObject({
    code: 0,
    stdout: "ok\n",
  });
  expect(await runCommand(["call", "ok", "--", node, fixture("self-serving.mjs"), "--json"])).toMatchObject({
    code: 0,
    stdout: "ok\n",
  });
});

test("a file gets the arguments that follow it", async () => {
  expect(await runCommand(["call", "argv", "--", sums, "--flag", "two words"])).toMatchObject({
    code: 0,
    stdout: "--flag two words\n",
  });
});

test("d.6 the server gets no variable but those named with --env", async () => {
  const env = { SECRET: "s3cret" };
  expect(await runCommand(["call", sums, "env", "--arg", "name=SECRET"], { env })).toMatchObject({ stdout: "(not set)\n" });
  expect(await runCommand(["call", sums, "env", "--arg", "name=SECRET", "--env", "SECRET"], { env })).toMatchObject({
    stdout: "s3cret\n",
  });
  expect(await runCommand(["call", sums, "env", "--arg", "name=OTHER", "--env", "OTHER=a=b"], { env })).toMatchObject({
    stdout: "a=b\n",
  });
});

test("help and version", async () => {
  expect(await runCommand(["--version"])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string,
  });
  const help = await runCommand(["--help"]);
  expect(help).toMatchObject({ code: 0, stderr: "" });
  expect(help.stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  for (const command of ["list", "call", "read", "prompt", "run"]) {
    expect(help.stdout).toContain(`tenon ${command} `);
    expect(await runCommand([command, "--help"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Examples:") as string,
    });
  }
});

test.each(["2025-11-25", "2026-07-28"])("call waits for a tool that runs as a task only, %s [O11 N3]", async (revision) => {
  const { code, stdout } = await runCommand(["call", fixture("tasks.mjs"), "bake", "--revision", revision]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "A cake\n" });
});
