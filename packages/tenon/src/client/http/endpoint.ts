/**
 * One MCP endpoint and the only way to reach it: `fetch` with redirects that stay at the same origin.
 *
 * A redirect is followed only if it keeps the method, the body and the origin, so that no header, session id or argument
 * reaches another server.
 */
import { isPromise } from "../../base/maybe-promise.ts";
import { defaultFetch } from "#default-fetch";
import { systemClock, wallNow } from "../../base/clock.ts";
import { ProtocolViolationError, ConnectionLostError } from "../../jsonrpc/mcp-error.ts";
import type { Authorization } from "./authorization.ts";
import type { CookieJar } from "./cookies.ts";
import { fetchInit, type Fetch, type HttpRequestInit, type HttpResponse } from "./fetch.ts";
import { HttpStatusError } from "./errors.ts";
import { mayConcernSession } from "./session/forgotten.ts";
import { assertSendable } from "./header-check.ts";
import { discard } from "./response.ts";

const MAX_REDIRECTS = 3;
/** Times a request is sent again after its authorizer settled a challenge. */
const MAX_CHALLENGES = 6;

export class Endpoint {
  readonly url: URL;
  /** The URL for messages, without query and fragment, which may hold secrets. */
  readonly name: string;
  readonly #fetch: Fetch;
  readonly #authorization: Authorization | undefined;
  /** What the server set; endpoints of one connection share it. */
  readonly #cookies: { jar?: CookieJar };
  /** Refusals that were returned although a login might have settled them. */
  readonly unsettled: WeakSet<HttpResponse> = new WeakSet();

  /** @throws TypeError if `url` is not an `http:` or `https:` URL, or contains a user name */
  constructor(url: string | URL, fetch: Fetch = defaultFetch, authorization?: Authorization, cookies: { jar?: CookieJar } = {}) {
    this.url = toHttpUrl(url);
    this.name = this.url.origin + this.url.pathname;
    this.#fetch = fetch;
    this.#authorization = authorization;
    this.#cookies = cookies;
  }

  /** Whether this code runs in a page of another origin. A browser then hides why a request failed. */
  get isForeign(): boolean {
    const origin: unknown = (globalThis as { location?: { origin?: unknown } }).location?.origin;
    return typeof origin === "string" && origin !== this.url.origin;
  }

  /** An endpoint at another path of the same origin. @throws ProtocolViolationError if the URL has another origin or a user name */
  sibling(reference: string): Endpoint {
    const url = URL.canParse(reference, this.url) ? new URL(reference, this.url) : undefined;
    if (url === undefined || url.origin !== this.url.origin || url.username !== "" || url.password !== "") {
      throw new ProtocolViolationError(`${this.name} names an endpoint that is not its own`);
    }
    return new Endpoint(url, this.#fetch, this.#authorization, this.#cookies);
  }

  /**
   * Sends a request and returns its response, whatever the status. Follows redirects and settles challenges first.
   * @throws ConnectionLostError if no response comes; HttpStatusError if a redirect is refused; AuthorizationError;
   * `signal.reason`
   * @param asksNobody whether a refusal that may concern the session is returned instead of asking a user to log in. Default false
   */
  send(init: HttpRequestInit, asksNobody = false): Promise<HttpResponse> {
    return this.#authorization === undefined ? this.#exchange(init) : this.#sendSigned(this.#authorization, init, asksNobody);
  }

  async #sendSigned(authorization: Authorization, init: HttpRequestInit, asksNobody: boolean): Promise<HttpResponse> {
    for (let challenges = 0; ; challenges++) {
      const response = await this.#exchange(init);
      if (challenges >= MAX_CHALLENGES) return response;
      const silent = asksNobody && mayConcernSession(response);
      if (!(await authorization.settle(response, init, { silent }))) {
        if (silent) this.unsettled.add(response);
        return response;
      }
      discard(response);
    }
  }

