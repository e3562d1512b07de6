/** `tenon doctor`: the command's declaration. Its code is loaded when it runs. */
import { serverOf } from "../connection/typed-server.ts";
import { CLIENT_OPTIONS, type Command } from "../invocation.ts";

export const doctor: Command = {
  summary: "find out where the way to a server breaks, step by step, and what to do about it",
  usage: ["doctor <server> [--register] [--strict]", "doctor -- <command> [argument ...]", "doctor --config mcp.json [name]"],
  options: [...CLIENT_OPTIONS, "register", "client-id", "issuer", "allow", "strict"],
  optionHelp: {
    strict: ["--strict", "fail if a message deviates from the protocol, and list all that does"],
    timeout: ["--timeout ms", "how long to wait in all (default 10000; 60000 for a program)"],
  },
  examples: ["tenon doctor https://example.com/mcp", "tenon doctor https://example.com/mcp --json", "tenon doctor server.ts"],
  async run(invocation) {
    const { server, values } = await serverOf(invocation, []);
    const found = { ...invocation, values };
    if ("url" in server) return (await import("./url-walk.ts")).walkToUrl(new URL(server.url), found);
    const typed = (invocation.words ?? invocation.positionals).join(" ");
    return (await import("./program-walk.ts")).walkToProgram(server, typed || server.command, found);
  },
};
