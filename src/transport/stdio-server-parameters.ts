/**
 * How to start a server as a child process, and what a started one is: the part of it that knows no platform.
 *
 * `tenon/client` names these types everywhere; only `node/` can act on them.
 */
import type { Transport } from "./transport.ts";

/** Anything a child's error output can be written to. */
export interface TextSink {
  /** Takes the next bytes, as they came; what it returns is ignored. */
  write(chunk: Uint8Array): unknown;
}

/** Milliseconds for each step of the shutdown. At the defaults it takes 6.5 seconds at worst. */
export interface ShutdownTimeouts {
  /** Milliseconds for messages that were sent already to leave. Default 500. */
  flush?: number;
  /** Milliseconds for the server to exit by itself once its input has ended. Default 2 000. */
  exit?: number;
  /** Milliseconds from SIGTERM to SIGKILL. Default 2 000; Windows has no SIGTERM, and kills at once. */
  terminate?: number;
  /** Milliseconds from SIGKILL to giving up on the process. Default 2 000. */
  reap?: number;
}

/** What bounds the connection to a server that runs as a child process. */
export interface ProgramLimits {
  /** Bytes of one line of the server's. Default 10 MiB. A longer one ends the connection. */
  maxLineBytes: number;
  /**
   * Bytes that may wait to be written while the server does not read. Default 4 MiB; then requests fail with a `LimitExceededError`,
   * and progress is dropped.
   */
  maxQueuedBytes: number;
}

/**
 * A server to start as a child process (ST-01…ST-08). Security: whoever writes these runs programs on this machine; they must not come
 * from a server or a model.
 */
export interface StdioServerParameters {
  /** The executable: a path, or a name looked up in `PATH`. Never run through a shell. */
  command: string;
  /** Passed on word for word. Default none. */
  args?: readonly string[];
  /**
   * Merged over the few variables every program needs (`HOME`, `PATH` …): nothing else of this process's environment
   * reaches the server, so that secrets do not. What changes how programs load (`NODE_OPTIONS`, `LD_*`, `DYLD_*`)
   * reaches it only when named here.
   */
  env?: Readonly<Record<string, string>>;
  /** Default: that of this process. */
  cwd?: string | URL;
  /**
   * Where the server's error output goes: to this process's own (the default), nowhere, only into the tail that errors
   * show (`"pipe"`), or into a sink. It is always read, so that it never blocks the server.
   */
  stderr?: "inherit" | "ignore" | "pipe" | TextSink;
  /** Milliseconds for each step of ending the server. Defaults: see {@link ShutdownTimeouts}. */
  timeouts?: ShutdownTimeouts;
  /** Sizes of lines and queues. Default: see each limit. */
  limits?: Partial<ProgramLimits>;
  /**
   * What happens to processes that the server has started. By default they are killed with a server that has to be
   * killed, and left alone when it exits by itself; `"always"` kills them in both cases.
   */
  killTree?: "always" | "escalation";
}

/** How a start is abandoned, and who is told of what goes wrong. */
export interface SpawnServerOptions {
  /** Abandons the start: nothing is left behind. Without effect once the server was handed over. */
  signal?: AbortSignal;
  /**
   * Told of output that is no message (with an escaped sample of at most 200 bytes), of messages that were dropped, of what a sink
   * throws, and of a server that cannot be killed. Default: nobody.
   */
  onError?: (error: Error) => void;
}

/** The connection to a server that runs as a child process. */
export interface ServerProcess extends Transport {
  /** The process's id, also after it has ended. */
  readonly pid: number;
  /** The last 64 KiB at most of what the server wrote to its error output. */
  readonly stderrTail: string;
}
