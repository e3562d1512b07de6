/** `tenon doctor`: the command's declaration. Its code is loaded when it runs. */
import { serverOf } from "../connection/typed-server.ts";
import { UsageError } from "../failure.ts";
import { CLIENT_OPTIONS, type Command } from "../invocation.ts";

export const doctor: Command = {
  summary: "find out where the way to a server breaks, step by step, and what to do about it",
  usage: [
    "doctor <server> [--register] [--strict]",
    "doctor -- <command> [argument ...]",
    "doctor --config mcp.json [name]",
    "doctor [<url>] --provider name [--issuer url] [--arg option=value]",
  ],
  options: [...CLIENT_OPTIONS, "register", "client-id", "issuer", "allow", "strict", "provider", "arg"],
  optionHelp: {
    strict: ["--strict", "fail if a message deviates from the protocol, and list all that does"],
    arg: ["--arg option=value", "with --provider: an option of its function, such as clientId=…; may be repeated"],
    issuer: ["--issuer url", "log in with this authorization server or not at all; with --provider, the issuer to check"],
    timeout: ["--timeout ms", "how long to wait in all (default 10000; 60000 for a program)"],
  },
  examples: [
    "tenon doctor https://example.com/mcp",
    "tenon doctor https://example.com/mcp --json",
    "tenon doctor server.ts",
    "tenon doctor https://example.com/mcp --provider auth0",
    "tenon doctor --provider keycloak --issuer https://sso.example.com/realms/staff",
  ],
  async run(invocation) {
    if (invocation.values.provider !== undefined) return (await import("./provider-walk.ts")).walkToProvider(invocation);
    if (invocation.values.arg !== undefined)
      throw new UsageError("--arg needs --provider here: it is an option of the provider's function.");
    const { server, values } = await serverOf(invocation, []);
    const found = { ...invocation, values };
    if ("url" in server) return (await import("./url-walk.ts")).walkToUrl(new URL(server.url), found);
    const typed = (invocation.words ?? invocation.positionals).join(" ");
    return (await import("./program-walk.ts")).walkToProgram(server, typed || server.command, found);
  },
};
