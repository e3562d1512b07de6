/**
 * A running child process as a `Transport`: the client's side of stdio.
 *
 * It reads stdout, writes stdin, keeps the end of stderr, and ends the process. `child-process.ts` starts it. If this
 * process ends without `close()`, the server sees the end of its input and is expected to exit. If it ends during `close()`, the server gets
 * SIGTERM.
 */
import { systemClock, finishesWithin } from "../../base/clock.ts";
import { nextTurn } from "../../base/turns.ts";
import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Incoming, Outgoing } from "../../jsonrpc/incoming.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { ConnectionClosedError, McpError, ErrorCode } from "../../jsonrpc/mcp-error.ts";
import type { ServerProcess, StdioServerParameters } from "../../transport/stdio-server-parameters.ts";
import { ByteTail } from "./byte-tail.ts";
import { toClosedReason } from "../stdio/closed-reason.ts";
import { GarbageReport } from "./garbage-report.ts";
import { LineReader } from "../stdio/line-reader.ts";
import { LineWriter } from "../stdio/line-writer.ts";
import { OwnStderr } from "./own-stderr.ts";
import { shutDown, whileEnding } from "./shut-down.ts";

export type PipedChild = ChildProcess & { readonly pid: number; readonly stdin: Writable; readonly stdout: Readable };

/**
 * Milliseconds to read the remaining output of a process that has exited, because one of its children may hold the pipe open.
 * Also the milliseconds to wait for the exit after its stdin is closed.
 */
const AFTER_EXIT_MS = 200;
/** Milliseconds to wait for the exit after the end of stdout, because the exit code is part of the error. */
const AFTER_PIPES_MS = 40;
/** Most bytes of stderr that an error shows. */
const SHOWN_STDERR_BYTES = 4096;

export class ChildServer implements ServerProcess {
  readonly kind = "stdio";
  readonly pid: number;
  readonly started: Promise<void>;
  readonly #child: PipedChild;
  readonly #parameters: StdioServerParameters;
  readonly #onError: (error: Error) => void;
  readonly #reader: LineReader;
  readonly #writer: LineWriter;
  readonly #tail = new ByteTail();
  readonly #exited: Promise<void>;
  readonly #stdoutEnded: Promise<void>;
  #garbage!: GarbageReport;
  #hasWritten = false;
  #ownStderr: OwnStderr | undefined;
  #closing: Promise<void> | undefined;

  constructor(child: PipedChild, parameters: StdioServerParameters, onError: (error: Error) => void) {
    this.pid = child.pid;
    this.#child = child;
    this.#parameters = parameters;
    this.#onError = onError;
    this.started = firstEvent(child.stdout, ["data", "close"]);
    child.stdout.once("data", () => (this.#hasWritten = true));
    this.#exited = new Promise((resolve) => child.once("exit", () => resolve()));
    let stdoutEnded!: () => void;
    this.#stdoutEnded = new Promise((resolve) => (stdoutEnded = resolve));
    this.#reader = this.#readStdout((cause) => {
      stdoutEnded();
      void this.#lost("the server closed its stdout", cause);
    });
    const onClosed = (cause?: Error): void => void this.#stdinClosed(cause);
    this.#writer = new LineWriter(child.stdin, { ...parameters.limits, onClosed, onDropped: onError });
    this.#readStderr();
    void this.#watchExit();
    child.on("error", onError); // such as a signal that could not be sent
  }

  get stderrTail(): string {
    return this.#tail.text();
  }

  send(message: Outgoing): MaybePromise<void> {
    return this.#writer.send(message);
  }

  writeNow(): void {
    this.#writer.writeNow();
  }

  receive(): MaybePromise<Incoming> {
    return this.#reader.receive();
  }

  receiveAll(take: (incoming: Incoming) => MaybePromise<void>): Promise<never> {
    return this.#reader.receiveAll(take);
  }

