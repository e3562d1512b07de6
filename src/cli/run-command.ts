/**
 * `tenon run`: serves the server that a file exports, on stdin and stdout.
 *
 * A file that reads stdin by itself is left alone: it serves already. TypeScript is Node's own where Node can, and
 * jiti's on Node 20.
 */
import { Console } from "node:console";
import { statSync } from "node:fs";
import { extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isAcceptor, type Acceptor } from "../dispatch/acceptor.ts";
import { serveStdio } from "../node/serve-stdio.ts";
import { UsageError } from "./failure.ts";
import type { Command } from "./invocation.ts";

export const run: Command = {
  summary: "serve a file on stdio",
  usage: ["run <server-file> [--stdio] [-- <argument of the file> ...]"],
  options: ["stdio"],
  examples: ["tenon run server.ts"],
  run: async ({ positionals: [file, ...more], words = [], terminal }) => {
    if (file === undefined) throw new UsageError("The server-file is missing.");
    if (more.length > 0) throw new UsageError(`${JSON.stringify(more[0])} is one word too many. Arguments of the file belong after --.`);
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw new UsageError(`No such file: ${file}.`);
    const path = resolve(file);
    process.argv = [process.argv[0]!, path, ...words];
    // stdout is the wire from here on, also while the file is loading.
    globalThis.console = new Console(process.stderr);
    const exported = await load(path).catch((cause: unknown) => {
      console.error(cause);
      throw new Error(`${file} failed while it was loaded`, { cause });
    });
    if (process.stdin.listenerCount("data") + process.stdin.listenerCount("readable") > 0) return undefined;
    const server = serverIn(exported, file);
    if (process.stdin.isTTY)
      terminal.note(`Serving ${file} on stdin and stdout, where a client talks to it. To try it: tenon list ${file}`);
    await serveStdio(server);
    return undefined;
  },
};

async function load(path: string): Promise<Record<string, unknown>> {
  const { href } = pathToFileURL(path);
  if (!/^\.[mc]?ts$/.test(extname(path)) || canReadTypeScript()) return (await import(href)) as Record<string, unknown>; // a module's namespace
  const { createJiti } = await import("jiti");
  return createJiti(import.meta.url, { fsCache: false, interopDefault: false }).import(href);
}

/** Node 22.18 and later, where it was not switched off; older versions do not have the member. */
function canReadTypeScript(): boolean {
  const { typescript } = process.features as { typescript?: string | false };
  return typeof typescript === "string";
}

/** @throws UsageError where there is none, or more than one and none of them the default */
function serverIn(exported: Record<string, unknown>, file: string): Acceptor {
  if (isAcceptor(exported["default"])) return exported["default"];
  const servers = Object.entries(exported).filter((entry): entry is [string, Acceptor] => isAcceptor(entry[1]));
  const [first, second] = servers;
  if (first === undefined) {
    throw new UsageError(`${file} exports no McpServer and does not serve stdio itself. Add: export const server = new McpServer(…)`);
  }
  if (second !== undefined && second[1] !== first[1]) {
    throw new UsageError(
      `${file} exports several servers (${servers.map(([name]) => name).join(", ")}). Make one of them the default export.`,
    );
  }
  return first[1];
}
