/** `tenon types`: the command's declaration. Its code is loaded when it runs. */
import { CLIENT_OPTIONS, type Command } from "../invocation.ts";

export const types: Command = {
  summary: "write the types of a server's tools, prompts and templates, for a typed client",
  usage: ["types <server> -o client.ts [--check [--strict]]", "types -o client.ts -- <command> [argument ...]"],
  options: [...CLIENT_OPTIONS, "output", "check", "strict"],
  optionHelp: {
    output: ["-o, --output file", "the file to write, or to compare with (default: stdout)"],
    check: ["--check", "write nothing; exit code 1 if the server does not fit the file any more"],
    yes: ["--yes", "replace a file that this command has not made"],
  },
  examples: ["tenon types https://example.com/mcp -o weather.ts", "tenon types --config .mcp.json weather -o weather.ts --check"],
  run: async (invocation) => (await import("./make-types.ts")).makeTypes(invocation),
};
