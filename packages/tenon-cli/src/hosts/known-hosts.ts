/**
 * The hosts that `tenon install` knows. Each row follows the documentation of the host, checked in November 2026; its address
 * stands beside it.
 */
import { joinOn, settingsFolder, type Entry, type Host, type HostUrl, type Machine } from "./host.ts";

const envReference = (name: string): string => `\${env:${name}}`;
const shellReference = (name: string): string => `\${${name}}`;
const withHeaders = ({ headers }: HostUrl): Entry => (Object.keys(headers).length === 0 ? {} : { headers });
const plainUrl = (server: HostUrl): Entry => ({ url: server.url, ...withHeaders(server) });
const typedUrl = (server: HostUrl): Entry => ({ type: "http", url: server.url, ...withHeaders(server) });
const inHome =
  (...parts: readonly string[]) =>
  (machine: Machine): string =>
    joinOn(machine, machine.home, ...parts);

/** https://modelcontextprotocol.io/docs/develop/connect-local-servers */
const claudeDesktop: Host = {
  id: "claude-desktop",
  name: "Claude Desktop",
  format: "json",
  key: "mcpServers",
  userFile: (machine) => joinOn(machine, settingsFolder(machine), "Claude", "claude_desktop_config.json"),
  projectFile: undefined,
  url: undefined,
  hasWindow: true,
  effect: "Quit Claude Desktop and start it again.",
};

/** https://code.claude.com/docs/en/mcp */
const claudeCode: Host = {
  id: "claude-code",
  name: "Claude Code",
  format: "json",
  key: "mcpServers",
  userFile: (machine) => joinOn(machine, machine.env["CLAUDE_CONFIG_DIR"] || machine.home, ".claude.json"),
  projectFile: ".mcp.json",
  reference: shellReference,
  program: { type: "stdio" },
  url: typedUrl,
  hasWindow: false,
  effect: "Start a new session. A server of a project asks for your approval there.",
  warning: "Claude Code rewrites this file while it runs: end its sessions first, or the change may be lost.",
};

/** https://code.visualstudio.com/docs/copilot/reference/mcp-configuration */
const vscode: Host = {
  id: "vscode",
  name: "VS Code",
  format: "json",
  key: "servers",
  userFile: (machine) => joinOn(machine, settingsFolder(machine), "Code", "User", "mcp.json"),
  projectFile: ".vscode/mcp.json",
  folderVariable: "${workspaceFolder}",
  reference: envReference,
  program: { type: "stdio" },
  url: typedUrl,
  hasWindow: true,
  effect: 'Run "MCP: List Servers" and start it; VS Code asks whether you trust it.',
};

/** https://cursor.com/docs/context/mcp */
const cursor: Host = {
  id: "cursor",
  name: "Cursor",
  format: "json",
  key: "mcpServers",
  userFile: inHome(".cursor", "mcp.json"),
  projectFile: ".cursor/mcp.json",
  folderVariable: "${workspaceFolder}",
  reference: envReference,
  url: plainUrl,
  hasWindow: true,
  effect: "Switch the server on in Cursor's settings.",
};

/** https://docs.windsurf.com/windsurf/cascade/mcp */
const windsurf: Host = {
  id: "windsurf",
  name: "Windsurf",
  format: "json",
  key: "mcpServers",
  userFile: inHome(".codeium", "windsurf", "mcp_config.json"),
  projectFile: undefined,
  reference: envReference,
  url: (server) => ({ serverUrl: server.url, ...withHeaders(server) }),
  hasWindow: true,
  effect: "Press the refresh button of the list of servers in Windsurf.",
};

/** https://zed.dev/docs/ai/mcp */
const zed: Host = {
  id: "zed",
  name: "Zed",
  format: "json",
  key: "context_servers",
  userFile: (machine) =>
    machine.platform === "win32"
      ? joinOn(machine, settingsFolder(machine), "Zed", "settings.json")
      : joinOn(
          machine,
          machine.platform === "darwin" ? joinOn(machine, machine.home, ".config") : settingsFolder(machine),
          "zed",
          "settings.json",
        ),
  projectFile: ".zed/settings.json",
  program: { source: "custom" },
  url: (server) => ({ source: "custom", ...plainUrl(server) }),
  hasWindow: true,
  effect: "Zed starts it at once.",
};

/** https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md */
const geminiCli: Host = {
  id: "gemini-cli",
  name: "Gemini CLI",
  format: "json",
  key: "mcpServers",
  userFile: inHome(".gemini", "settings.json"),
  projectFile: ".gemini/settings.json",
  reference: shellReference,
  url: (server) => ({ httpUrl: server.url, ...withHeaders(server) }),
  hasWindow: false,
  effect: "Start Gemini CLI again.",
};

/** https://developers.openai.com/codex/mcp */
const codex: Host = {
  id: "codex",
  name: "Codex",
  format: "toml",
  key: "mcp_servers",
  userFile: (machine) => joinOn(machine, machine.env["CODEX_HOME"] || joinOn(machine, machine.home, ".codex"), "config.toml"),
  projectFile: ".codex/config.toml",
  // Codex takes names, not references: `entry.ts` writes them as the list `env_vars`.
  reference: (name) => name,
  url: ({ url, headers }) => ({ url, ...(Object.keys(headers).length > 0 && { http_headers: headers }) }),
  hasWindow: false,
  effect: "Start Codex again.",
};

/** https://lmstudio.ai/docs/app/mcp */
const lmStudio: Host = {
  id: "lm-studio",
  name: "LM Studio",
  format: "json",
  key: "mcpServers",
  userFile: inHome(".lmstudio", "mcp.json"),
  projectFile: undefined,
  url: plainUrl,
  hasWindow: true,
  effect: "LM Studio starts it when the file changes.",
};

/** All hosts by their ids, in the order in which they are shown. */
export const HOSTS: ReadonlyMap<string, Host> = new Map(
  [claudeDesktop, claudeCode, vscode, cursor, windsurf, zed, geminiCli, codex, lmStudio].map((host) => [host.id, host]),
);
