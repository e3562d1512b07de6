/**
 * `serveStdio()`: serves one connection on stdin and stdout.
 *
 * While it runs it manages the process: what goes to stdout, signals, uncaught errors, and the exit after the connection
 * has ended. `StdioTransport` frames messages; the dispatcher handles them.
 */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import { systemClock, finishesWithin } from "../../base/clock.ts";
import { devHost } from "../../base/dev-host.ts";
import type { Readable, Writable } from "node:stream";
import { ConnectionClosedError, McpUsageError } from "../../jsonrpc/mcp-error.ts";
import { acceptorOf, isServable, type Acceptor, type Servable } from "../../dispatch/acceptor.ts";
import { reportTo } from "../../base/report-to.ts";
import { usersStack } from "../../base/text/users-stack.ts";
import { CONNECTION_LIMITS, type CallTimes, type ConnectionLimits } from "../../dispatch/limits.ts";
import { JsonRpcDispatcher } from "../../dispatch/json-rpc-dispatcher.ts";
import { toClosedReason } from "./closed-reason.ts";
import { watchProcess } from "./process-end.ts";
import { StdioTransport, type StdioLimits } from "./stdio-transport.ts";
import { guardStdout } from "./stdout-guard.ts";

/** Options of {@link serveStdio}. All times are in milliseconds. */
export interface ServeStdioOptions extends Partial<CallTimes> {
  /** The stream to read from. Default `process.stdin`. */
  stdin?: Readable;
  /** The stream to write to. Default `process.stdout`. It is never closed. */
  stdout?: Writable;
  /**
   * Redirects other output on stdout to stderr, so that it does not break the protocol. Default true; without effect if `stdout` is given.
   */
  guardStdout?: boolean;
  /** Ends the process when the connection has ended, even if timers or handlers still run. Default: true if no stream is given. */
  exit?: boolean;
  /** Stops serving: new requests are refused, and running handlers get the time of `drain` to end. */
  signal?: AbortSignal;
  /**
   * Milliseconds that running handlers get after the input has ended or serving is stopped. Their signals abort after half of it.
   * Default 1 500.
   */
  drain?: number;
  /**
   * Whether the server also sends `notifications/cancelled` after the result when it ends a `subscriptions/listen`, for clients
   * that wait for it. Default false.
   */
  cancelListens?: boolean;
  /** Limits of the connection: requests, handlers, lines, messages, queues. Default: see each limit. */
  limits?: Partial<ConnectionLimits & StdioLimits>;
  /** Called with every error outside a call and everything that is dropped. Default: writes them to stderr. */
  onError?: (error: Error) => void;
}

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

/** Milliseconds for each step between the drain and the exit. All steps together take less than the 2 s that a client waits. */
const STEP_MS = 150;

let serving = false;

/**
 * Serves `server` until the client closes stdin or goes away. Running requests get a response if they end within `drain`. The
 * promise resolves when the connection has ended.
 *
 * On the process's own streams SIGTERM, SIGINT and SIGHUP end it in the same way; a second signal ends the process at once. An
 * uncaught error is reported and ends it too, with exit code 1. At the end the server is closed and the process exits (option
 * `exit`), within two seconds at the default of `drain`.
 *
 * In a file that `tenon dev` runs it serves the connections of `tenon dev`, without these options.
 *
 * @throws McpUsageError if another call serves this process's stdin or stdout; RangeError if a limit is out of range
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
export async function serveStdio(given: Servable, options: ServeStdioOptions = {}): Promise<void> {
  if (!isServable(given)) throw new TypeError("serveStdio needs a server");
  const server = acceptorOf(given);
  assertKnown("serveStdio()", options, stdioOptionKeys());
  const own = options.stdin === undefined || options.stdout === undefined;
  const dev = own ? devHost() : undefined;
  if (dev !== undefined) return dev.serve(server);
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
  // Pipes are written asynchronously, so this waits until reports are written.
  await finishesWithin(systemClock, STEP_MS, new Promise((resolve) => process.stderr.write("", resolve)));
  process.exit();
}

/** Reports a closed connection once, although every pending response fails with it. */
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
  process.stderr.write(`tenon: ${usersStack(error)}\n`);
}
