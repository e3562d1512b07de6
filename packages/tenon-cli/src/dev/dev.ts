/** `tenon dev`: serves a file while it is being written, and reloads it without ending a connection. */
import { fstatSync } from "node:fs";
import { fileIn, servedPortOf } from "../commands/run-options.ts";
import type { Command } from "../invocation.ts";

export const dev: Command = {
  summary: "serve a file, and reload it at each save without ending a connection",
  usage: [
    "dev <server-file> [--http [--port number] | --stdio] [--no-open] [--model provider/name] [--json] [-- <argument of the file> ...]",
  ],
  options: ["stdio", "http", "port", "json", "no-open", "ui-port", "model"],
  optionHelp: {
    stdio: ["--stdio", "serve on stdin and stdout; the default if a program has started the command"],
    http: ["--http", "serve over HTTP; the default at a terminal"],
    json: ["--json", "print what happens as lines of JSON, on stderr with --stdio"],
  },
  about:
    "It opens a page that calls the server, and shows each reload and the messages of all clients. At a terminal, o and Enter opens it again.",
  examples: ["tenon dev server.ts", "tenon dev server.ts --port 4000", "tenon dev server.ts --json"],
  run: async (invocation) => {
    const { values } = invocation;
    const isHttp = values.http === true || values.port !== undefined || (values.stdio !== true && !isStartedByHost());
    const port = servedPortOf({ ...values, http: isHttp });
    const file = fileIn(invocation);
    const [{ serveReloading }, { modelOf }] = await Promise.all([import("./serve-reloading.ts"), import("../inspect/model-option.ts")]);
    const model = await modelOf(invocation);
    return serveReloading({ file, port, isHttp, invocation, hasPage: true, ...(model && { model }) });
  },
};

/** A host talks over a pipe. A terminal, a file and `/dev/null` are no host. */
function isStartedByHost(): boolean {
  try {
    const stdin = fstatSync(0);
    return stdin.isFIFO() || stdin.isSocket();
  } catch {
    return false; // stdin is closed
  }
}
