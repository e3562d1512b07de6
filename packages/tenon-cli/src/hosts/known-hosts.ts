/**
 * The hosts that `tenon install` knows: where each has its file, and what it needs after a change. What a server at a URL is to each, and
 * the address of its documentation, are in Tenon's table of hosts, which the page of an endpoint shows too.
 */
import { HOST_FORMS } from "tenon/internal";
import { joinOn, settingsFolder, type Host, type Machine } from "./host.ts";

const envReference = (name: string): string => `\${env:${name}}`;
const shellReference = (name: string): string => `\${${name}}`;
const inHome =
  (...parts: readonly string[]) =>
  (machine: Machine): string =>
    joinOn(machine, machine.home, ...parts);

const claudeDesktop: Host = {
  ...HOST_FORMS.claudeDesktop,
  userFile: (machine) => joinOn(machine, settingsFolder(machine), "Claude", "claude_desktop_config.json"),
  projectFile: undefined,
  hasWindow: true,
  effect: "Quit Claude Desktop and start it again.",
};

const claudeCode: Host = {
  ...HOST_FORMS.claudeCode,
  userFile: (machine) => joinOn(machine, machine.env["CLAUDE_CONFIG_DIR"] || machine.home, ".claude.json"),
  projectFile: ".mcp.json",
  reference: shellReference,
  program: { type: "stdio" },
  hasWindow: false,
  effect: "Start a new session. A server of a project asks for your approval there.",
  warning: "Claude Code rewrites this file while it runs: end its sessions first, or the change may be lost.",
};

const vscode: Host = {
  ...HOST_FORMS.vscode,
  userFile: (machine) => joinOn(machine, settingsFolder(machine), "Code", "User", "mcp.json"),
  projectFile: ".vscode/mcp.json",
  folderVariable: "${workspaceFolder}",
  reference: envReference,
  program: { type: "stdio" },
  hasWindow: true,
  effect: 'Run "MCP: List Servers" and start it; VS Code asks whether you trust it.',
};

const cursor: Host = {
  ...HOST_FORMS.cursor,
  userFile: inHome(".cursor", "mcp.json"),
  projectFile: ".cursor/mcp.json",
  folderVariable: "${workspaceFolder}",
  reference: envReference,
  hasWindow: true,
  effect: "Switch the server on in Cursor's settings.",
};

const windsurf: Host = {
  ...HOST_FORMS.windsurf,
  userFile: inHome(".codeium", "windsurf", "mcp_config.json"),
  projectFile: undefined,
  reference: envReference,
  hasWindow: true,
  effect: "Press the refresh button of the list of servers in Windsurf.",
};

const zed: Host = {
  ...HOST_FORMS.zed,
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
  hasWindow: true,
  effect: "Zed starts it at once.",
};

const geminiCli: Host = {
  ...HOST_FORMS.geminiCli,
  userFile: inHome(".gemini", "settings.json"),
  projectFile: ".gemini/settings.json",
  reference: shellReference,
  hasWindow: false,
  effect: "Start Gemini CLI again.",
};

const codex: Host = {
  ...HOST_FORMS.codex,
  userFile: (machine) => joinOn(machine, machine.env["CODEX_HOME"] || joinOn(machine, machine.home, ".codex"), "config.toml"),
  projectFile: ".codex/config.toml",
  // Codex takes names, not references: `entry.ts` writes them as the list `env_vars`.
  reference: (name) => name,
  hasWindow: false,
  effect: "Start Codex again.",
};

const lmStudio: Host = {
  ...HOST_FORMS.lmStudio,
  userFile: inHome(".lmstudio", "mcp.json"),
  projectFile: undefined,
  hasWindow: true,
  effect: "LM Studio starts it when the file changes.",
};

/** All hosts by their ids, in the order in which they are shown. */
export const HOSTS: ReadonlyMap<string, Host> = new Map(
  [claudeDesktop, claudeCode, vscode, cursor, windsurf, zed, geminiCli, codex, lmStudio].map((host) => [host.id, host]),
);
