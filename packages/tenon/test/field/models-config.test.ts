/** Configuration files of many hosts: where they list servers, what they call the fields, and where relative paths begin. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadConfig } from "tenon/node";

const program = { type: "stdio", command: "npx", args: ["-y", "x"] };
const entry = { command: "npx", args: ["-y", "x"] };

it.each([
  ["mcpServers", { mcpServers: { a: entry } }],
  ["servers of VS Code", { servers: { a: entry }, inputs: [] }],
  ["context_servers of Zed", { theme: "One", context_servers: { a: { source: "custom", ...entry } } }],
  ["mcp_servers", { mcp_servers: { a: entry } }],
  ["mcp.servers of settings", { "mcp.servers": { a: entry } }],
  ["mcp with servers", { "editor.fontSize": 12, mcp: { inputs: [], servers: { a: entry } } }],
  ["amp.mcpServers", { "amp.mcpServers": { a: entry } }],
  ["mcp of opencode", { $schema: "x", mcp: { a: { type: "local", command: ["npx", "-y", "x"], enabled: true } } }],
  ["a command of Zed before", { context_servers: { a: { command: { path: "npx", args: ["-y", "x"] } } } }],
])("lists servers in %s [FD-34]", async (_name, config) => {
  expect(await loadConfig(config)).toEqual({ a: program });
});

it.each(["http", "streamable-http", "streamable_http", "streamableHttp", "StreamableHTTP", "remote"])(
  "takes the type %s for a URL [FD-11]",
  async (type) => {
    const wanted = { a: { type: "http", url: "https://x.example/mcp" } };
    expect(await loadConfig({ mcpServers: { a: { type, url: "https://x.example/mcp" } } })).toEqual(wanted);
    expect(await loadConfig({ mcpServers: { a: { transport: type, url: "https://x.example/mcp" } } })).toEqual(wanted);
  },
);

it.each([{ disabled: true }, { enabled: false }, { isActive: false }])("leaves a server out with %j [FD-11]", async (off) => {
  expect(await loadConfig({ mcpServers: { a: { ...entry, ...off }, b: entry } })).toEqual({ b: program });
});

it("takes the names that hosts give to variables and headers [FD-11]", async () => {
  const config = {
    mcp_servers: {
      a: { ...entry, environment: { A: "1" }, env_vars: ["B", "C"] },
      b: {
        url: "https://x.example/mcp",
        http_headers: { "X-A": "1" },
        env_http_headers: { "X-B": "B" },
        bearer_token_env_var: "C",
      },
    },
  };
  expect(await loadConfig(config, { env: { B: "2", C: "3" } })).toEqual({
    a: { ...program, env: { A: "1", B: "2", C: "3" } },
    b: { type: "http", url: "https://x.example/mcp", headers: { "X-A": "1", "X-B": "2", Authorization: "Bearer 3" } },
  });
});

it("takes numbers as values of variables, and leaves out what is null [FD-11]", async () => {
  const config = {
    servers: {
      a: { ...entry, env: { PORT: 8080, OFF: null }, cwd: null, envFile: null },
      b: { url: "https://x.example/mcp", headers: null, env: null, command: null },
    },
  };
  expect(await loadConfig(config)).toEqual({
    a: { ...program, env: { PORT: "8080" } },
    b: { type: "http", url: "https://x.example/mcp" },
  });
});

it("says what it looks for if no member lists servers, and names one that is not an object", async () => {
  await expect(loadConfig({ other: {} })).rejects.toThrow('has neither "mcpServers" nor "servers"');
  await expect(loadConfig({ mcp: { servers: [] } })).rejects.toThrow('"mcp.servers" must be an object');
});

it("finds envFile beside its file, and the project of .vscode/mcp.json [FD-11]", async () => {
  const project = mkdtempSync(join(tmpdir(), "tenon-field-"));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  const file = join(project, ".vscode", "mcp.json");
  mkdirSync(dirname(file));
  writeFileSync(join(project, ".vscode", "a.env"), "A=1\n");
  writeFileSync(join(project, "b.env"), "B=2\n");
  const servers = {
    a: { ...entry, envFile: "a.env", cwd: "${workspaceFolder}" },
    b: { ...entry, envFile: "${workspaceFolder}/b.env" },
  };
  writeFileSync(file, JSON.stringify({ servers }));
  expect(await loadConfig(file)).toEqual({
    a: { ...program, cwd: project, env: { A: "1" } },
    b: { ...program, env: { B: "2" } },
  });
  expect(await loadConfig(file, { variables: { workspaceFolder: project } })).toMatchObject({ a: { cwd: project } });
});
