// Where each host keeps its configuration, on each operating system, and what an entry looks like there.
import { describe, expect, test } from "vitest";
import { UsageError } from "../failure.ts";
import { plainSecretsOf, withoutSecrets } from "./entry-text.ts";
import { toCommonEntry, toServerName } from "tenon/internal";
import { assertServerName, toEntry } from "./entry.ts";
import { fileOf, type Machine } from "./host.ts";
import { HOSTS } from "./known-hosts.ts";

const mac: Machine = { platform: "darwin", home: "/Users/ada", env: {} };
const linux: Machine = { platform: "linux", home: "/home/ada", env: {} };
const windows: Machine = { platform: "win32", home: String.raw`C:\Users\ada`, env: { APPDATA: String.raw`D:\Roaming` } };
const file = (id: string, machine: Machine): string => HOSTS.get(id)!.userFile(machine);

test.each([
  [
    "claude-desktop",
    "/Users/ada/Library/Application Support/Claude/claude_desktop_config.json",
    "/home/ada/.config/Claude/claude_desktop_config.json",
    String.raw`D:\Roaming\Claude\claude_desktop_config.json`,
  ],
  ["claude-code", "/Users/ada/.claude.json", "/home/ada/.claude.json", String.raw`C:\Users\ada\.claude.json`],
  [
    "vscode",
    "/Users/ada/Library/Application Support/Code/User/mcp.json",
    "/home/ada/.config/Code/User/mcp.json",
    String.raw`D:\Roaming\Code\User\mcp.json`,
  ],
  ["cursor", "/Users/ada/.cursor/mcp.json", "/home/ada/.cursor/mcp.json", String.raw`C:\Users\ada\.cursor\mcp.json`],
  [
    "windsurf",
    "/Users/ada/.codeium/windsurf/mcp_config.json",
    "/home/ada/.codeium/windsurf/mcp_config.json",
    String.raw`C:\Users\ada\.codeium\windsurf\mcp_config.json`,
  ],
  [
    "zed",
    "/Users/ada/.config/zed/settings.json",
    "/home/ada/.config/zed/settings.json",
    String.raw`D:\Roaming\Zed\settings.json`,
  ],
  [
    "gemini-cli",
    "/Users/ada/.gemini/settings.json",
    "/home/ada/.gemini/settings.json",
    String.raw`C:\Users\ada\.gemini\settings.json`,
  ],
  ["codex", "/Users/ada/.codex/config.toml", "/home/ada/.codex/config.toml", String.raw`C:\Users\ada\.codex\config.toml`],
  ["lm-studio", "/Users/ada/.lmstudio/mcp.json", "/home/ada/.lmstudio/mcp.json", String.raw`C:\Users\ada\.lmstudio\mcp.json`],
])("%s: its file on macOS, Linux and Windows", (id, onMac, onLinux, onWindows) => {
  expect([file(id, mac), file(id, linux), file(id, windows)]).toEqual([onMac, onLinux, onWindows]);
});

test("variables of the hosts and of the system move their files", () => {
  expect(file("codex", { ...linux, env: { CODEX_HOME: "/c" } })).toBe("/c/config.toml");
  expect(file("claude-code", { ...linux, env: { CLAUDE_CONFIG_DIR: "/c" } })).toBe("/c/.claude.json");
  expect(file("zed", { ...linux, env: { XDG_CONFIG_HOME: "/x" } })).toBe("/x/zed/settings.json");
  expect(file("vscode", { ...windows, env: {} })).toBe(String.raw`C:\Users\ada\AppData\Roaming\Code\User\mcp.json`);
});

test("files of a project", () => {
  const inProject = [...HOSTS.values()].map((host) => [host.id, fileOf(host, "project", linux, "/p")]);
  expect(Object.fromEntries(inProject)).toEqual({
    "claude-desktop": undefined,
    "claude-code": "/p/.mcp.json",
    vscode: "/p/.vscode/mcp.json",
    cursor: "/p/.cursor/mcp.json",
    windsurf: undefined,
    zed: "/p/.zed/settings.json",
    "gemini-cli": "/p/.gemini/settings.json",
    codex: "/p/.codex/config.toml",
    "lm-studio": undefined,
  });
});

