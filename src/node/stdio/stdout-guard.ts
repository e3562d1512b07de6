/**
 * Keeps everything but protocol off stdout while a server is served on it.
 *
 * `console.log` and `process.stdout.write` go to stderr instead, also where a dependency calls them, and so does the
 * output of child processes that would inherit fd 1 (or read the wire through an inherited fd 0). Node cannot duplicate
 * a descriptor, so fd 1 itself stays the wire: `fs.writeSync(1, …)`, native code and the synchronous `spawnSync` with
 * `stdio: "inherit"` still reach it.
 */
import { ChildProcess } from "node:child_process";

/** Redirects until the function it returns is called, which puts everything back. */
export function guardStdout(): () => void {
  const restore = [guardStream(), guardChildren()];
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
  // Who is told to wait here waits for stderr. While the wire is full itself, it is the wire that tells.
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

/** What every asynchronous way to start a process goes through; not part of Node's documentation. */
interface Spawns {
  spawn?: (this: Spawns, options: { stdio?: unknown }) => unknown;
}

function guardChildren(): () => void {
  const prototype = ChildProcess.prototype as Spawns;
  const { spawn } = prototype;
  if (typeof spawn !== "function") return () => undefined;
  return replace(prototype, {
    spawn(options: { stdio?: unknown }): unknown {
      return spawn.call(this, { ...options, stdio: withoutWire(options.stdio) });
    },
  });
}

/** The same, but with nothing to read where the wire would be read, and stderr where it would be written. */
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

/** Puts own members over those of `target`; the function it returns takes them away again. */
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
