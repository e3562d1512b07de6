/**
 * Keeps everything but protocol messages off stdout while a server is served on it.
 *
 * `console.log` and `process.stdout.write` go to stderr instead, also in dependencies, and so does the output of child
 * processes that would inherit fd 1 (or read messages through an inherited fd 0). Node cannot duplicate a descriptor, so
 * `fs.writeSync(1, …)`, native code and the synchronous `spawnSync` with `stdio: "inherit"` still reach stdout.
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Readable } from "node:stream";

/** Redirects stdout. Returns a function that undoes it. */
export function guardStdout(): () => void {
  const restore = [guardStream(), guardPipes(), guardChildren()];
  return () => {
    for (const undo of restore) undo();
  };
}

function guardStream(): () => void {
  const { stdout, stderr } = process;
  const write = stderr.write.bind(stderr);
  const end = (...args: unknown[]): typeof stdout => {
    if (typeof args[0] === "function") args.unshift("");
    else args[0] ??= "";
    Reflect.apply(write, stderr, args);
    return stdout;
  };
  // Writers wait for stderr, unless stdout itself is full and emits "drain" later.
  const onDrain = (): void => {
    if (!stdout.writableNeedDrain) stdout.emit("drain");
  };
  stderr.on("drain", onDrain);
  const restore = replace(stdout, { write, end });
  return () => {
    stderr.off("drain", onDrain);
    restore();
  };
}

function ignore(): void {
  // The data goes to the pipe.
}

/**
 * Keeps streams that are piped into stdout on `write`. From Node 26 on, a stream with one listener for its data, the pipe's, writes past
 * it. With a second listener the pipe is used as before.
 */
function guardPipes(): () => void {
  const { stdout } = process;
  const piped = new Set<Readable>();
  const onPipe = (source: Readable): void => {
    piped.add(source);
    source.on("data", ignore);
  };
  const onUnpipe = (source: Readable): void => {
    piped.delete(source);
    source.off("data", ignore);
  };
  stdout.on("pipe", onPipe).on("unpipe", onUnpipe);
  return () => {
    stdout.off("pipe", onPipe).off("unpipe", onUnpipe);
    for (const source of piped) source.off("data", ignore);
  };
}

/** The undocumented method that all asynchronous ways to start a process use. */
interface Spawns {
  spawn?: (this: Spawns, options: { stdio?: unknown }) => unknown;
}

/** Where Node names each child process before it starts. */
const CHILDREN = "child_process";

function guardChild(message: unknown): void {
  guardSpawn((message as { process: Spawns }).process); // as Node documents it
}

/** Node names each child process, so that a server that starts none need not load `node:child_process`. Other runtimes name none. */
function guardChildren(): () => void {
  const { bun, deno } = process.versions;
  if ((bun ?? deno) !== undefined) return guardSpawn(process.getBuiltinModule("node:child_process").ChildProcess.prototype as Spawns);
  subscribe(CHILDREN, guardChild);
  return () => void unsubscribe(CHILDREN, guardChild);
}

function guardSpawn(target: Spawns): () => void {
  const { spawn } = target;
  if (typeof spawn !== "function") return () => undefined;
  return replace(target, {
    spawn(options: { stdio?: unknown }): unknown {
      return spawn.call(this, { ...options, stdio: withoutWire(options.stdio) });
    },
  });
}

/** Replaces an inherited stdin by nothing, and an inherited stdout by stderr. */
function withoutWire(stdio: unknown): unknown {
  const streams: unknown = stdio === "inherit" ? [0, 1, 2] : stdio;
  if (!Array.isArray(streams)) return stdio;
  return streams.map((stream: unknown, fd) => {
    const target = stream === "inherit" ? fd : stream;
    if (target === 0 || target === process.stdin) return "ignore";
    if (target === 1 || target === process.stdout) return 2;
    return stream;
  });
}

/** Replaces members of `target`. Returns a function that restores them. */
function replace<T extends object>(target: T, members: Partial<T>): () => void {
  const own = Object.keys(members).map((name) => [name, Object.getOwnPropertyDescriptor(target, name)] as const);
  Object.assign(target, members);
  return () => {
    for (const [name, before] of own) {
      if (before === undefined) Reflect.deleteProperty(target, name);
      else Object.defineProperty(target, name, before);
    }
  };
}
