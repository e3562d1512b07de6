/** `tenon inspect`: the command's declaration. Its code is loaded when it runs. */
import { CLIENT_OPTIONS, type Command } from "../invocation.ts";

export const inspect: Command = {
  summary: "open a page that shows a server, and calls it, until Ctrl-C",
  usage: [
    "inspect <server> [--no-open] [--model provider/name]",
    "inspect -- <command> [argument ...]",
    "inspect --config mcp.json [name]",
  ],
  options: [...CLIENT_OPTIONS, "no-open", "ui-port", "model"],
  optionHelp: { json: ["--json", 'one JSON document with the "url" of the page, when it is served'] },
  about: "The page is served on 127.0.0.1 only. Its address works once, and for ten minutes; Enter shows a new one.",
  examples: ["tenon inspect server.ts", "tenon inspect https://example.com/mcp", "tenon inspect --config .mcp.json --no-open"],
  run: async (invocation) => (await import("./serve-page.ts")).servePage(invocation),
};
