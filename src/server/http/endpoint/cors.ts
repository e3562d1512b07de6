/**
 * Lets pages of listed origins use the endpoint from a browser. Off unless origins are given; never `*`, and never with
 * cookies (R1).
 */
import { isLoopbackOrigin } from "./guard.ts";
import { EMPTY_HEADERS, type HttpRequest, type HttpResponse } from "../http-message.ts";

/** What a page may read of a response besides its body. */
const EXPOSED = "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, DPoP-Nonce";
const ALLOWED_METHODS = "GET, POST, DELETE, OPTIONS";
/** What a preflight that names no headers is told; one that does is told those, in so far as they are MCP's. */
const ALLOWED_HEADERS =
  /^(?:accept|authorization|content-type|dpop|last-event-id|mcp-[a-z0-9!#$%&'*+.^_`|~-]{1,128}|traceparent|tracestate|baggage)$/;
const MAX_AGE_S = "7200";

/** Pages of other origins that may use an endpoint. Security: never all of them, and never with cookies (R1). */
export interface CorsOptions {
  /** Exact origins; or `"loopback"`: pages of this machine, on any port, as the guard allows them by default. */
  origins: readonly string[] | "loopback";
}

/** @throws TypeError for what is no origin, `*` and `null` included, and for pages that the guard would refuse */
export function assertOrigins({ origins }: CorsOptions, allowedOrigins: readonly string[] | undefined): void {
  if (origins === "loopback") {
    if (allowedOrigins !== undefined) throw new TypeError('cors.origins: "loopback" goes with the default of "allowedOrigins" only');
    return;
  }
  for (const origin of origins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      throw new TypeError(`cors.origins: ${JSON.stringify(origin)} is no origin`);
  }
}

export class Cors {
  readonly #allows: (origin: string) => boolean;

  constructor({ origins }: CorsOptions) {
    const listed = origins === "loopback" ? undefined : new Set(origins);
    this.#allows = listed === undefined ? isLoopbackOrigin : (origin): boolean => listed.has(origin);
  }

  /** The response as a page of the request's origin may read it. */
  expose(request: HttpRequest, response: HttpResponse): HttpResponse {
    const origin = request.header("origin");
    const headers = [...response.headers, "Vary", "Origin"];
    if (origin !== undefined && this.#allows(origin))
      headers.push("Access-Control-Allow-Origin", origin, "Access-Control-Expose-Headers", EXPOSED);
    return { ...response, headers };
  }

  /** The answer to a preflight, still to be exposed. Headers that are not MCP's are not allowed. */
  preflight(request: HttpRequest): HttpResponse {
    const asked = (request.header("access-control-request-headers") ?? "")
      .toLowerCase()
      .split(",")
      .map((name) => name.trim());
    const headers = [...EMPTY_HEADERS, "Access-Control-Allow-Methods", ALLOWED_METHODS, "Access-Control-Max-Age", MAX_AGE_S];
    const allowed = asked.filter((name) => ALLOWED_HEADERS.test(name));
    if (allowed.length > 0) headers.push("Access-Control-Allow-Headers", allowed.join(", "));
    return { status: 204, headers };
  }
}