const program = { command: "node", args: ["a b.js"], env: {}, references: ["TOKEN"] };
const url = { url: "https://example.com/mcp", headers: { "X-A": "1" } };

describe("entries", () => {
  test.each([
    ["claude-code", { type: "stdio", env: { TOKEN: "${TOKEN}" } }, { type: "http", headers: { "X-A": "1" } }, "url"],
    ["vscode", { type: "stdio", env: { TOKEN: "${env:TOKEN}" } }, { type: "http", headers: { "X-A": "1" } }, "url"],
    ["cursor", { env: { TOKEN: "${env:TOKEN}" } }, { headers: { "X-A": "1" } }, "url"],
    ["windsurf", { env: { TOKEN: "${env:TOKEN}" } }, { headers: { "X-A": "1" } }, "serverUrl"],
    ["gemini-cli", { env: { TOKEN: "${TOKEN}" } }, { headers: { "X-A": "1" } }, "httpUrl"],
    ["codex", { env_vars: ["TOKEN"] }, { http_headers: { "X-A": "1" } }, "url"],
  ])("of %s", (id, ofProgram, ofUrl, field) => {
    const host = HOSTS.get(id)!;
    expect(toEntry(host, program)).toEqual({ ...ofProgram, command: "node", args: ["a b.js"] });
    expect(toEntry(host, url)).toEqual({ ...ofUrl, [field]: "https://example.com/mcp" });
  });

  test("of Zed say where they come from", () => {
    expect(toEntry(HOSTS.get("zed")!, { ...program, references: [] })).toEqual({
      source: "custom",
      command: "node",
      args: ["a b.js"],
    });
  });

  test.each(["claude-desktop", "zed", "lm-studio"])("of %s hold no references", (id) => {
    expect(() => toEntry(HOSTS.get(id)!, program)).toThrow("--env TOKEN has to be --env TOKEN=value");
  });

  test("Claude Desktop takes no URL", () => {
    expect(() => toEntry(HOSTS.get("claude-desktop")!, url)).toThrow(UsageError);
  });

  test("of no host switch off its questions", () => {
    for (const host of HOSTS.values()) {
      const entry = host.id === "claude-desktop" ? toEntry(host, { ...program, references: [] }) : toEntry(host, url);
      expect(Object.keys(entry)).not.toEqual(expect.arrayContaining([expect.stringMatching(/trust|approve|allow/i)]));
    }
  });

  test("values of variables and headers are hidden, references are not", () => {
    const entry = { command: "x", env: { TOKEN: "s3cret", MODE: "${env:MODE}" }, headers: { Authorization: "Bearer s3cret" } };
    expect(JSON.stringify(withoutSecrets(entry))).not.toContain("s3cret");
    expect(withoutSecrets(entry)).toMatchObject({ env: { MODE: "${env:MODE}" } });
    expect(plainSecretsOf(entry)).toEqual(["TOKEN", "Authorization"]);
  });

  test("variables that Codex passes on are variables of the server", () => {
    expect(toCommonEntry({ command: "x", env_vars: ["A", "B"], env: { C: "3" } }, { A: "1" })).toEqual({
      command: "x",
      env: { A: "${env:A}", C: "3" },
    });
  });
});

test.each(["", "a b", "a/b", "../x", "a\nb", "a;b", "ü", "x".repeat(65), "__proto__"])("the name %j is refused [R17]", (name) => {
  expect(() => assertServerName(name)).toThrow(UsageError);
});

test.each([
  ["my server (beta)", "my-server-beta"],
  ["@scope/pkg", "scope-pkg"],
  ["Ω", "server"],
  ["__proto__", "server"],
  ["x".repeat(80), "x".repeat(40)],
])("%j becomes the name %j", (text, name) => {
  expect(toServerName(text)).toBe(name);
  assertServerName(toServerName(text));
});
