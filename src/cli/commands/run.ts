/**
 * `tenon run`: serves the server that a file exports, on stdin and stdout or over HTTP.
 *
 * A file that reads stdin itself serves already, so it is left alone.
 */
import { Console } from "node:console";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Acceptor } from "../../dispatch/acceptor.ts";
import { serveHttp } from "../../node/http/serve-http.ts";
import { serveStdio } from "../../node/stdio/serve-stdio.ts";
import { UsageError } from "../failure.ts";
import { portOf, type Command, type Invocation, type OptionValues } from "../invocation.ts";
import type { Stores } from "../../stores/stores.ts";
import { makeStores } from "./shared-stores.ts";
import { loadFile, serverIn, showFailure } from "./server-file.ts";

export const run: Command = {
  summary: "serve a file on stdio or over HTTP",
  usage: ["run <server-file> [--stdio | --http [--port number] [--store url]] [-- <argument of the file> ...]"],
  options: ["stdio", "http", "port", "store"],
  examples: ["tenon run server.ts", "tenon run server.ts --http --port 4000"],
  run: async (invocation) => {
    const { words = [], terminal, values } = invocation;
    const port = servedPortOf(values);
    const file = fileIn(invocation);
    const path = resolve(file);
    process.argv = [process.argv[0]!, path, ...words];
    // stdout carries the protocol from here on, also while the file is loading.
    globalThis.console = new Console(process.stderr);
    const exported = await loadFile(path).catch(async (cause: unknown) => {
      await showFailure(cause, file);
      throw new Error(`${file} failed while it was loaded`, { cause });
    });
    if (values.http === true) return runHttp(serverIn(exported, file), { file, port, store: values.store }, invocation);
    if (process.stdin.listenerCount("data") + process.stdin.listenerCount("readable") > 0) return undefined;
    const server = serverIn(exported, file);
    if (process.stdin.isTTY)
      terminal.note(`Serving ${file} on stdin and stdout, where a client talks to it. To try it: tenon list ${file}`);
    await serveStdio(server);
    return undefined;
  },
};

/** The port to serve on; undefined for the default, or for stdio. @throws UsageError if the options contradict each other */
export function servedPortOf(values: OptionValues): number | undefined {
  const lost = (["port", "store"] as const).find((name) => values[name] !== undefined);
  if (values.http !== true && lost !== undefined) throw new UsageError(`--${lost} goes with --http.`);
  if (values.http === true && values.stdio === true) throw new UsageError("--stdio and --http cannot both be served.");
  return portOf(values);
}

/** @throws UsageError */
function fileIn({ positionals: [file, ...more] }: Invocation): string {
  if (file === undefined) throw new UsageError("The server-file is missing.");
  if (more.length > 0) throw new UsageError(`${JSON.stringify(more[0])} is one word too many. Arguments of the file belong after --.`);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw new UsageError(`No such file: ${file}.`);
  return file;
}

interface RunOptions {
  readonly file: string;
  readonly port: number | undefined;
  /** The URL of the engine that all nodes share; undefined if there is one node. */
  readonly store?: string | undefined;
}

/** Serves until Ctrl-C. Then running calls get two seconds to end. */
export async function runHttp(server: Acceptor, { file, port, store }: RunOptions, { terminal, signal }: Invocation): Promise<undefined> {
  const stores = store === undefined ? undefined : await makeStores(store);
  try {
    await serveUntilEnd(server, { file, port, stores }, { terminal, signal });
  } finally {
    await stores?.close();
  }
  return undefined;
}

interface ServedWith extends Pick<RunOptions, "file" | "port"> {
  readonly stores: Stores | undefined;
}

async function serveUntilEnd(
  server: Acceptor,
  { file, port, stores }: ServedWith,
  { terminal, signal }: Pick<Invocation, "terminal" | "signal">,
): Promise<void> {
  const options = { ...(port !== undefined && { port }), ...(stores && { stores, health: true }) };
  const endpoint = await serveHttp(server, options).catch((cause: unknown) => {
    throw portMistake(cause, port) ?? cause;
  });
  terminal.note(`Serving ${file} at ${endpoint.url}. To try it: tenon list ${endpoint.url}`);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await endpoint.drain(DRAIN_MS);
}

/** Milliseconds that running calls get when the command has to end. */
const DRAIN_MS = 2_000;

/** Explains an error about the port; undefined for other errors. */
function portMistake(error: unknown, port = 3000): UsageError | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const why = code === "EADDRINUSE" ? "is taken" : code === "EACCES" ? "needs more rights" : undefined;
  if (why === undefined) return undefined;
  return new UsageError(`Port ${port} ${why}: give another one with --port, or 0 for any that is free.`, { cause: error });
}
