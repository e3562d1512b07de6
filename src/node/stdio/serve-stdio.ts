/**
 * Serves one connection on stdin and stdout: what the `main` of a stdio server calls.
 *
 * It owns the process's edge for as long as it runs: what goes to stdout, the signals, uncaught failures and, once the
 * connection has ended, the exit. Framing is `StdioTransport`'s, messages are the dispatcher's.
 */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import { systemClock, finishesWithin } from "../../base/clock.ts";
import type { Readable, Writable } from "node:stream";
import { ConnectionClosedError, McpUsageError } from "../../jsonrpc/mcp-error.ts";
import type { Acceptor } from "../../dispatch/acceptor.ts";
import { reportTo } from "../../base/report-to.ts";
import { CONNECTION_LIMITS, type CallTimes, type ConnectionLimits } from "../../dispatch/limits.ts";

import { JsonRpcDispatcher } from "../../dispatch/json-rpc-dispatcher.ts";

import { toClosedReason } from "./closed-reason.ts";
import { watchProcess } from "./process-end.ts";
import { StdioTransport, type StdioLimits } from "./stdio-transport.ts";
import { guardStdout } from "./stdout-guard.ts";

/** Options of {@link serveStdio}. All times are in milliseconds. */
export interface ServeStdioOptions extends Partial<CallTimes> {
  /** What the client sends. Default `process.stdin`. */
  stdin?: Readable;
  /** What is sent to the client. Default `process.stdout`. It is never closed (ST-63). */
  stdout?: Writable;
  /**
   * Sends what others write to stdout to stderr, so that it does not break the protocol (ST-69). Default true; without effect
   * where `stdout` is given.
   */
  guardStdout?: boolean;
  /** Ends the process when the connection has ended, even if timers or handlers still run. Default: true, unless a stream is given. */
  exit?: boolean;
  /** Stops serving: new requests are refused, handlers that run may still answer, for as long as `drain` says. */
  signal?: AbortSignal;
  /**
   * Milliseconds that running handlers get once the input has ended or serving is stopped; their signals abort at half time.
   * Default 1 500.
   */
  drain?: number;
  /**
   * Whether a `subscriptions/listen` that the server ends is told twice: by its result, then by `notifications/cancelled`,
   * for clients that wait for the latter. Default false.
   */
  cancelListens?: boolean;
  /** Limits of the connection: requests, handlers, lines, messages, queues. Default: see each limit. */
  limits?: Partial<ConnectionLimits & StdioLimits>;
  /** Told of everything that is dropped or goes wrong outside a call. Default: written to stderr. */
  onError?: (error: Error) => void;
}

/** The options of `serveStdio()`. */
function stdioOptionKeys(): OptionKeys<ServeStdioOptions> {
  return {
    timeout: 1,
    maxTotalTimeout: 1,
    stdin: 1,
    stdout: 1,
    guardStdout: 1,
    exit: 1,
    signal: 1,
    drain: 1,
    cancelListens: 1,
    limits: { ...CONNECTION_LIMITS, maxLineBytes: 1, maxMessageBytes: 1, maxQueuedBytes: 1, maxUnreadBytes: 1 },
    onError: 1,
  };
}

/** Milliseconds for each step that is left between the drain and the exit: all together less than the 2 s a client waits. */
const STEP_MS = 150;

let serving = false;

/**
 * Serves `server` until the client closes stdin or is gone. Requests that are running are answered if they end within
 * `drain`. The promise resolves when the connection has ended.
 *
 * On the process's own streams SIGTERM, SIGINT and SIGHUP end it in the same way, a second one the process at once; a failure
 * that nobody caught is reported, what runs is answered, and the exit code is 1. In the end the server is closed and so
 * is the process (option `exit`), all within two seconds at the default of `drain`.
 *
 * @throws McpUsageError while another call serves this process's stdin or stdout; RangeError for a limit that is none
 * @example
 * ```ts
 * import { McpServer } from "tenon/server";
 * import { serveStdio } from "tenon/node";
 *
 * const server = new McpServer({ name: "sums", version: "1.0.0" });
 * server.tool("hello", {}, () => "Hello");
 * await serveStdio(server);
 * ```
 */
export async function serveStdio(server: Acceptor, options: ServeStdioOptions = {}): Promise<void> {
  assertKnown("serveStdio()", options, stdioOptionKeys());
  const own = options.stdin === undefined || options.stdout === undefined;
  if (own && serving) throw new McpUsageError("Another serveStdio() serves the stdin and stdout of this process already");
  serving ||= own;
  const undo: (() => void)[] = [];
  try {
    await serve(server, options, undo);
    if (options.exit ?? (options.stdin === undefined && options.stdout === undefined)) await endProcess(server);
  } finally {
    for (const restore of undo) restore();
    if (own) serving = false;
  }
}

async function serve(server: Acceptor, options: ServeStdioOptions, undo: (() => void)[]): Promise<void> {
  const { stdin, stdout, signal, drain = 1500 } = options;
  const onError = (error: Error): void => reportTo(options.onError ?? writeToStderr, error);
  const transport = new StdioTransport({ ...options, input: stdin, output: stdout, flushTimeout: drain + STEP_MS, onError });
  const settings = { ...options, drain, onError: oncePerClosing(onError) };
  const dispatcher = new JsonRpcDispatcher(transport, settings);
  const stop = (reason: string): void => {
    transport.ending();
    void dispatcher.drain(toClosedReason(reason));
  };
  if (stdin === undefined || stdout === undefined) undo.push(watchProcess(stop, onError));
  if (stdout === undefined && options.guardStdout !== false) undo.push(guardStdout());
  const onAbort = (): void => stop("the signal of serveStdio was aborted");
  signal?.addEventListener("abort", onAbort);
  undo.push(() => signal?.removeEventListener("abort", onAbort));
  if (signal?.aborted) onAbort();
  try {
    await server.accept(dispatcher);
  } finally {
    await dispatcher.close();
  }
}

async function endProcess(server: Acceptor): Promise<never> {
  if (server.close !== undefined) await finishesWithin(systemClock, STEP_MS, server.close());
  // What was reported must be readable: pipes are written asynchronously.
  await finishesWithin(systemClock, STEP_MS, new Promise((resolve) => process.stderr.write("", resolve)));
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
