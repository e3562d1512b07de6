/** `tenon bundle` and `tenon publish`: the declarations of the commands. Their code is loaded when they run. */
import type { Command } from "../invocation.ts";

export const bundle: Command = {
  summary: "pack a server for desktop hosts, in one .mcpb file",
  usage: ["bundle <server.ts> [-o server.mcpb] [--env NAME ...]"],
  options: ["output", "env", "timeout", "start-timeout", "json"],
  optionHelp: {
    output: ["-o, --output file", "the file to write (default: the name and the version of the package)"],
    env: ["--env NAME", "a variable that the host asks the user for"],
  },
  about:
    "It packs the files that npm would publish, and the installed dependencies. The server is started once, for the list of its tools.",
  examples: ["tenon bundle src/server.ts", "tenon bundle src/server.ts --env API_KEY -o weather.mcpb"],
  run: async (invocation) => (await import("./make-bundle.ts")).makeBundle(invocation),
};

export const publish: Command = {
  summary: "make and check the server.json of the MCP registry",
  usage: ["publish <server.ts> --check [-o server.json] [--remote url] [--env NAME ...]"],
  options: ["check", "output", "remote", "env", "timeout", "start-timeout", "json"],
  optionHelp: {
    check: ["--check", "check what the registry would refuse; this command itself publishes nothing"],
    output: ["-o, --output file", "also write the document, if nothing is wrong with it"],
    env: ["--env NAME", "a variable that the server needs"],
  },
  about: "Exit code 1 if the registry would refuse it. To publish: mcp-publisher publish",
  examples: ["tenon publish src/server.ts --check", "tenon publish src/server.ts --check -o server.json --env API_KEY"],
  run: async (invocation) => (await import("./check-publish.ts")).checkPublish(invocation),
};
