/** `tenon bundle`: the command's declaration. Its code is loaded when it runs. */
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
