/** `tenon move`: the command's declaration. Its code is loaded when it runs. */
import type { Command } from "../invocation.ts";

export const move: Command = {
  summary: "run a server of the official SDK 1.x on Tenon, unchanged, and compare both",
  usage: [
    "move [folder] [--check] [--remote url] [--env NAME=value ...] [--timeout ms] [--json] [-- <command> [argument ...]]",
    "move [folder] --undo [--json]",
    "move --native [folder or file ...] [--check] [--json]",
  ],
  options: ["check", "undo", "native", "remote", "env", "timeout", "json"],
  optionHelp: {
    check: ["--check", "only say what would change or differ; write and start nothing"],
    native: [
      "--native",
      "rewrite files (default: all of the project) from the SDK's API to Tenon's; what is not known stays, with a comment",
    ],
    remote: ["--remote url", "where the command after -- serves over HTTP (default: it serves stdio)"],
    timeout: ["--timeout ms", "how long to wait for each answer of the server (default 60000)"],
  },
  about:
    "The command that starts the server is the one after --, or else bin, the script start or main of package.json. " +
    "Only tools that say they are read-only are called.",
  examples: [
    "tenon move --check",
    "tenon move",
    "tenon move servers/weather -- node dist/index.js --verbose",
    "tenon move --native src/tools.ts",
    "tenon move --undo",
  ],
  run: async (invocation) => {
    if (invocation.values.native === true) return (await import("./native/native.ts")).rewriteFiles(invocation);
    return (await import("./move-project.ts")).moveProject(invocation);
  },
};
