/**
 * `tenon gateway`: serves all servers of a configuration file behind one endpoint; `tenon gateway check` says what would be served.
 *
 * The file is the `mcp.json` of a host. While the gateway runs it follows the file: what was added, removed or changed, and nothing else.
 */
import { statSync } from "node:fs";
import { createGateway, type Gateway } from "../../../gateway/gateway.ts";
import type { GatewayOptions } from "../../../gateway/options.ts";
import { loadConfig } from "../../../node/config/load-config.ts";
import { serveStdio } from "../../../node/stdio/serve-stdio.ts";
import { UsageError } from "../../failure.ts";
import type { Command, Invocation, OptionValues } from "../../invocation.ts";
import { runHttp } from "../run.ts";
import { servedPortOf } from "../run-options.ts";
import { checkConfig } from "./check.ts";
import { followConfig } from "./follow.ts";

export const gateway: Command = {
  summary: "serve many servers behind one endpoint",
  usage: [
    "gateway <configuration> [--stdio | --http [--port number]] [--search [--pin tool ...]]",
    "gateway check <configuration> [--json]",
  ],
  options: ["stdio", "http", "port", "search", "pin", "json"],
  examples: ["tenon gateway mcp.json", "tenon gateway mcp.json --http --port 3000", "tenon gateway check mcp.json"],
  run: async (invocation) => {
    const { positionals, values, signal } = invocation;
    const isCheck = positionals[0] === "check" && positionals.length > 1;
    const file = fileIn(isCheck ? positionals.slice(1) : positionals);
    const port = servedPortOf(values);
    if (isCheck) return checkConfig(file, signal);
    return serve(file, port, invocation);
  },
};

/** @throws UsageError */
function fileIn([file, ...more]: readonly string[]): string {
  if (file === undefined) throw new UsageError("The configuration is missing: give a file such as mcp.json.");
  if (more.length > 0) throw new UsageError(`${JSON.stringify(more[0])} is one word too many.`);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw new UsageError(`No such file: ${file}.`);
  return file;
}

/** @throws UsageError */
function searchIn({ search = false, pin }: OptionValues): Pick<GatewayOptions, "search"> {
  if (pin !== undefined && !search) throw new UsageError("--pin goes with --search.");
  return search ? { search: { pinned: pin ?? [] } } : {};
}

async function serve(file: string, port: number | undefined, invocation: Invocation): Promise<undefined> {
  const { terminal, values, signal } = invocation;
  const served: Gateway = createGateway({
    servers: await loadConfig(file, { onWarning: (warning) => terminal.note(warning) }),
    ...searchIn(values),
    onError: (error, { server }) => terminal.note(server === undefined ? error.message : `${server}: ${error.message}`),
  });
  const stop = followConfig(file, served, (line) => terminal.note(line));
  try {
    if (values.http === true) await runHttp(served, { file, port }, invocation);
    else await serveStdio(served, { signal });
  } finally {
    stop();
    await served.close();
  }
  return undefined;
}
