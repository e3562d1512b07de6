/** The checks of the options with which `serveHttp()` listens. Node's own errors do not name them, or it takes another address. */
import { assertDuration } from "../../dispatch/limits.ts";
import type { HttpTimeouts, ServeHttpOptions } from "./http-endpoint.ts";

const MAX_PORT = 65_535;

/** @throws RangeError if the port or a time is out of range; TypeError if the host, the path or `health` is of another kind */
export function assertListenOptions({ port = 0, host = "127.0.0.1", path = "/mcp", health = false, ...times }: ServeHttpOptions): void {
  if (!Number.isInteger(port) || port < 0 || port > MAX_PORT)
    throw new RangeError(`Option "port" must be a whole number from 0 to ${MAX_PORT}, not ${shown(port)}`);
  if (typeof host !== "string" || !/^[^/\s]+$/.test(host))
    throw new TypeError(`Option "host" must be an address or the name of a host, such as "127.0.0.1", not ${shown(host)}`);
  if (typeof path !== "string" || !path.startsWith("/"))
    throw new TypeError(`Option "path" must begin with "/", such as "/mcp", not ${shown(path)}`);
  if (typeof health !== "boolean")
    throw new TypeError(`Option "health" must be true or false, not ${shown(health)}: its paths are /livez, /healthz and /readyz`);
  assertDuration("drainDelay", times.drainDelay ?? 0);
  for (const [name, ms] of Object.entries(times.timeouts ?? ({} satisfies HttpTimeouts))) assertTimeout(`timeouts.${name}`, ms);
}

/** Node takes whole numbers only. @throws RangeError */
function assertTimeout(name: string, ms: number | undefined): void {
  if (ms === undefined || (Number.isSafeInteger(ms) && ms >= 0)) return;
  throw new RangeError(`Option "${name}" must be a whole number of milliseconds >= 0, not ${shown(ms)}`);
}

/** Texts in quotes, so that "3000" differs from 3000. */
function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
