// What people type and write by mistake, and what the command makes of it: named, with what to type instead, and at once.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { runCommand } from "./run-command.ts";
import { fixture, MAIN, startCommand } from "./start-command.ts";

// Several processes a test, on machines that may be busy.
vi.setConfig({ testTimeout: 30_000 });

const sums = fixture("sums.mjs");
const folder = mkdtempSync(join(tmpdir(), "tenon-mistakes-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A file with that text. */
function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

mkdirSync(join(folder, "src"));
file("server.mjs", "");

test.each([
  ["an option before the command", ["--json", "list", sums], "Options come after the command: tenon list --json"],
  ["an option misspelt", ["list", sums, "--jsn"], 'Unknown option "--jsn". Did you mean "--json"?'],
  ["an option nobody has", ["list", sums, "--verbose"], "belong after -- or inside its quotes"],
  ["an option without its value", ["list", sums, "--timeout"], "--timeout needs a value."],
  [
    "a value that looks like an option",
    ["list", sums, "--timeout", "-5"],
    "--timeout needs a value. One that begins with a dash is written --timeout=-5.",
  ],
  ["a value where there is none", ["list", sums, "--json=yes"], "--json takes no value."],
  ["arguments without --arg", ["call", sums, "add", "a=1", "b=2"], "Arguments are written with --arg: --arg a=1 --arg b=2"],
  ["no tool, with where to see them", ["call", sums], `The tool is missing. See what there is: tenon list ${sums}`],
  ["a header for a program", ["list", sums, "--header", "X: y"], "--header is for a server that is a URL"],
  ["a variable for a URL", ["list", "http://127.0.0.1:9/mcp", "--env", "A=b"], "--env is for a server that is started here"],
  ["an argument of one letter", ["call", sums, "add", "--arg", "z=1"], 'Unknown argument "z". It takes a, b.'],
  ["a folder", ["list", join(folder, "src")], "is a folder. Give the file in it that exports an McpServer"],
  ["a URL without its scheme", ["list", "localhost:3000/mcp"], "is no URL. Did you mean http://localhost:3000/mcp?"],
  ["an address without its scheme", ["list", "127.0.0.1:3000"], "is no URL. Did you mean http://127.0.0.1:3000?"],
  ["a host without its scheme", ["list", "mcp.example.com/mcp"], "is no URL. Did you mean https://mcp.example.com/mcp?"],
  ["an option of no command, where no server is named", ["init", "sums", "-y"], 'Unknown option "-y".\nSee: tenon init --help'],
  ["another scheme", ["list", "ftp://example.com/mcp"], "ftp:// is no URL of a server: it must begin with http:// or https://"],
  [
    "a password in the URL",
    ["list", "http://me:secret@127.0.0.1:9/mcp"],
    "must not contain a user name or password: use --header",
  ],
])("2: %s", async (_, args, message) => {
  const { code, stdout, stderr } = await runCommand(args);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain("secret");
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
});

test("a file without its ending is found for the user, if no such command exists", async () => {
  const { code, stderr } = await runCommand(["list", "server"], { cwd: folder });
  expect(stderr).toContain("No such command: is it installed, and in PATH? Did you mean server.mjs?");
  expect(code).toBe(3);
});

const LISTENING = `import { createServer } from "node:http";
await new Promise((resolve) => createServer().listen(0, "127.0.0.1", resolve));`;

test.each([
  ["over HTTP", ["--http", "--port", "0"]],
  ["on stdio", ["--stdio"]],
])("a file that listens itself, and is to be served %s, is distinguished from one without a server", async (_, options) => {
  const path = file("listens.mjs", LISTENING);
  const { code, stderr } = await startCommand(["run", path, ...options]);
  expect(stderr).toContain(
    "listens.mjs listens on a port itself. Start it with node instead, and give its URL in place of the file",
  );
  expect(stderr).toContain("or let it export its server, and leave serveHttp() out: export const server = new McpServer(…)");
  expect(code).toBe(2);
});

test("a port of a page that is taken is named, with the option that chooses another one", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void other.close());
  await once(other, "listening");
  const { port } = other.address() as AddressInfo; // it listens on a port
  const taken = `Port ${port} is taken by another program, often by an earlier tenon that still runs: give another one with`;
  const dev = ["dev", sums, "--http", "--port", "0", "--ui-port", String(port), "--json"];
  const [inspect, json] = await Promise.all([
    runCommand(["inspect", sums, "--no-open", "--ui-port", String(port)]),
    firstOf(dev, "no page"),
  ]);
  expect(inspect).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${taken} --ui-port, or 0 for any that is free.`) as string,
  });
  expect(json).toMatchObject({ why: `${taken} --ui-port, or 0 for any that is free.` });
});

/** The first event of that kind that a command prints; then it is ended. */
async function firstOf(args: string[], kind: string): Promise<unknown> {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line) as { kind: string }; // an event of the command
    if (event.kind !== kind) continue;
    child.kill();
    await ended;
    return event;
  }
  return undefined;
}

test.each([
  ["a package", `import "@opentelemetry/no-such-package/part";`, "@opentelemetry/no-such-package"],
  ["a package of a package", `import "tenon-without-peer";`, "no-such-peer"],
])("a file whose import is missing, %s: one line says what to install", async (_, text, name) => {
  mkdirSync(join(folder, "node_modules/tenon-without-peer"), { recursive: true });
  file("node_modules/tenon-without-peer/package.json", '{ "type": "module", "exports": "./index.js" }');
  file("node_modules/tenon-without-peer/index.js", 'import "no-such-peer";');
  for (const server of [file("missing.mjs", text), file("missing.ts", text)]) {
    const { code, stderr } = await startCommand(["run", server]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(new RegExp(`The package "${name}" is not installed, and .+ imports it. Run: npm install ${name}`));
    expect(stderr).not.toMatch(/^ +at /m);
  }
});

test("a file that imports a missing one: one line names the file, the import, the line and what was meant", async () => {
  file("tools.mjs", "export const x = 1;");
  const broken = file("broken.mjs", 'import "node:fs";\nimport { x } from "./tools.js";\nconsole.error(x);');
  const servers = [
    [broken, broken, '"./tools.js"', 'Did you mean "./tools.mjs"?'],
    [file("outer.mjs", 'import "./broken.mjs";'), broken, '"./tools.js"', 'Did you mean "./tools.mjs"?'],
    [
      file("typed.ts", '\nimport { y } from "./nowhere.ts";\nexport const z: number = y;'),
      join(folder, "typed.ts"),
      '"./nowhere.ts"',
      "Correct the path.",
    ],
  ] as const;
  for (const [server, importer, specifier, remedy] of servers) {
    const { code, stderr } = await startCommand(["run", server]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(`${importer}, line 2: imports ${specifier}, and there is no such file. ${remedy}\n`);
    expect(stderr).not.toMatch(/^ +at /m);
  }
});

test("a file without its ending, and a command that does not exist", async () => {
  expect(await runCommand(["list", join(folder, "server")])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Did you mean") as string,
  });
});

test("help <command> is that command's help, and an unknown one is named", async () => {
  expect((await runCommand(["help", "call"])).stdout).toBe((await runCommand(["call", "--help"])).stdout);
  expect(await runCommand(["help", "cal"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Did you mean "call"?') as string,
  });
});

test.each([
  ["a function", "export default function makeServer() {}; setInterval(() => {}, 1000);", "It exports default (a function)."],
  ["a promise", "export const later = Promise.resolve(1); setInterval(() => {}, 1000);", "It exports later (a promise)."],
  [
    "another library's server",
    "class McpServer {}; export const server = new McpServer(); export const port = 1;",
    "server (an McpServer of another library: let the file serve stdio itself)",
  ],
  ["nothing", "setInterval(() => {}, 1000);", "It exports nothing."],
])("a file that exports %s ends at once, though it left a timer, and says what there is", async (_, text, message) => {
  const path = file("exports.mjs", text);
  const { code, stderr } = await runCommand(["list", path]);
  expect(stderr).toContain(`exports.mjs exports no McpServer and does not serve stdio itself.`);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain("tenon run --help");
  expect(code).toBe(3);
});

test.each([
  [
    "reads stdin, and never ends loading",
    'process.stdin.on("data", () => {}); setInterval(() => {}, 1000); await new Promise(() => {});',
  ],
  [
    "exports what is no server of Tenon",
    'process.stdin.on("readable", () => {}); export const server = new (class McpServer {})();',
  ],
])("a file that serves stdio itself is not served over HTTP: it %s", async (_, text) => {
  const { code, stdout, stderr } = await startCommand(["run", file("stdio.mjs", text), "--http", "--port", "0"]);
  expect(stderr).toMatch(
    /stdio\.mjs reads stdin itself, so it cannot be served over HTTP\. .*export const server = new McpServer/,
  );
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
});

test("a syntax error is shown with its file, line and place", async () => {
  file("imported.mjs", 'export const name = "x";\nexport const s = make(1;\n');
  const { code, stderr } = await runCommand(["list", file("syntax.mjs", 'import "./imported.mjs";\n')]);
  expect(stderr).toMatch(/imported\.mjs:2\nexport const s = make\(1;\n/);
  expect(stderr).toContain("syntax.mjs failed while it was loaded");
  expect(code).toBe(3);
});

test("an error of the file is shown with its own frames only", async () => {
  const { stderr } = await runCommand(["list", file("throws.mjs", 'throw new Error("no key");\nsetInterval(() => {}, 1000);\n')]);
  expect(stderr).toMatch(/Error: no key\n +at file:.*throws\.mjs:1:7/);
  expect(stderr).not.toMatch(/dist\/cli|node:internal/);
});

test("text that a server writes to its stdout is reported a few times, and not for each line", async () => {
  const talk =
    'for (let i = 0; i < 500; i++) process.stdout.write(`line ${i}\\n`); process.stdin.on("end", () => process.exit()).resume()';
  const { code, stderr } = await runCommand(["list", "--timeout", "1000", "--", process.execPath, "-e", talk]);
  expect(stderr.match(/is not JSON/g)?.length).toBeLessThanOrEqual(10);
  expect(stderr).toMatch(/\.\.\. and \d+ more like that/);
  expect(code).toBe(3);
});

test("choices are shown, and checked before the tool is called", async () => {
  const path = fixture("choices.mjs");
  expect((await runCommand(["list", path])).stdout).toContain('set(level: "low" | "high")');
  expect(await runCommand(["call", path, "set", "--arg", "level=high"])).toMatchObject({ code: 0, stdout: "high\n" });
  expect(await runCommand(["call", path, "set", "--arg", "level=medium"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Argument "level" must be "low" or "high", not "medium".') as string,
  });
});

test("a port that is taken is named, and what to do", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as { port: number };
  const { code, stderr } = await startCommand(["run", sums, "--http", "--port", String(port)]);
  taken.close();
  expect(stderr).toContain(
    `Port ${port} is taken by another program, often by an earlier tenon that still runs: ` +
      "give another one with --port, or 0 for any that is free.",
  );
  expect(code).toBe(2);
});

test("errors name a page that is not an endpoint, and a server that ends during a call", async () => {
  const server = createServer((request, response) => {
    if (request.url === "/cut") request.socket.destroy();
    else response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const [missing, cut, blocked] = await Promise.all([
    runCommand(["list", `http://127.0.0.1:${port}/`]),
    runCommand(["list", `http://127.0.0.1:${port}/cut`]),
    runCommand(["list", "http://127.0.0.1:9/mcp"]),
  ]);
  server.close();
  expect(missing.stderr).toContain(
    "it answers with HTTP 404: there is no MCP endpoint at that path\n" +
      "Check the path of the URL; /mcp does not answer as an MCP server either.",
  );
  expect(cut.stderr).toContain("the connection was cut");
  expect(blocked.stderr).toContain("bad port");
  expect([missing.code, cut.code, blocked.code]).toEqual([3, 3, 3]);
});

test.each(["2025-06-18", "2026-07-28"])("a resource that is not there: where to see what is, %s", async (revision) => {
  const { code, stderr } = await runCommand(["read", sums, "nothing://here", "--revision", revision]);
  expect(stderr).toContain("Resource not found");
  expect(stderr).toContain("See what there is: tenon list");
  expect(code).toBe(1);
});
