/**
 * `bearer()`: an endpoint that accepts OAuth access tokens (RFC 6750, RFC 9728).
 *
 * It reads the token, verifies it, checks its claims, and makes the refusals. Verifying is one function that options
 * choose. The checks of the claims are the same for all of them (`judge-token.ts`).
 */
import { andThen, attempt, type MaybePromise } from "../../base/maybe-promise.ts";
import type { AuthInfo } from "./auth-info.ts";
import type { Authorized, EndpointAuth, AuthRequest, PublicDocument, Refusal } from "./endpoint-auth.ts";
import { Refusals } from "./refusals.ts";
import { hasQuery, type PresentedToken } from "./presented-token.ts";
import { issuerIn, presentedIn } from "./shared-request.ts";
import type { VerifiedToken } from "./verified-token.ts";
import { checkOptions, type BearerOptions, type BearerSettings, type TokenVerifier } from "./bearer-options.ts";
import { DPOP_ALGORITHMS } from "./dpop-options.ts";
import type { DpopVerifier } from "./dpop-verifier.ts";
import { TokenCache, type KnownToken } from "./token-cache.ts";
import { acceptedIssuer, AccessRefusedError, judgeToken } from "./judge-token.ts";
import { assertScopes, includesScopes } from "../scope.ts";
import { resourceMetadataPaths } from "../well-known.ts";
import { verifierOf } from "./token-verifier.ts";
import { metadataUrl, publishedMetadata } from "./published-metadata.ts";

/** What `bearer()` returns: the option `auth` of an endpoint, and what a framework needs to route to it. */
export interface BearerAuth extends EndpointAuth {
  /** Its `paths` must reach the endpoint too: `app.all(["/mcp", ...auth.metadata.paths], handler)`. */
  readonly metadata: PublicDocument;
}

/**
 * Accepts access tokens of `issuer` that were issued for `audience`, on every request, and tells clients where to get one.
 *
 * @throws TypeError, RangeError if an option is missing or has a wrong value
 * @example
 * ```ts
 * import { bearer } from "tenon/auth";
 * import { createFetchHandler, McpServer } from "tenon/server";
 *
 * const auth = bearer({ issuer: "https://login.example.com", audience: "http://localhost/mcp", scopes: ["notes:read"] });
 * const handler = createFetchHandler(new McpServer({ name: "notes", version: "1.0.0" }), { auth });
 * const response = await handler(new Request("http://localhost/mcp", { method: "POST" }));
 * console.log(response.status); // 401
 * ```
 */
export function bearer(options: BearerOptions): BearerAuth {
  return new Bearer(options);
}

class Bearer implements BearerAuth {
  readonly metadata: PublicDocument;
  readonly #settings: BearerSettings;
  readonly #refusals: Refusals;
  readonly #verify: TokenVerifier;
  readonly #tokens: TokenCache;
  #dpop: Promise<DpopVerifier> | undefined;

  constructor(options: BearerOptions) {
    const settings = checkOptions(options);
    const { resource, issuers, scopes, scopesSupported, formOf, dpop } = settings;
    const bound = { dpopAlgorithms: dpop === undefined ? [] : DPOP_ALGORITHMS, dpopRequired: dpop?.required === true };
    this.#settings = settings;
    this.#verify = verifierOf(options, settings);
    this.#tokens = new TokenCache(settings.cacheTtl);
    this.#refusals = new Refusals({ metadataUrl: metadataUrl(resource), scopes: scopes.map(formOf), ...bound });
    const document = publishedMetadata({
      resource: options.resource ?? (typeof options.audience === "string" ? options.audience : options.audience[0]!),
      issuers,
      scopes: scopesSupported,
      ...bound,
      more: options.metadata ?? {},
    });
    this.metadata = { paths: resourceMetadataPaths(resource), document };
  }

  knows(request: AuthRequest): boolean {
    return this.#known(request) !== undefined;
  }

