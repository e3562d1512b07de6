/** `tenon install`, `tenon uninstall` and `tenon hosts`: the declarations. Their code is loaded when they run. */
import type { Command } from "../invocation.ts";

const HOST_OPTIONS = {
  host: ["--host id", "claude-desktop, claude-code, vscode, cursor, windsurf, zed, gemini-cli, codex or lm-studio; may be repeated"],
  scope: ["--scope user|project", "the host's file for all your work (the default), or the one in this folder"],
  timeout: ["--timeout ms", "how long a server may take to start and to list its tools (default 30000)"],
} as const;

export const install: Command = {
  summary: "write a server into the configuration of a host",
  usage: ["install <server> --host id [--name name] [--env NAME] [--scope project]", "install --host id -- <command> [argument ...]"],
  options: ["host", "name", "scope", "env", "header", "print", "yes", "no-check", "timeout", "json"],
  optionHelp: {
    ...HOST_OPTIONS,
    env: ["--env NAME[=value]", "a variable: its name, for the host to look up, or a value that stands in the file"],
    name: ["--name name", "how the host calls the server (default: what the server calls itself)"],
  },
  about: "It starts the server as the host would, shows the change, asks, and keeps a copy of the file.",
  examples: [
    "tenon install server.ts --host claude-desktop --host cursor",
    "tenon install https://example.com/mcp --host vscode --scope project",
  ],
  run: async (invocation) => (await import("./install.ts")).install(invocation),
};

export const uninstall: Command = {
  summary: "take a server out of the configuration of hosts",
  usage: ["uninstall <name> [--host id] [--scope project]"],
  options: ["host", "scope", "yes", "json"],
  optionHelp: { ...HOST_OPTIONS, host: ["--host id", "only this host (default: all that have it); may be repeated"] },
  examples: ["tenon uninstall sums"],
  run: async (invocation) => (await import("./install.ts")).uninstall(invocation),
};

export const hosts: Command = {
  summary: "show which servers the hosts have, and whether they start",
  usage: ["hosts [--host id] [--scope project]"],
  options: ["host", "scope", "no-check", "timeout", "json"],
  optionHelp: HOST_OPTIONS,
  about: "It starts every server that is listed. --no-check starts none.",
  examples: ["tenon hosts", "tenon hosts --host cursor --json"],
  run: async (invocation) => (await import("./list-hosts.ts")).listHosts(invocation),
};
