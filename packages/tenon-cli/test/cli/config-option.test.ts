// `--config file [name]`: the server of a host's file, for every command that takes one; and `tenon ping`.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { toNodeHandler } from "tenon/node";
import { McpServer } from "tenon/server";
import { runCommand as runWith } from "./run-command.ts";
import { fixture, MAIN } from "./start-command.ts";

vi.setConfig({ testTimeout: 60_000 });

/** Runs the command for a user who agrees to what the file says. */
function runCommand(args: readonly string[]): ReturnType<typeof runWith> {
  const folder = mkdtempSync(join(tmpdir(), "tenon-user-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return runWith([...args, "--yes"], { env: { XDG_CONFIG_HOME: folder } });
}

function configFile(servers: object): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "mcp.json");
  writeFileSync(file, `// of a host\n${JSON.stringify(servers)}`);
  return file;
}

const sums = { command: process.execPath, args: [MAIN, "run", fixture("sums.mjs")], env: { MODE: "of the file" } };

test("a server is named, or left out if there is only one", async () => {
  const one = configFile({ servers: { sums } });
  expect(await runCommand(["call", "--config", one, "add", "--arg", "a=1", "--arg", "b=2"])).toMatchObject({
    code: 0,
    stdout: '{\n  "sum": 3\n}\n',
  });
  const two = configFile({ mcpServers: { other: { command: "${NOT_SET}" }, sums } });
  expect(await runCommand(["read", "--config", two, "sums", "notes://today"])).toMatchObject({ code: 0, stdout: "Buy milk.\n" });
  expect((await runCommand(["doctor", "--config", two, "sums"])).code).toBe(0);
});

test("its variables reach the server, and variables on the command line replace them", async () => {
  const file = configFile({ mcpServers: { sums } });
  const of = async (...more: string[]): Promise<string> =>
    (await runCommand(["call", "--config", file, "env", "--arg", "name=MODE", ...more])).stdout;
  expect([await of(), await of("--env", "MODE=typed")]).toEqual([
    expect.stringContaining("of the file"),
    expect.stringContaining("typed"),
  ]);
});