  /** One asynchronous function for all steps: each further one would cost every call. */
  async #exchange(init: HttpRequestInit): Promise<HttpResponse> {
    const fetch = this.#fetch; // browsers and workers refuse to call `fetch` as a method of another object
    for (let url = this.url, redirects = 0; ; redirects++) {
      const made = this.#authorization === undefined ? init.headers : this.#signed(this.#authorization, init, url);
      const headers = this.#withCookies(isPromise(made) ? await made : made, url);
      let response: HttpResponse;
      try {
        response = await fetch(url.href, fetchInit(init, headers));
      } catch (cause) {
        throw this.#unreached(init, cause);
      }
      const set = response.headers.getSetCookie?.();
      if (set !== undefined && set.length > 0) await this.#keep(set, url);
      if (response.type === "opaqueredirect") throw new HttpStatusError(0, `${this.name} redirects, which a browser does not let us check`);
      const location = response.headers.get("location");
      if (response.status < 300 || response.status > 399 || location === null) return response;
      discard(response);
      url = this.#follow(url, location, response.status, redirects);
    }
  }

  /** The error if no response has come. @throws `signal.reason` */
  #unreached(init: HttpRequestInit, cause: unknown): ConnectionLostError {
    init.signal.throwIfAborted();
    const via = cause instanceof Error && WAYS.has(cause.name) ? `: ${cause.message}` : "";
    return new ConnectionLostError(`Cannot reach ${this.name}${via}`, wasNeverSent(cause) ? "not-sent" : "unknown", { cause });
  }

  async #signed(authorization: Authorization, init: HttpRequestInit, url: URL): Promise<HttpRequestInit["headers"]> {
    const signed = await authorization.sign(init, url);
    for (const name in signed) assertSendable(name, signed[name]);
    return { ...init.headers, ...signed };
  }

  #withCookies(headers: HttpRequestInit["headers"], url: URL): HttpRequestInit["headers"] {
    const cookie = this.#cookies.jar?.headerFor(url, wallNow(systemClock));
    return cookie === undefined ? headers : { cookie, ...headers }; // the user's own has priority
  }

  async #keep(lines: readonly string[], url: URL): Promise<void> {
    const { CookieJar: Jar } = await import("./cookies.ts");
    (this.#cookies.jar ??= new Jar()).keep(lines, url, wallNow(systemClock));
  }

  #follow(from: URL, location: string, status: number, redirects: number): URL {
    const refuse = (why: string): HttpStatusError => new HttpStatusError(status, `${this.name} redirects (${status}) ${why}`);
    if (!URL.canParse(location, from)) throw refuse("to an invalid URL");
    const to = new URL(location, from);
    const target = to.origin === "null" ? to.protocol : to.origin + to.pathname; // its query may hold secrets
    const instead = /^https?:$/.test(to.protocol) ? `: ${this.#adviceFor(to, target)}` : "";
    if (status !== 307 && status !== 308) throw refuse(`to ${target} in a way that would change the request${instead}`);
    if (redirects >= MAX_REDIRECTS) throw refuse(`more than ${MAX_REDIRECTS} times, at last to ${target}`);
    if (to.origin !== this.url.origin || to.username !== "" || to.password !== "") throw refuse(`to another origin, ${target}${instead}`);
    return to;
  }

  /** What to type instead. Another host may be another owner, so the user decides. */
  #adviceFor({ hostname }: URL, target: string): string {
    return hostname === this.url.hostname ? `use ${target} instead` : `if that is the server you mean, use ${target} instead`;
  }
}

export function toHttpUrl(url: string | URL): URL {
  if (!URL.canParse(url)) throw new TypeError("The URL of a server must be an absolute http: or https: URL");
  const parsed = new URL(url);
  if (parsed.protocol !== "https:" && parsed.protocol !== "http:")
    throw new TypeError(`Cannot connect to a ${parsed.protocol} URL: use https: or http:`);
  if (parsed.username !== "" || parsed.password !== "")
    throw new TypeError("The URL of a server must not contain a user name or password: use headers");
  parsed.hash = "";
  return parsed;
}

/** The error codes of runtimes for a connection that was never made. */
const NOT_SENT_CODES: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "ERR_CONNECT_TIMEOUT",
  "ConnectionRefused",
  "ERR_PROXY_TUNNEL",
  "ERR_UNIX_SOCKET",
]);

/** The errors that say by which way a server was asked. */
const WAYS: ReadonlySet<string> = new Set(["ProxyError", "UnixSocketError"]);

function wasNeverSent(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 4; cause = cause.cause, depth++) {
    const code = "code" in cause ? cause.code : undefined;
    if (NOT_SENT_CODES.has(code)) return true;
    if (typeof code === "string" && /^(ERR_TLS|CERT_|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code)) return true;
  }
  return false;
}
