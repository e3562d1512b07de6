/** `tenon run`: serves the server that a file exports, on stdin and stdout or over HTTP. */
import { resolve } from "node:path";
import type { Servable } from "tenon";
import { type ServeHttpOptions, serveHttp } from "tenon/node";
import type { Stores } from "tenon/stores/memory";
import { ServerFileError, UsageError } from "../failure.ts";
import type { Command, Invocation } from "../invocation.ts";
import { DRAIN_MS, fileIn, portMistake, servedPortOf } from "./run-options.ts";
import { openStores } from "./shared-stores.ts";
import { loadServed, serveOnStdio } from "./serve-on-stdio.ts";
import { serverIn } from "./server-file.ts";

export const run: Command = {
  summary: "serve a file on stdio or over HTTP",
  usage: ["run <server-file> [--stdio | --http [--port number] [--store url]] [--watch [--json]] [-- <argument of the file> ...]"],
  options: ["stdio", "http", "port", "store", "watch", "json"],
  optionHelp: { json: ["--json", "with --watch: print what happens as lines of JSON, on stderr with --stdio"] },
  examples: ["tenon run server.ts", "tenon run server.ts --http --port 4000", "tenon run server.ts --watch"],
  run: async (invocation) => {
    const { words = [], shell, terminal, values } = invocation;
    const port = servedPortOf(values);
    if (values.json === true && values.watch !== true) throw new UsageError("--json goes with --watch.");
    const file = fileIn(invocation);
    if (values.watch === true) {
      const { serveReloading } = await import("../dev/serve-reloading.ts");
      return serveReloading({ file, port, isHttp: values.http === true, invocation });
    }
    const loading = loadServed(resolve(shell.cwd, file), file, words);
    if (values.http === true) return runShared(await serverForHttp(loading, file), { file, port }, invocation);
    await serveOnStdio(await loading, file, () => {
      if (process.stdin.isTTY)
        terminal.note(`Serving ${file} on stdin and stdout, where a client talks to it. To try it: npx tenon list ${file}`);
    });
    return undefined;
  },
};

/** Milliseconds in which a file that reads stdin must have loaded: one that serves stdio itself waits for the end of stdin. */
const LOADING_MS = 1_000;

/** @throws ServerFileError if the file exports no server, or waits for stdin while it loads */
async function serverForHttp(loading: Promise<Record<string, unknown>>, file: string): Promise<Servable> {
  let readsStdin = false;
  const waits = new Promise<never>((_resolve, reject) => {
    process.stdin.on("newListener", (event) => {
      if (event !== "data" && event !== "readable") return;
      readsStdin = true;
      setTimeout(() => reject(servesStdioError(file)), LOADING_MS);
    });
  });
  const exported = await Promise.race([waits, loading]);
  try {
    return serverIn(exported, file);
  } catch (error) {
    throw readsStdin ? servesStdioError(file) : error;
  }
}

function servesStdioError(file: string): ServerFileError {
  return new ServerFileError(
    `${file} reads stdin itself, so it cannot be served over HTTP. ` +
      "Let it export its server, and leave serveStdio() out: export const server = new McpServer(…)",
  );
}

interface RunOptions {
  readonly file: string;
  readonly port: number | undefined;
  /** What all nodes share; undefined if there is one node. */
  readonly stores?: Stores | undefined;
  /** Whether probes of its health are served; always with stores. */
  readonly health?: boolean;
  /** Where it is served, and to whom. Default: on this machine, without authorization. */
  readonly endpoint?: Pick<ServeHttpOptions, "auth" | "handle" | "host" | "allowedHosts">;
  /** Gets the URL of the endpoint. */
  readonly onListening?: (url: string) => void;
  /** Ends what else is served on the port. */
  readonly onDrain?: (ms: number) => Promise<void>;
}

/** Serves over HTTP, with the stores of `--store`. */
async function runShared(server: Servable, options: Pick<RunOptions, "file" | "port">, invocation: Invocation): Promise<undefined> {
  const { terminal, values } = invocation;
  const stores = values.store === undefined ? undefined : await openStores(values.store, (line) => terminal.note(line));
  try {
    await runHttp(server, { ...options, stores }, invocation);
  } finally {
    await stores?.close();
  }
  return undefined;
}

/** Serves until Ctrl-C. Then running calls get two seconds to end. */
export async function runHttp(
  server: Servable,
  { file, port, stores, health = false, endpoint: where = {}, onListening, onDrain }: RunOptions,
  { terminal, signal }: Pick<Invocation, "terminal" | "signal">,
): Promise<undefined> {
  const options = { ...where, ...(port !== undefined && { port }), ...(stores && { stores }), health: health || stores !== undefined };
  const endpoint = await serveHttp(server, options).catch((cause: unknown) => {
    throw portMistake(cause, port) ?? cause;
  });
  const { auth } = where;
  const token = auth !== undefined && auth.metadata === undefined ? ' --header "Authorization: Bearer <token>"' : ""; // else a login opens it
  terminal.note(`Serving ${file} at ${endpoint.url}. To try it: npx tenon list ${endpoint.url}${token}`);
  onListening?.(endpoint.url);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await Promise.all([onDrain?.(DRAIN_MS), endpoint.drain(DRAIN_MS)]);
  return undefined;
}
