/**
 * Checks `Host` and `Origin` of every request against exact allow-lists.
 *
 * A web page can make a browser send requests to a server on this machine: with the page's origin or, by DNS rebinding, with a host name
 * of its own. The guard refuses both before anything else reads the request (MCP 2026-07-28, Streamable HTTP, Security & Endpoint).
 */
import type { HttpRequest } from "../http-message.ts";

/** Which hosts and origins may use an endpoint. Always checked. The default is this machine only. */
export interface GuardOptions {
  /**
   * Values of the header `Host` that are accepted: `"example.com"` for any port, `"example.com:8443"` for one. Default: `localhost`,
   * `127.0.0.1` and `[::1]`. `"any"`: this endpoint does not check, because what embeds it does. Security: without a check, a host name
   * that is rebound to this machine reaches the server.
   */
  allowedHosts?: readonly string[] | "any";
  /**
   * Origins of web pages that may send requests: `"https://app.example.com"`. Default: pages of the loopback names, on any port. Requests
   * without `Origin`, which programs send, are not affected. `null` is never allowed. `"any"`: this endpoint does not check, because what
   * embeds it does. Security: without a check, every page that the user of this machine opens can send requests.
   */
  allowedOrigins?: readonly string[] | "any";
}

const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];
const AUTHORITY = /^(\[[\da-fA-F:.]{2,45}\]|[\w.-]{1,253})(:\d{1,5})?$/;
const ORIGIN = /^https?:\/\/([^/?#@]+)$/i;

/** Whether a host name is a loopback name, which other machines cannot reach. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.includes(host.toLowerCase()) || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** The path of a URL that may be absolute, without its query. */
export function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/?#]*/i, "").split(/[?#]/, 1)[0]!;
}

export class Guard {
  /** Undefined: any. */
  readonly #hosts: ReadonlySet<string> | undefined;
  readonly #origins: ReadonlySet<string> | "any" | undefined;
  /** The last accepted values: on one connection they rarely change. */
  #lastHost: string | undefined;
  #lastOrigin: string | undefined;

  /** @throws TypeError if an entry is not a host name or not an origin */
  constructor({ allowedHosts = LOOPBACK, allowedOrigins }: GuardOptions = {}) {
    for (const [option, value] of Object.entries({ allowedHosts, allowedOrigins: allowedOrigins ?? [] }))
      if (!Array.isArray(value) && value !== "any") throw new TypeError(`${option} must be a list: [${JSON.stringify(value)}]`);
    for (const host of allowedHosts === "any" ? [] : allowedHosts)
      if (!AUTHORITY.test(host)) throw new TypeError(`allowedHosts: ${JSON.stringify(host)} is not a host name, such as "mcp.example.com"`);
    for (const origin of allowedOrigins === "any" ? [] : (allowedOrigins ?? []))
      if (!ORIGIN.test(origin))
        throw new TypeError(`allowedOrigins: ${JSON.stringify(origin)} is not an origin, such as "https://app.example"`);
    this.#hosts = allowedHosts === "any" ? undefined : lowerCase(allowedHosts);
    this.#origins = allowedOrigins === "any" ? allowedOrigins : allowedOrigins && lowerCase(allowedOrigins);
  }

  /** The status of the refusal; undefined if the request passes. */
  refuse(request: HttpRequest): 403 | 421 | undefined {
    const host = request.header("host");
    if (this.#hosts !== undefined && (host !== this.#lastHost || host === undefined)) {
      if (host === undefined || !hasAuthority(this.#hosts, host)) return 421;
      this.#lastHost = host;
    }
    const origin = request.header("origin");
    if (origin === undefined || origin === this.#lastOrigin) return undefined;
    if (!this.#allowsOrigin(origin)) return 403;
    this.#lastOrigin = origin;
    return undefined;
  }

  #allowsOrigin(origin: string): boolean {
    if (this.#origins === "any") return true;
    if (this.#origins !== undefined) return this.#origins.has(origin.toLowerCase());
    return isLoopbackOrigin(origin);
  }
}

function lowerCase(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => name.toLowerCase()));
}

/** Whether an origin is a page of this machine, on any port. */
export function isLoopbackOrigin(origin: string): boolean {
  const authority = ORIGIN.exec(origin)?.[1];
  return authority !== undefined && hasAuthority(LOOPBACK_SET, authority);
}

const LOOPBACK_SET: ReadonlySet<string> = /* @__PURE__ */ new Set(LOOPBACK);

function hasAuthority(allowed: ReadonlySet<string>, authority: string): boolean {
  const match = AUTHORITY.exec(authority);
  if (match === null) return false;
  return allowed.has(match[1]!.toLowerCase()) || allowed.has(authority.toLowerCase());
}
