/**
 * Listens on a Unix socket, or on a named pipe of Windows.
 *
 * Security: the mode holds before the first client can connect, and only a socket that an ended process has left is replaced. Any
 * other file is left as it is.
 */
import { chmodSync, existsSync, lstatSync, statSync, unlinkSync, type Stats } from "node:fs";
import type { Server } from "node:http";
import { connect } from "node:net";
import { dirname } from "node:path";
import { isMainThread } from "node:worker_threads";
import { socketPathOf } from "../socket-path.ts";

type Failure = Error & { code?: string };

/** Only the user of this process. */
const OWN = 0o600;
const hasModes = process.platform !== "win32";

/** Resolves with the absolute path when it listens. @throws Error with Node's `code` that says what to do */
export async function listenOnSocket(listener: Server, socket: string, backlog: number, mode: number = OWN): Promise<string> {
  const path = socketPathOf('Option "socket"', socket);
  const open = async (): Promise<Failure | undefined> => {
    const failure = await bind(listener, path, backlog, mode);
    if (failure === undefined && hasModes && (statSync(path).mode & 0o777) !== mode) chmodSync(path, mode);
    return failure;
  };
  let failure = await open();
  if (failure?.code === "EADDRINUSE" && hasModes && (await removeStale(path, failure))) failure = await open();
  if (failure !== undefined) throw explained(failure, path, reasonOf(failure, path));
  return path;
}

/** The file is made by this call itself, so that the mask gives it its mode. A thread cannot set the mask: its file gets the mode afterwards. */
function bind(listener: Server, path: string, backlog: number, mode: number): Promise<Failure | undefined> {
  return new Promise((resolve) => {
    listener.once("error", resolve);
    const mask = isMainThread && hasModes ? process.umask(~mode & 0o777) : undefined;
    try {
      listener.listen({ path, backlog }, () => {
        listener.off("error", resolve);
        resolve(undefined);
      });
    } finally {
      if (mask !== undefined) process.umask(mask);
    }
  });
}

/** Removes the socket of a process that has ended. False if a server listens there. @throws Error if it is another file, or may not be removed */
async function removeStale(path: string, failure: Failure): Promise<boolean> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return true; // gone by now
  if (!found.isSocket()) {
    const kind = found.isDirectory() ? "a folder" : found.isSymbolicLink() ? "a link" : "a file that is not a socket";
    throw explained(failure, path, `${kind} stands there, and is left as it is: choose another path with option "socket", or move it away`);
  }
  const refusal = await refusalOf(path);
  if (refusal === "ENOENT") return true;
  if (refusal !== "ECONNREFUSED" || !isSame(found, lstatSync(path, { throwIfNoEntry: false }))) return false;
  try {
    unlinkSync(path);
  } catch (error) {
    const why = "a process that has ended left it, and this user may not remove it: remove it, or choose another path with option";
    throw explained(error as Failure, path, `${why} "socket"`); // an error of Node's
  }
  return true;
}

/** The code of the error with which the system refuses to connect; undefined if a server listens. */
function refusalOf(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once("error", ({ code }: Failure) => resolve(code));
  });
}

/** Whether a file is still the one that was looked at, and not one that another process has made in the meantime. */
function isSame(before: Stats, now: Stats | undefined): boolean {
  return now !== undefined && now.ino === before.ino && now.ctimeMs === before.ctimeMs;
}

/** What Node reports if it cannot listen, and what changes that. Node reports a missing folder as a missing right. */
function reasonOf({ code }: Failure, path: string): string | undefined {
  const folder = dirname(path);
  if (code === "EADDRINUSE")
    return 'another process listens there, often an earlier run of this program: stop it, or choose another path with option "socket"';
  if (code === "ENOTDIR") return `${folder} is not a folder: correct option "socket"`;
  if (code !== "EACCES") return undefined;
  return existsSync(folder)
    ? `this user may not write in the folder ${folder}: choose another path with option "socket"`
    : `the folder ${folder} does not exist: make it first, or choose another path with option "socket"`;
}

function explained(cause: Failure, path: string, reason: string | undefined): Failure {
  const { code = "" } = cause;
  return reason === undefined
    ? cause
    : Object.assign(new Error(`Cannot listen on the socket ${path}: ${reason} (${code})`, { cause }), { code });
}
