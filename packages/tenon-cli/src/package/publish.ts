/** `tenon publish`: the command's declaration. Its code is loaded when it runs. */
import type { Command } from "../invocation.ts";

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