  close(reason?: unknown): Promise<void> {
    return (this.#closing ??= whileEnding(this.#child, () => this.#close(toClosedReason("closed by this side", reason))));
  }

  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  unread(ms: number): string | undefined {
    return this.#garbage.unread(ms);
  }

  #readStdout(onEnd: (cause?: Error) => void): LineReader {
    this.#garbage = new GarbageReport(this.#onError, (error) => {
      reader.drain(toClosedReason("no messages", error));
      onEnd(error);
    });
    const reader = new LineReader(this.#child.stdout, {
      maxLineBytes: this.#parameters.limits?.maxLineBytes,
      onEnd,
      onLine: (line, message) => this.#garbage.read(line, message),
    });
    return reader;
  }

  #readStderr(): void {
    const { stderr } = this.#child;
    if (stderr === null) return;
    const { stderr: target = "inherit" } = this.#parameters;
    if (target === "inherit") this.#ownStderr = new OwnStderr();
    const sink = typeof target === "object" ? target : this.#ownStderr;
    stderr.on("error", ignore).on("data", (chunk: Uint8Array) => {
      this.#tail.write(chunk);
      try {
        sink?.write(chunk);
      } catch (error) {
        this.#onError(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  async #watchExit(): Promise<void> {
    await this.#exited;
    await finishesWithin(systemClock, AFTER_EXIT_MS, this.#stdoutEnded);
    await this.#lost("the server exited");
  }

  /** Handles a closed stdin. Usually the process is about to exit; then its last messages and its exit code count instead. */
  async #stdinClosed(cause?: Error): Promise<void> {
    await finishesWithin(systemClock, AFTER_EXIT_MS, this.#exited);
    await nextTurn(); // to see what arrived while this process was busy
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.#lost("the server closed its stdin", cause);
  }

  /** Ends the connection. Calls fail once it is known how the process ended. */
  async #lost(what: string, cause?: Error): Promise<void> {
    await finishesWithin(systemClock, AFTER_PIPES_MS, Promise.all([this.#exited, this.#stderrEnded()]));
    await nextTurn();
    const { exitCode, signalCode } = this.#child;
    const how =
      exitCode !== null ? `the server exited with code ${exitCode}` : signalCode !== null ? `the server was killed by ${signalCode}` : what;
    const facts = { exitCode, signal: signalCode, stderr: this.#tail.text(SHOWN_STDERR_BYTES) };
    const reason =
      cause instanceof McpError ? toClosedReason(what, cause) : new ConnectionClosedError(`Connection closed: ${how}`, facts, { cause });
    this.#reader.end(reason);
    this.#writer.end(reason);
  }

  #stderrEnded(): Promise<void> {
    const { stderr } = this.#child;
    if (stderr === null || stderr.destroyed || stderr.readableEnded) return Promise.resolve();
    return new Promise((resolve) => stderr.once("close", () => resolve()));
  }

  async #close(reason: ConnectionClosedError): Promise<void> {
    const child = this.#child;
    const { timeouts = {}, killTree } = this.#parameters;
    const { flush = 500, exit = 2000, terminate = 2000, reap = 2000 } = timeouts;
    // A server that is blocked on writing reads nothing, so its output is drained until it has read the last messages.
    this.#reader.drain(reason);
    const flushed = await this.#writer.flush(flush);
    this.#writer.end(reason);
    if (flushed) child.stdin.end();
    else child.stdin.destroy();
    const gone = await shutDown(child, this.#exited, { exit, terminate, reap, always: killTree === "always" });
    if (!gone) {
      const message = `The server process ${child.pid} is still alive after SIGKILL; it was abandoned`;
      this.#onError(new McpError(ErrorCode.InternalError, message, { pid: child.pid }));
    }
    this.#release();
  }

  /** Closes this side of the pipes, even if another process holds the other ends. */
  #release(): void {
    const { stdin, stdout, stderr } = this.#child;
    this.#reader.release();
    this.#writer.release();
    this.#ownStderr?.close();
    for (const stream of [stdin, stdout, stderr]) stream?.on("error", ignore).destroy();
    this.#child.unref();
  }
}

function firstEvent(stream: Readable, names: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      for (const name of names) stream.off(name, stop);
      resolve();
    };
    for (const name of names) stream.on(name, stop);
  });
}

function ignore(): void {}
