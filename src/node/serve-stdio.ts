/**
 * Serves one connection on stdin and stdout: what the `main` of a stdio server calls.
 *
 * It owns the process's edge for as long as it runs: what goes to stdout, the signals, uncaught failures and, once the
 * connection has ended, the exit. Framing is `StdioTransport`'s, messages are the dispatcher's.
 */
import type { Readable, Writable } from "node:stream";
import { ConnectionClosedError, McpUsageError } from "../jsonrpc/mcp-error.ts";
import type { Acceptor } from "../dispatch/acceptor.ts";
import { JsonRpcDispatcher } from "../dispatch/json-rpc-dispatcher.ts";
import type { DispatcherLimits } from "../dispatch/limits.ts";
import { closedBecause } from "./closed-because.ts";
import { watchProcess } from "./process-end.ts";
import { StdioTransport } from "./stdio-transport.ts";
import { guardStdout } from "./stdout-guard.ts";
import { within } from "./within.ts";

export interface ServeStdioOptions extends Partial<DispatcherLimits> {
  /** Default `process.stdin`. */
  stdin?: Readable;
  /** Default `process.stdout`. It is never closed. */
  stdout?: Writable;
  /** Sends what others write to stdout to stderr. Default true; without effect where `stdout` is given. */
  guardStdout?: boolean;
  /** Ends the process when the connection has ended, even if timers or handlers still run. Default: true, unless a stream is given. */
  exit?: boolean;
  /** Stops serving: handlers that run may still answer, for as long as `drain` says. */
  signal?: AbortSignal;
  /** Milliseconds that running handlers get once the input has ended; their signals abort at half time. Default 1 500. */
  drain?: number;
  /** Bytes of one line that arrives. Default 10 MiB. */
  maxLineBytes?: number;
  /** Bytes that may wait while the client does not read. Default 4 MiB; then progress and log messages are dropped. */
  maxQueuedBytes?: number;
  /** Told of everything that is dropped or goes wrong outside a call. Default: written to stderr. */
  onError?: (error: Error) => void;
}

/** Milliseconds for what is left to do between the drain and the exit; with the drain, less than the 2 s a client waits. */
const FLUSH_MS = 200;

let serving = false;

/**
 * Serves `server` until the client closes stdin, is gone, or the process is told to end by SIGTERM or SIGINT. Requests
 * that are running are answered if they end within `drain`; a second signal ends the process at once. A failure that
 * nobody caught is reported, what runs is answered, and the exit code is 1.
 *
 * On the process's own stdin and stdout it also closes the server and ends the process (option `exit`), within two
 * seconds in all; then the promise never resolves. It resolves when the connection has ended otherwise.
 *
 * @throws McpUsageError while another call serves this process's stdin or stdout
 */
export async function serveStdio(server: Acceptor, options: ServeStdioOptions = {}): Promise<void> {
  const own = options.stdin === undefined || options.stdout === undefined;
  if (own && serving) throw new McpUsageError("Another serveStdio() serves the stdin and stdout of this process already");
  serving ||= own;
  try {
    const exitCode = await serve(server, options);
    if (exitCode !== 0) process.exitCode = exitCode;
    if (options.exit ?? (options.stdin === undefined && options.stdout === undefined)) await endProcess(server);
  } finally {
    if (own) serving = false;
  }
}

/** The exit code, once the connection has ended. */
async function serve(server: Acceptor, options: ServeStdioOptions): Promise<number> {
  const { stdin, stdout, signal, drain = 1500, onError = writeToStderr } = options;
  let exitCode = 0;
  const transport = new StdioTransport({
    ...options,
    ...(stdin && { input: stdin }),
    ...(stdout && { output: stdout }),
    flushTimeout: FLUSH_MS,
    onError,
  });
  const dispatcher = new JsonRpcDispatcher(transport, { ...options, drain, onError: oncePerClosing(onError) });
  const stop = (reason: string, code: number): void => {
    exitCode ||= code;
    transport.endInput(closedBecause(reason));
  };
  const onAbort = (): void => stop("the signal of serveStdio was aborted", 0);
  const undo = [watchProcess({ onEnd: stop, onError })];
  if (stdout === undefined && options.guardStdout !== false) undo.push(guardStdout());
  signal?.addEventListener("abort", onAbort);
  try {
    if (signal?.aborted) onAbort();
    await server.accept(dispatcher);
  } finally {
    await dispatcher.close();
    signal?.removeEventListener("abort", onAbort);
    for (const restore of undo) restore();
  }
  return exitCode;
}

async function endProcess(server: Acceptor): Promise<never> {
  if (server.close !== undefined) await within(FLUSH_MS, server.close());
  // What was reported must be readable: pipes are written asynchronously.
  await within(FLUSH_MS / 2, new Promise((resolve) => process.stderr.write("", resolve)));
  process.exit();
}

/** A client that is gone fails every answer that is still under way: that is one thing to tell, not hundreds. */
function oncePerClosing(onError: (error: Error) => void): (error: Error) => void {
  let told = false;
  return (error) => {
    if (error instanceof ConnectionClosedError) {
      if (told) return;
      told = true;
    }
    onError(error);
  };
}

function writeToStderr(error: Error): void {
  process.stderr.write(`tenon: ${error.stack ?? error.message}\n`);
}
