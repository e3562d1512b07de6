// How the commands fail: messages that say what to do next, one JSON document for machines, and the exit codes.
import { expect, test, vi } from "vitest";
import { runCommand } from "./run-command.ts";
import { fixture, startCommand } from "./start-command.ts";

// Several processes a test, on machines that may be busy.
vi.setConfig({ testTimeout: 30_000 });

const sums = fixture("sums.mjs");

interface Failure {
  error: { code: number; message: string; data?: unknown };
}

test.each([
  ["no command", [], "tenon list <server>"],
  ["an unknown command", ["lsit"], 'Unknown command "lsit". Did you mean "list"?'],
  ["no server", ["list"], "The server is missing."],
  ["no tool", ["call", sums], "The tool is missing."],
  [
    "a word too many",
    ["list", "npx", "server"],
    '"server" is one word too many. A command of several words belongs in quotes or after --.',
  ],
  ["an option of the server's command", ["list", "npx", "-y"], "belong after -- or inside its quotes"],
  ["an option of another command", ["list", sums, "--arg", "a=1"], "This command takes no --arg."],
  ["a file that is not there", ["list", "./nowhere.ts"], "No such file: ./nowhere.ts."],
  ["a folder", ["list", "./"], "./ is a folder."],
  ["a file that is no program", ["list", fixture("../../../LICENSE")], "neither JavaScript, TypeScript nor a program"],
  ["a URL that is none", ["list", "http://:x/"], "is no URL"],
  ["a header that is none", ["list", "http://127.0.0.1:9/mcp", "--header", "nonsense"], "is not a header"],
  ["a port that is none", ["run", sums, "--http", "--port", "web"], "--port must be a number from 0 to 65535"],
  ["a port without HTTP", ["run", sums, "--port", "1"], "--port goes with --http."],
  ["two ways to serve", ["run", sums, "--http", "--stdio"], "cannot both be served"],
  ["an open quote", ["list", 'node "x'], "a quote that is not closed"],
  [
    "a time to start for a URL",
    ["list", "http://127.0.0.1:1/mcp", "--start-timeout", "5"],
    "--start-timeout is for a server that is started here",
  ],
  ["a timeout that is none", ["list", sums, "--timeout", "soon"], "--timeout must be a whole number of milliseconds"],
  ["an unknown revision", ["list", sums, "--revision", "2024-01-01"], "Unknown revision"],
  ["a variable that is not set", ["list", sums, "--env", "NOT_SET_HERE"], "--env NOT_SET_HERE has no value"],
  ["an unknown tool", ["call", sums, "ad"], 'Unknown tool "ad". Did you mean "add"?'],
  ["a bad argument", ["call", sums, "add", "--arg", "a=one"], 'Argument "a" must be number, not "one".'],
  ["a missing argument", ["call", sums, "add", "--arg", "a=1"], 'Argument "b" is missing (number)'],
  ["a server without resources", ["read", fixture("tasks.mjs"), "a://b"], "This server has no resources."],
  ["a server without prompts", ["prompt", fixture("tasks.mjs"), "greet"], "This server has no prompts."],
  ["an unknown prompt", ["prompt", sums, "greed"], 'Did you mean "greet"?'],
  ["a file to run that is not there", ["run", "nowhere.ts"], "No such file: nowhere.ts."],
])("2: %s", async (_, args, message) => {
  const { code, stdout, stderr } = await runCommand(args);
  expect(stderr).toContain(message);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
});

test.each([
  ["a file to run without a server", "no-server.mjs", "exports no McpServer and does not serve stdio itself"],
  ["a file to run with two servers", "two-servers.mjs", "exports several servers (one, two)"],
])("2: %s", async (_, name, message) => {
  const { code, stdout, stderr } = await startCommand(["run", fixture(name)]);
  expect(stderr).toContain(message);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
});

test.each([
  ["a command that does not exist", ["list", "no-such-command-anywhere"], "No such command: is it installed, and in PATH?"],
  ["a file without a server", ["list", fixture("no-server.mjs")], "exports no McpServer and does not serve stdio itself"],
  ["a server that dies at once", ["list", "--", process.execPath, "-e", "process.exit(7)"], "it ended at once, with code 7"],
  [
    "a server that says nothing",
    ["list", "--timeout", "300", "--", process.execPath, "-e", "process.stdin.resume()"],
    "it says nothing: no response within 300 ms",
  ],
  [
    "a server that says nothing, with a time to start: it is added, and the fallback is shown",
    ["list", "--start-timeout", "200", "--timeout", "600", "--", process.execPath, "-e", "process.stdin.resume()"],
    'nothing to its stdout within 200 ms (option "timeouts.start")',
  ],
])("3: %s", async (_, args, message) => {
  const { code, stdout, stderr } = await runCommand(args);
  expect(stderr).toContain(message);
  expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
});

test("3: a file that cannot be served gets its own reason, without a word about variables", async () => {
  const { stderr } = await runCommand(["list", fixture("no-server.mjs")]);
  expect(stderr).toContain("Add: export const server = new McpServer(…)");
  expect(stderr).not.toContain("--env");
});

test("3: what the server said before it died is shown once, and is part of the JSON", async () => {
  const args = ["--json", "--", process.execPath, "-e", "console.error('no database'); process.exit(1)"];
  const { code, stdout, stderr } = await runCommand(["list", ...args]);
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: -32000, data: { stderr: "no database\n" } } });
  expect(stderr.match(/no database/g)).toHaveLength(1);
  expect(code).toBe(3);
});

test("1: a tool that fails is reported on stderr; its result is the JSON", async () => {
  expect(await runCommand(["call", sums, "fail"])).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("The tool failed: Out of paper.") as string,
  });
  const { code, stdout } = await runCommand(["call", sums, "fail", "--json", "--revision", "2025-11-25"]);
  expect(JSON.parse(stdout)).toEqual({ content: [{ type: "text", text: "Out of paper." }], isError: true });
  expect(code).toBe(1);
});

test.each([
  ["an error of the server", ["read", sums, "notes://nowhere"], -32602],
  ["a server that dies in a call", ["call", sums, "die"], -32000],
  ["a call that takes too long", ["call", sums, "hang", "--start-timeout", "60000", "--timeout", "700"], -32001],
])("1: %s", async (_, args, errorCode) => {
  const { code, stdout } = await runCommand([...args, "--json"]);
  expect((JSON.parse(stdout) as Failure).error.code).toBe(errorCode);
  expect(code).toBe(1);
});

test("1: a tool that asks for input, which no one can give here, has a result that says so", async () => {
  const { code, stdout } = await runCommand(["call", sums, "ask", "--revision", "2025-11-25", "--json"]);
  const text = expect.stringContaining("The user could not be asked: ") as string;
  expect(JSON.parse(stdout)).toEqual({ content: [{ type: "text", text }], isError: true });
  expect(code).toBe(1);
});

test("1: a file that fails while it loads is shown with its stack", async () => {
  const { code, stderr } = await startCommand(["run", fixture("broken.mjs")]);
  expect(stderr).toMatch(/TypeError: no configuration\n +at .*broken\.mjs:2/);
  expect(code).toBe(1);
});

test("2: --json has the error of what was typed, too", async () => {
  const { code, stdout } = await runCommand(["call", sums, "nope", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({
    error: { code: -32602, message: expect.stringContaining('Unknown tool "nope"') as string },
  });
  expect(code).toBe(2);
});
