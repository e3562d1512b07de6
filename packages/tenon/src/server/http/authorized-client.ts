/** The authenticated client of one HTTP request: its principal, and the scopes of its token. */
import type { AuthInfo } from "../../auth/resource-server/auth-info.ts";
import type { Authorized, EndpointAuth, Refusal } from "../../auth/resource-server/endpoint-auth.ts";
import { includesScopes } from "../../auth/scope.ts";
import type { TransportContext } from "../../dispatch/dispatcher.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { RequirementCheck, Requirements } from "../../transport/transport-context.ts";

const NONE: readonly string[] = [];

/** The client of an authorized request: what handlers see of it. Refuses the request if it lacks a scope. */
export class AuthorizedClient implements TransportContext, RequirementCheck {
  readonly kind = "http";
  readonly #authorizer: EndpointAuth;
  readonly #authorized: Authorized;
  /** The scopes that this request has needed so far. A challenge repeats them, so that the next token has them too. */
  #shown: readonly string[] = NONE;
  /** Set if scopes turned out to be missing while the request ran: the HTTP response to it while there is no stream. */
  refusal: Refusal | undefined;

  constructor(authorizer: EndpointAuth, authorized: Authorized) {
    this.#authorizer = authorizer;
    this.#authorized = authorized;
  }

  get auth(): AuthInfo {
    return this.#authorized.auth;
  }

  get principal(): string {
    return this.#authorized.principal;
  }

  /** The time until which its streams may stay open, in milliseconds since 1970. */
  get until(): number {
    return this.#authorized.until;
  }

  /** Aborts when its streams end before that; undefined if they do not. */
  get ended(): AbortSignal | undefined {
    return this.#authorized.ended;
  }

  /** Headers of every response to this client. */
  get headers(): readonly string[] | undefined {
    return this.#authorized.headers;
  }

  get requirements(): this {
    return this;
  }

  /** The refusal of a request that lacks some of these scopes; undefined if it has all of them. */
  refuse(scopes: readonly string[]): Refusal | undefined {
    if (scopes.length === 0) return undefined;
    const needed = [...new Set([...this.#shown, ...scopes])];
    if (!includesScopes(this.auth.scopes, scopes)) return this.#authorizer.insufficientScope(needed, this.auth);
    this.#shown = needed;
    return undefined;
  }

  check({ scopes }: Requirements): void {
    const refusal = this.refuse(scopes);
    if (refusal === undefined) return;
    this.refusal = refusal;
    throw insufficientScope([...new Set([...this.#shown, ...scopes])]);
  }
}

/** The client of a request whose endpoint has no `auth`: it has no scope at all. */
export const UNAUTHENTICATED: TransportContext & { readonly requirements: RequirementCheck } = {
  kind: "http",
  requirements: {
    check({ scopes }) {
      if (scopes.length > 0) throw insufficientScope(scopes);
    },
  },
};

function insufficientScope(scopes: readonly string[]): McpError {
  return new McpError(ErrorCode.InvalidRequest, "Insufficient scope", { scopes });
}
