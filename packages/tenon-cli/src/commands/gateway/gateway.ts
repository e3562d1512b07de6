/**
 * `tenon gateway`: serves all servers of a configuration file behind one endpoint; `tenon gateway check` says what would be served, and
 * `tenon gateway approve` approves tools that have changed; `tenon gateway schema` prints the file's JSON Schema.
 *
 * The file is the `mcp.json` of a host. While the gateway runs it follows the file: what was added, removed or changed, and nothing else.
 */
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { UsageError } from "../../failure.ts";
import type { Command } from "../../invocation.ts";
import { servedPortOf } from "../run-options.ts";
import { approve } from "./approve.ts";
import { checkConfig } from "./check.ts";
import { serve } from "./serve.ts";

export const gateway: Command = {
  summary: "serve many servers behind one endpoint",
  usage: [
    "gateway <configuration> [--stdio | --http [--port number] [--store url]] [--search [--pin tool ...]] [--only tool ...] [--deny tool ...] [--audit file] [--pins file] [--metrics port] [--yes]",
    "gateway check <configuration> [--only tool ...] [--deny tool ...] [--yes] [--json]",
    "gateway approve <configuration> [--pins file] [--yes] [--json]",
    "gateway schema",
  ],
  options: ["stdio", "http", "port", "store", "search", "pin", "only", "deny", "audit", "pins", "metrics", "yes", "json"],
  optionHelp: {
    store: ["--store url", "with --http: the engine that all gateways of this file share, such as redis://localhost:6379"],
    yes: ["--yes", "agree without a question: to start new programs, to changed tools"],
  },
  examples: ["tenon gateway mcp.json", "tenon gateway mcp.json --http --port 3000", "tenon gateway check mcp.json"],
  run: async (invocation) => {
    const { positionals, shell, values } = invocation;
    if (positionals.length === 1 && positionals[0] === "schema") return (await import("./schema.ts")).gatewaySchema();
    const form = positionals.length > 1 ? positionals[0] : undefined;
    const isOther = form === "check" || form === "approve";
    const file = fileIn(isOther ? positionals.slice(1) : positionals, shell.cwd);
    const port = servedPortOf(values);
    if (form === "check") return checkConfig(file, invocation);
    return form === "approve" ? approve(file, invocation) : serve(file, port, invocation);
  },
};

function fileIn([file, ...more]: readonly string[], cwd: string): string {
  if (file === undefined) throw new UsageError("The configuration is missing: give a file such as mcp.json.");
  if (more.length > 0) throw new UsageError(`${JSON.stringify(more[0])} is one word too many.`);
  const found = statSync(resolve(cwd, file), { throwIfNoEntry: false });
  if (found?.isDirectory() === true)
    throw new UsageError(`${file} is a folder: give the configuration in it, such as ${join(file, "mcp.json")}.`);
  if (found?.isFile() !== true)
    throw new UsageError(found === undefined ? `No such file: ${file}.` : `${file} is not a file: it is a pipe or a device.`);
  return file;
}
