/**
 * Lets pages of listed origins use the endpoint from a browser. Off unless the option `cors` lists origins. Never allows `*`, and never
 * cookies.
 */
import { isLoopbackOrigin } from "./guard.ts";
import { EMPTY_HEADERS, type HttpRequest, type HttpResponse } from "../http-message.ts";

/** The headers of a response that a page may read. */
const EXPOSED = "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, DPoP-Nonce";
const ALLOWED_METHODS = "GET, POST, DELETE, OPTIONS";
/** The request headers that a preflight may ask for: the headers of MCP. */
const ALLOWED_HEADERS =
  /^(?:accept|authorization|content-type|dpop|last-event-id|mcp-[a-z0-9!#$%&'*+.^_`|~-]{1,128}|traceparent|tracestate|baggage)$/;
const MAX_AGE_S = "7200";

/** Pages of other origins that may use an endpoint. Security: never all origins, and never with cookies. */
export interface CorsOptions {
  /** Exact origins; or `"loopback"` for pages of this machine on any port, which the guard allows by default. */
  origins: readonly string[] | "loopback";
  /** Names of further request headers that these pages may send, such as `"x-api-key"`. MCP's own may always be sent. Default: none. */
  headers?: readonly string[];
}

export class Cors {
  readonly #allows: (origin: string) => boolean;
  readonly #headers: ReadonlySet<string>;

  constructor({ origins, headers = [] }: CorsOptions) {
    this.#headers = new Set(headers.map((name) => name.toLowerCase()));
    const listed = origins === "loopback" ? undefined : new Set(origins);
    this.#allows = listed === undefined ? isLoopbackOrigin : (origin): boolean => listed.has(origin);
  }

  /** Adds the CORS headers if the origin of the request is allowed. */
  expose(request: HttpRequest, response: HttpResponse): HttpResponse {
    const origin = request.header("origin");
    const headers = [...response.headers, "Vary", "Origin"];
    if (origin !== undefined && this.#allows(origin))
      headers.push("Access-Control-Allow-Origin", origin, "Access-Control-Expose-Headers", EXPOSED);
    return { ...response, headers };
  }

  /** The response to a preflight, without the origin headers. It allows MCP's headers and the headers of the option. */
  preflight(request: HttpRequest): HttpResponse {
    const names = (request.header("access-control-request-headers") ?? "")
      .toLowerCase()
      .split(",")
      .map((name) => name.trim());
    const headers = [...EMPTY_HEADERS, "Access-Control-Allow-Methods", ALLOWED_METHODS, "Access-Control-Max-Age", MAX_AGE_S];
    const allowed = names.filter((name) => ALLOWED_HEADERS.test(name) || this.#headers.has(name));
    if (allowed.length > 0) headers.push("Access-Control-Allow-Headers", allowed.join(", "));
    return { status: 204, headers };
  }
}
