/**
 * Who may talk to this endpoint from where: `Host` and `Origin` against exact allow-lists (R1).
 *
 * A page on the web can make a browser send requests to a server on this machine, under the page's own origin or, by
 * rebinding a name, under a host of its own. Both are refused here, before anything else is looked at.
 */
import type { HttpRequest } from "../http-message.ts";

/** Which hosts and origins may use an endpoint (R1). Always checked: what is not named is this machine only. */
export interface GuardOptions {
  /**
   * Hosts that may be asked for: `"example.com"` for any port, `"example.com:8443"` for one. Default: `localhost`,
   * `127.0.0.1` and `[::1]`. Security: without it a name that is rebound to this machine reaches the server.
   */
  allowedHosts?: readonly string[];
  /**
   * Origins of web pages that may send requests: `"https://app.example.com"`. Default: pages of the loopback names, on
   * any port. Requests without `Origin`, which is what programs send, are not affected; `null` is never allowed.
   */
  allowedOrigins?: readonly string[];
}

const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];
const AUTHORITY = /^(\[[\da-fA-F:.]{2,45}\]|[\w.-]{1,253})(:\d{1,5})?$/;
const ORIGIN = /^https?:\/\/([^/?#@]+)$/i;

/** Whether a name is one of this machine's own: what is bound to it is not reached from elsewhere. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.includes(host.toLowerCase()) || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

export class Guard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string> | undefined;
  /** What was allowed last: on one connection it hardly ever changes. */
  #lastHost: string | undefined;
  #lastOrigin: string | undefined;

  /** @throws TypeError for an entry that is no host, or no origin */
  constructor({ allowedHosts = LOOPBACK, allowedOrigins }: GuardOptions = {}) {
    for (const host of allowedHosts)
      if (!AUTHORITY.test(host)) throw new TypeError(`allowedHosts: ${JSON.stringify(host)} is no host name`);
    for (const origin of allowedOrigins ?? [])
      if (!ORIGIN.test(origin)) throw new TypeError(`allowedOrigins: ${JSON.stringify(origin)} is no origin`);
    this.#hosts = new Set(allowedHosts.map((host) => host.toLowerCase()));
    this.#origins = allowedOrigins && new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  }

  /** The status a request is refused with; undefined where it may go on. */
  refuse(request: HttpRequest): 403 | 421 | undefined {
    const host = request.header("host");
    if (host !== this.#lastHost || host === undefined) {
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
    if (this.#origins !== undefined) return this.#origins.has(origin.toLowerCase());
    return isLoopbackOrigin(origin);
  }
}

/** Whether a page comes from this machine, whatever the port. */
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
