/** The path of a Unix socket, or a named pipe of Windows: where `serveHttp` listens, and what `socketFetch` connects to. */
import { shown } from "../base/number-options.ts";
import { resolve } from "node:path";

const PIPE = /^\\\\[.?]\\pipe\\./i;
const SCHEME = /^[a-z][a-z+]+:/i;

/**
 * The absolute path. Checked here, because Node cuts a path that is too long, and listens on what is left.
 * @param what the option or argument, for the error
 * @throws TypeError if it is not a path; RangeError if the system takes no path of this length
 */
export function socketPathOf(what: string, given: unknown, platform: NodeJS.Platform = process.platform): string {
  const example = platform === "win32" ? String.raw`named pipe, such as \\.\pipe\mcp` : "socket, such as /run/app/mcp.sock";
  const isPath = typeof given === "string" && (platform === "win32" ? PIPE.test(given) : given !== "" && !SCHEME.test(given));
  if (!isPath) throw new TypeError(`${what} must be the path of a ${example}, not ${shown(given)}`);
  if (given.includes("\0"))
    throw new TypeError(`${what} must not contain a NUL character: a socket without a file has no mode, so that every user could connect`);
  return platform === "win32" ? given : withinLength(what, resolve(given), platform === "linux" ? 107 : 103);
}

function withinLength(what: string, path: string, max: number): string {
  const bytes = Buffer.byteLength(path);
  if (bytes <= max) return path;
  throw new RangeError(`${what}: this system takes ${max} bytes, and ${path} has ${bytes}: choose a shorter path, such as in /run or /tmp`);
}
