/**
 * The options with which `serveHttp()` listens: their checks, and what is wrong with them if it cannot listen. Node's own errors do
 * not name them, or Node takes another address.
 */
import { assertDuration, shown } from "../../base/number-options.ts";
import type { HttpTimeouts, ServeHttpOptions } from "./http-endpoint.ts";
import { socketPathOf } from "../socket-path.ts";

const MAX_PORT = 65_535;
const MAX_WORKERS = 1_024;

/** @throws RangeError if the port or a time is out of range; TypeError if the host, the path or `health` is of another kind */
export function assertListenOptions(options: ServeHttpOptions): void {
  const { port = 0, host = "127.0.0.1", path = "/mcp", health = false, workers = 1, ...times } = options;
  if (!Number.isInteger(port) || port < 0 || port > MAX_PORT)
    throw new RangeError(`Option "port" must be a whole number from 0 to ${MAX_PORT}, not ${shown(port)}`);
  if (typeof host !== "string" || !/^[^/\s]+$/.test(host))
    throw new TypeError(`Option "host" must be an address or the name of a host, such as "127.0.0.1", not ${shown(host)}`);
  if (typeof path !== "string" || !path.startsWith("/"))
    throw new TypeError(`Option "path" must begin with "/", such as "/mcp", not ${shown(path)}`);
  if (typeof health !== "boolean")
    throw new TypeError(`Option "health" must be true or false, not ${shown(health)}: its paths are /livez, /healthz and /readyz`);
  if (workers !== "all" && !(Number.isInteger(workers) && workers >= 1 && workers <= MAX_WORKERS))
    throw new RangeError(`Option "workers" must be "all" or a whole number from 1 to ${MAX_WORKERS}, not ${shown(workers)}`);
  assertDuration("drainDelay", times.drainDelay ?? 0);
  assertSocketOptions(options);
  for (const [name, ms] of Object.entries(times.timeouts ?? ({} satisfies HttpTimeouts))) assertTimeout(`timeouts.${name}`, ms);
}

/** Node takes whole numbers only. @throws RangeError */
function assertTimeout(name: string, ms: number | undefined): void {
  if (ms === undefined || (Number.isSafeInteger(ms) && ms >= 0)) return;
  throw new RangeError(`Option "${name}" must be a whole number of milliseconds >= 0, not ${shown(ms)}`);
}

export function urlOf(host: string, port: number, path: string): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}${path}`;
}

/** What Node reports if it cannot listen, and which option changes that. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'the port is taken, often by an earlier run of this program: choose another one with option "port", or 0 for any that is free',
  EACCES: 'ports below 1024 need more rights: choose another one with option "port"',
  ENOTFOUND: 'no address has this name: correct option "host"',
  EADDRNOTAVAIL: 'no interface of this machine has this address: correct option "host"',
};

/** Names the option in an error of Node's. The result has its `code`, and the error as its `cause`. */
export function explainListenError(error: Error & { code?: string }, port: number, host: string): Error {
  const { code = "" } = error;
  if (!Object.hasOwn(REASONS, code)) return error;
  const name = host.includes(":") ? `[${host}]` : host;
  return Object.assign(new Error(`Cannot listen on ${name}:${port}: ${REASONS[code]} (${code})`, { cause: error }), { code });
}

/** The options that are about a port, and what to do about each. */
const OF_PORTS = {
  port: "leave one of them out, or call serveHttp() twice to serve both",
  host: "a socket has no address, so leave one of them out",
} as const;

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
