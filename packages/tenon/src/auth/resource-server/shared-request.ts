/**
 * A request that several doors look at. Its credentials are read, parsed and decoded once, whichever doors ask, so that a request behind
 * `anyOf()` costs no more than behind its door alone.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { AuthRequest } from "./endpoint-auth.ts";
import { readPresentedToken, type NoToken, type PresentedToken } from "./presented-token.ts";
import { unverifiedClaims } from "./unverified-claims.ts";

export class SharedRequest implements AuthRequest {
  readonly method: string;
  readonly url: string;
  readonly #request: AuthRequest;
  #authorization: { readonly value: string | undefined } | undefined;
  #presented: PresentedToken | NoToken | undefined;
  #claims: JsonObject | undefined;

  constructor(request: AuthRequest) {
    this.method = request.method;
    this.url = request.url;
    this.#request = request;
  }

  header(name: string): string | undefined {
    if (name !== "authorization") return this.#request.header(name);
    return (this.#authorization ??= { value: this.#request.header(name) }).value;
  }

  get presented(): PresentedToken | NoToken {
    return (this.#presented ??= readPresentedToken(this));
  }

  /** Of the token, which is not verified. */
  get claims(): JsonObject {
    const { presented } = this;
    return (this.#claims ??= typeof presented === "string" ? {} : unverifiedClaims(presented.token));
  }
}

export function presentedIn(request: AuthRequest): PresentedToken | NoToken {
  return request instanceof SharedRequest ? request.presented : readPresentedToken(request);
}

/** The issuer that the token of a request names, if it is a JWT. Security: it is not verified. */
export function issuerIn(request: AuthRequest, { token }: PresentedToken): string | undefined {
  const { iss } = request instanceof SharedRequest ? request.claims : unverifiedClaims(token);
  return typeof iss === "string" ? iss : undefined;
}
