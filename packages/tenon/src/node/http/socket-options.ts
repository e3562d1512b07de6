/** The options with which `serveHttp()` listens on a Unix socket: their checks. */
import { socketPathOf } from "../socket-path.ts";
import type { ServeHttpOptions } from "./http-endpoint.ts";

/** The options that are about a port, and what to do about each. */
const OF_PORTS = {
  port: "leave one of them out, or call serveHttp() twice to serve both",
  host: "a socket has no address, so leave one of them out",
} as const;

/** @throws TypeError, RangeError that name the option */
export function assertSocketOptions(options: ServeHttpOptions): void {
  const { socket, socketMode, workers = 1 } = options;
  if (socketMode !== undefined) assertMode(socketMode, socket);
  if (socket === undefined) return;
  socketPathOf('Option "socket"', socket);
  for (const [name, advice] of Object.entries(OF_PORTS) as [keyof typeof OF_PORTS, string][])
    if (options[name] !== undefined) throw new TypeError(`Options "socket" and "${name}" exclude each other: ${advice}`);
  if (workers !== 1)
    throw new TypeError(
      'Options "socket" and "workers" exclude each other: workers share a port. Use "port", or start a program for each socket behind a balancer',
    );
}

function assertMode(mode: number, socket: string | undefined): void {
  if (socket === undefined) throw new TypeError('Option "socketMode" needs option "socket", the path of the socket');
  if (process.platform === "win32")
    throw new TypeError('Option "socketMode": a named pipe of Windows has no mode, so leave the option out');
  if (!Number.isInteger(mode) || mode < 0 || mode > 0o777)
    throw new RangeError(`Option "socketMode" must be the mode of a file from 0 to 0o777, such as 0o660, not ${String(mode)}`);
}