test("the headers of a URL are sent", async () => {
  const server = new McpServer({ name: "guarded", version: "1.0.0" });
  const handler = toNodeHandler(server);
  const seen = new Set<unknown>();
  const listener = createServer((request, response) => {
    seen.add(request.headers["x-who"]);
    handler(request, response);
  });
  await once(listener.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void listener.close());
  const file = configFile({
    mcpServers: {
      web: { type: "http", url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`, headers: { "X-Who": "ada" } },
    },
  });
  expect(await runCommand(["ping", "--config", file])).toMatchObject({ code: 0 });
  expect([...seen]).toEqual(["ada"]);
});

test("ping measures a server that has no ping, too: each answer shows how fast it is", async () => {
  const script = `
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      const hello = { protocolVersion: "2024-11-05", capabilities: {}, serverInfo: { name: "by-hand", version: "1" } };
      const error = { code: -32601, message: "Method not found: " + method };
      const answer = method === "initialize" ? { result: hello } : { error };
      if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
    });`;
  const file = configFile({ mcpServers: { byHand: { command: process.execPath, args: ["-e", script] } } });
  expect(await runCommand(["ping", "--config", file])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^by-hand 1, .*responds in/),
  });
});

test("an unknown member is named by file and line, and ignored; the host's at the top only if probably mistyped", async () => {
  const file = configFile({
    inputs: [],
    theme: "dark",
    tennon: {},
    mcpServers: { sums: { ...sums, comand: "x", trust: true }, other: { comand: "y" } },
  });
  const { code, stderr } = await runCommand(["ping", "--config", file, "sums"]);
  expect({ code, lines: stderr.split("\n").filter((line) => line.startsWith(file)) }).toEqual({
    code: 0,
    lines: [
      `${file}: line 2, field "tennon": is not known, and ignored. Did you mean "tenon"?`,
      `${file}: line 2, server "sums", field "comand": is not known, and ignored. Did you mean "command"?`,
      `${file}: line 2, server "sums", field "trust": is not known, and ignored`,
    ],
  });
});

test("the faults of a file are shown as they are, one a line", async () => {
  const file = configFile({ mcpServers: { sums: { command: 5, args: "-y" } } });
  const { stderr } = await runCommand(["list", "--config", file]);
  expect(stderr.split("\n").slice(0, 3)).toEqual([
    `tenon: ${file} cannot be used:`,
    '- line 2, server "sums", field "command": must be a string',
    '- line 2, server "sums", field "args": must be a list of strings',
  ]);
});

test.each([
  [["list", "--config", "/no/such.json"], "cannot be read: ENOENT"],
  [["list", "--config", configFileFor("many"), "sum"], 'no server "sum". Did you mean "sums"?'],
  [["list", "--config", configFileFor("many")], 'has several servers: name one of them after it. It has "sums", "x".'],
  [["list", "--config", configFileFor("many"), "x"], "needs a"],
  [["call", "--config", configFileFor("many"), "sums", "add", "b"], "one word too many"],
  [["list", "--config", configFileFor("empty"), "sums"], 'no server "sums". It has no servers.'],
  [["list", "--config", configFileFor("empty")], 'has no servers. Add one to its "mcpServers"'],
  [
    ["list", "--config", configFileFor("mistyped")],
    'neither "mcpServers" nor "servers". Did you mean "mcpServers" by "mcpServer"?',
  ],
  [["list", "--config", configFileFor("none")], 'neither "mcpServers" nor "servers"'],
  [["list", "--config", configFileFor("many"), "--", "node"], "not both"],
])("%j is refused", async (args, why) => {
  const files: Record<string, object> = {
    many: { mcpServers: { sums, x: {} } },
    none: {},
    empty: { mcpServers: {} },
    mistyped: { mcpServer: {} },
  };
  const typed = args.map((word) => (word.startsWith("file:") ? configFile(files[word.slice(5)]!) : word));
  const { code, stderr } = await runCommand(typed);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(why) as string });
});

/** Stands for a file that is made when the test runs. */
function configFileFor(name: string): string {
  return `file:${name}`;
}

test.each(["2026-07-28", "2025-11-25"])("ping measures a response on %s", async (revision) => {
  const { code, stdout } = await runCommand(["ping", fixture("sums.mjs"), "--json", "--revision", revision]);
  expect({ code, ...(JSON.parse(stdout) as object) }).toEqual({
    code: 0,
    server: expect.objectContaining({ name: "sums" }) as object,
    protocolVersion: revision,
    connectMs: expect.any(Number) as number,
    ms: expect.any(Number) as number,
  });
});

test.each([
  ["zed.json", JSON.stringify({ context_servers: { sums: { source: "custom", ...sums } } })],
  [
    "config.toml",
    `model = "x"\n[mcp_servers.sums]\ncommand = ${JSON.stringify(sums.command)}\nargs = ${JSON.stringify(sums.args)}\n`,
  ],
])("reads what install writes into %s [FD-34]", async (name, text) => {
  const file = join(dirname(configFile({})), name);
  writeFileSync(file, text);
  const { code, stdout } = await runCommand(["call", "--config", file, "sums", "add", "--arg", "a=1", "--arg", "b=2"]);
  expect([code, JSON.parse(stdout)]).toEqual([0, { sum: 3 }]);
});

test("says where a file is not TOML, and shows nothing of it", async () => {
  const file = join(dirname(configFile({})), "config.toml");
  writeFileSync(file, 'a = 1\nsecret = "s3cret\n');
  const { code, stderr } = await runCommand(["list", "--config", file]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("config.toml is not valid TOML (line 2)")]);
  expect(stderr).not.toContain("s3cret");
});
