/**
 * How to start a server as a child process, and the types of a started one: the part that needs no platform.
 *
 * `tenon/client` names these types everywhere; only `node/` can start a process.
 */
import type { OptionKeys } from "../base/known-options.ts";
import type { Transport } from "./transport.ts";

/** A destination for a child's error output. */
export interface TextSink {
  /** Takes the next bytes, as they came; its return value is ignored. */
  write(chunk: Uint8Array): unknown;
}

/** Milliseconds for each step of the shutdown. With the defaults it takes at most 6.5 seconds. */
export interface ShutdownTimeouts {
  /** Milliseconds to write messages that were already sent. Default 500. */
  flush?: number;
  /** Milliseconds for the server to exit by itself after its input has ended. Default 2 000. */
  exit?: number;
  /** Milliseconds from SIGTERM to SIGKILL. Default 2 000; Windows has no SIGTERM, and kills at once. */
  terminate?: number;
  /** Milliseconds to wait for the process after SIGKILL. Default 2 000. */
  reap?: number;
}

/** Milliseconds for the start of a program, and for each step of its shutdown. */
export interface ProgramTimeouts extends ShutdownTimeouts {
  /**
   * Milliseconds the program has to start: until it writes something to its stdout. Time limits of requests count from then, so that a
   * program that is being downloaded first is not taken for one that does not respond. When they are over the program counts as
   * started, and `onError` is called. `Infinity` for no limit. Default 60 000.
   */
  start?: number;
}

/** Limits of the connection to a server that runs as a child process. */
export interface ProgramLimits {
  /** The most bytes of one line from the server. Default 10 MiB. A longer line ends the connection. */
  maxLineBytes: number;
  /**
   * The most bytes that wait to be written while the server does not read. Default 4 MiB; then requests fail with a
   * `LimitExceededError`, and progress is dropped.
   */
  maxQueuedBytes: number;
  /**
   * The most bytes that wait to be written in all, answers to the server's questions included. Default 64 MiB. An answer that exceeds it
   * is sent as an error; a notification is dropped and reported.
   */
  maxUnreadBytes: number;
}

/**
 * A server to start as a child process. Security: these parameters run programs on this machine; never take them from a server or a
 * model.
 */
export interface StdioServerParameters {
  /** The executable: a path, or a name to find in `PATH`. It never runs through a shell. */
  command: string;
  /** The arguments, passed on word for word. Default none. */
  args?: readonly string[];
  /**
   * Merged over the few variables that every program needs (`HOME`, `PATH` …). Security: nothing else of this process's environment
   * reaches the server, so that secrets do not. Variables that change how programs load (`NODE_OPTIONS`, `LD_*`, `DYLD_*`) reach it
   * only if you name them here.
   */
  env?: Readonly<Record<string, string>>;
  /** The working directory. Default: this process's. */
  cwd?: string | URL;
  /**
   * Where the server's error output goes: to this process's own (the default), nowhere, only into the tail that errors show
   * (`"pipe"`), or into a sink. It is always read, so that it never blocks the server.
   */
  stderr?: "inherit" | "ignore" | "pipe" | TextSink;
  /** Milliseconds for the start, and for each step of the shutdown. Defaults: see {@link ProgramTimeouts}. */
  timeouts?: ProgramTimeouts;
  /** Limits of lines and queues. Default: see each limit. */
  limits?: Partial<ProgramLimits>;
  /**
   * What happens to processes that the server has started. By default they are killed if the server has to be killed, and left
   * alone if it exits by itself; `"always"` kills them in both cases.
   */
  killTree?: "always" | "escalation";
}

export const STDIO_SERVER_KEYS: OptionKeys<StdioServerParameters> = {
  command: 1,
  args: 1,
  env: 1,
  cwd: 1,
  stderr: 1,
  timeouts: { start: 1, flush: 1, exit: 1, terminate: 1, reap: 1 },
  limits: { maxLineBytes: 1, maxQueuedBytes: 1, maxUnreadBytes: 1 },
  killTree: 1,
};

/** How to cancel a start, and where errors are reported. */
export interface SpawnServerOptions {
  /** Cancels the start and leaves no process behind. Without effect after the start. */
  signal?: AbortSignal;
  /**
   * Called with output that is not a message (with an escaped sample of at most 200 bytes), dropped messages, errors that a sink
   * throws, and a server that cannot be killed. Default: ignored.
   */
  onError?: (error: Error) => void;
}

/** The connection to a server that runs as a child process. */
export interface ServerProcess extends Transport {
  /** The process's id; it stays after the process has ended. */
  readonly pid: number;
  /** Resolves when the server has written something to its stdout, or will write nothing any more. */
  readonly started: Promise<void>;
  /** Whether the server has written anything to its stdout. */
  readonly hasWritten: boolean;
  /** The last 64 KiB of the server's error output. */
  readonly stderrTail: string;
}