  /** Whether a request has a JWT of one of its issuers. The JWT is not verified for that. */
  takes(request: AuthRequest): boolean {
    const presented = presentedIn(request);
    if (typeof presented === "string") return false;
    if (this.#tokens.get(presented.header) !== undefined) return true;
    const issuer = issuerIn(request, presented);
    return issuer !== undefined && acceptedIssuer(issuer, this.#settings.issuers) !== undefined;
  }

  authorize(request: AuthRequest): MaybePromise<Authorized | Refusal> {
    const known = this.#known(request);
    return known === undefined ? this.#read(request) : this.#admit(known.presented, known.authorized, request);
  }

  #known(request: AuthRequest): KnownToken | undefined {
    const header = request.header("authorization");
    return header === undefined || hasQuery(request) ? undefined : this.#tokens.get(header);
  }

  #read(request: AuthRequest): MaybePromise<Authorized | Refusal> {
    const presented = presentedIn(request);
    if (presented === "none") return this.#refusals.unauthorized();
    if (presented === "malformed") return this.#refusals.malformed(new AccessRefusedError("Malformed credentials"));
    if (presented.scheme === "dpop" && this.#settings.dpop === undefined) return this.#refusals.unauthorized();
    return this.#verified(presented, request);
  }

  #verified(presented: PresentedToken, request: AuthRequest): MaybePromise<Authorized | Refusal> {
    return attempt(
      () => andThen(this.#verify(presented.token, request), (verified) => this.#judge(presented, verified, request)),
      (error) => this.#failed(presented, error),
    );
  }

  #judge(presented: PresentedToken, verified: VerifiedToken | undefined, request: AuthRequest): MaybePromise<Authorized | Refusal> {
    if (verified === undefined) throw new AccessRefusedError("Access token refused: the verifier does not take it");
    const authorized = judgeToken(presented.token, verified, this.#settings);
    this.#tokens.add(presented.header, { presented, authorized });
    return this.#admit(presented, authorized, request);
  }

  /** Refuses a request whose token is invalid or cannot be verified. */
  #failed({ scheme }: PresentedToken, error: unknown): Refusal {
    if (error instanceof AccessRefusedError) return this.#refusals.refused(scheme, { error: "invalid_token", reason: error });
    if (isAboutToken(error)) {
      const reason = new AccessRefusedError(`Access token refused: ${error.message}`);
      return this.#refusals.refused(scheme, { error: "invalid_token", reason });
    }
    return this.#refusals.unavailable(new Error("Access tokens cannot be verified", { cause: error }));
  }

  #admit({ scheme, token }: PresentedToken, authorized: Authorized, request: AuthRequest): MaybePromise<Authorized | Refusal> {
    if (scheme === "dpop") return this.#prove(token, authorized, request);
    const bound = isBound(authorized.auth);
    if (!bound && this.#settings.dpop?.required !== true) return this.#withScopes(authorized);
    // A bound token without a proof may be stolen (RFC 9449 section 7.2).
    const why = bound ? "it is bound to a key, and none was shown" : "it is not bound to a key";
    const challenged = this.#settings.dpop === undefined ? "bearer" : "dpop";
    const reason = new AccessRefusedError(`Access token refused: ${why}`);
    return this.#refusals.refused(challenged, { error: "invalid_token", reason });
  }

  async #prove(token: string, authorized: Authorized, request: AuthRequest): Promise<Authorized | Refusal> {
    try {
      const { refused, headers } = await (await this.#dpopVerifier()).verify(request, token, authorized.auth);
      if (refused !== undefined) return this.#refusals.refused("dpop", { ...refused, headers });
      const allowed = this.#withScopes(authorized);
      return headers.length === 0 || "status" in allowed ? allowed : { ...allowed, headers };
    } catch (cause) {
      return this.#refusals.unavailable(new Error("DPoP proofs cannot be verified", { cause }));
    }
  }

  #dpopVerifier(): Promise<DpopVerifier> {
    const { resource, dpop } = this.#settings;
    return (this.#dpop ??= import("./dpop-verifier.ts").then(({ DpopVerifier }) => new DpopVerifier(resource, dpop!))); // without the option, the scheme `dpop` is refused before
  }

  #withScopes(authorized: Authorized): Authorized | Refusal {
    const { scopes } = this.#settings;
    return includesScopes(authorized.auth.scopes, scopes) ? authorized : this.insufficientScope([], authorized.auth);
  }

  insufficientScope(scopes: readonly string[], auth: AuthInfo): Refusal {
    const { issuer, subject, clientId } = auth;
    assertScopes("scopes", scopes);
    const needed = [...new Set([...this.#settings.scopes, ...scopes])];
    const who = JSON.stringify({ issuer, subject, clientId });
    const reason = new AccessRefusedError(`Insufficient scope: ${needed.join(" ")} needed, ${auth.scopes.join(" ")} granted (${who})`);
    return this.#refusals.insufficient(isBound(auth) ? "dpop" : "bearer", needed.map(this.#settings.formOf), reason);
  }
}

function isBound({ claims }: AuthInfo): boolean {
  return claims["cnf"] !== undefined;
}

/** Whether an error of `jose` is about the token, and not about fetching the keys. */
function isAboutToken(error: unknown): error is Error {
  return error instanceof Error && "code" in error && /^ERR_(?:JWT_|JWS_|JOSE_(?:ALG|NOT)_|JWKS_(?:NO|MULTIPLE)_)/.test(String(error.code));
}
