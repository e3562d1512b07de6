/** `tenon check`: the command's declaration. Its code is loaded when it runs. */
import { CLIENT_OPTIONS, type Command } from "../invocation.ts";

export const check: Command = {
  summary: "say whether models will get on with a server, and what changed for callers",
  usage: [
    "check <server> [--profile name ...] [--budget tokens ...] [--update] [--locked] [--fix] [--sarif file]",
    "check -- <command> [argument ...]",
    "check --explain [rule]",
  ],
  options: [...CLIENT_OPTIONS, "profile", "budget", "off", "update", "fix", "explain", "lock", "locked", "sarif", "strict"],
  optionHelp: { strict: ["--strict", "warnings fail too"] },
  about: "Exit code 1 if a host refuses something, a budget is exceeded, or callers break; 2 if the command was typed wrongly.",
  examples: [
    "tenon check src/server.ts",
    "tenon check src/server.ts --update",
    "tenon check src/server.ts --budget 4000 --budget tool=500 --profile cursor",
    "tenon check --config .mcp.json weather --json",
    "tenon check --explain root-union",
  ],
  run: async (invocation) => (await import("./run-check.ts")).runCheck(invocation),
};
