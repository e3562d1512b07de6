/** Whoever sent a request, as the endpoint's `auth` found out: what handlers know of it, and which scopes it has. */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { AuthInfo } from "../../auth/resource-server/auth-info.ts";
import type { Authorized, EndpointAuth, Refusal } from "../../auth/resource-server/endpoint-auth.ts";
import type { Acceptor } from "../../dispatch/acceptor.ts";
import type { TransportContext } from "../../dispatch/dispatcher.ts";
import { covers, scopesOf } from "./endpoint/scopes.ts";

/** Whoever sent a request that was let in: what handlers know of it, and how it is refused after all. */
export class Caller implements TransportContext {
  readonly kind = "http";
  readonly #server: Acceptor;
  readonly #authorizer: EndpointAuth;
  readonly #authorized: Authorized;
  /** Set where it turned out that scopes are missing: what an error is answered with while there is no stream. */
  refusal: Refusal | undefined;

  constructor(server: Acceptor, authorizer: EndpointAuth, authorized: Authorized) {
    this.#server = server;
    this.#authorizer = authorizer;
    this.#authorized = authorized;
  }

  get auth(): AuthInfo {
    return this.#authorized.auth;
  }

  get principal(): string {
    return this.#authorized.principal;
  }

  /** Until when a stream may stay open for it, in milliseconds since 1970. */
  get until(): number {
    return this.#authorized.until;
  }

  /** What every response carries. */
  get headers(): readonly string[] | undefined {
    return this.#authorized.headers;
  }

  challenge(scopes: readonly string[]): Refusal {
    return this.#authorizer.insufficientScope(scopes, this.auth);
  }

  /** Middleware may have made another request of the one that was let in: so what is asked for now counts (R18). */
  requireScopes(scopes: readonly string[], method: string, params: JsonObject): void {
    const own = scopesOf(this.#server, method, params);
    if (covers(this.auth, own) && covers(this.auth, scopes)) return;
    const needed = [...new Set([...own, ...scopes])];
    this.refusal = this.challenge(needed);
    throw insufficientScope(needed);
  }
}

/** Of a request whose endpoint has no `auth`: nobody has any scope there. */
export const NOBODY: TransportContext = {
  kind: "http",
  requireScopes(scopes) {
    if (scopes.length > 0) throw insufficientScope(scopes);
  },
};

function insufficientScope(scopes: readonly string[]): McpError {
  return new McpError(ErrorCode.InvalidRequest, "Insufficient scope", { scopes });
}
