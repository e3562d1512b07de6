/**
 * Gets the tokens of one server: finds the issuer, chooses the scope, and refreshes or runs the grant.
 *
 * It stores nothing; `server-tokens.ts` does.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { AuthorizationError } from "../authorization-error.ts";
import type { Challenge } from "./challenge.ts";
import type { Credentials, ServerBinding, TokenSet } from "./credentials.ts";
import { Discovery, type FoundIssuer } from "./discovery.ts";
import { DpopProver } from "./dpop-prover.ts";
import type { Grant, GrantContext } from "./grant.ts";
import { GuardedFetch } from "../guarded-fetch.ts";
import type { Issuer } from "../issuer-metadata.ts";
import { isSameIssuer } from "../issuer-name.ts";
import type { OAuthOptions } from "./oauth-options.ts";
import { revoke } from "./revocation.ts";
import { parseScope, type Scope } from "../scope.ts";
import { scopeToRequest } from "./requested-scope.ts";
import { requestToken } from "./token-endpoint.ts";
import { toTokenSet } from "./token-set.ts";

export interface RenewalReason {
  /** The refused token; undefined if the request had none. */
  readonly used: string | undefined;
  readonly challenge: Challenge;
  /** Whether the token is valid but lacks scopes. A refresh would not help. */
  readonly stepUp: boolean;
  /** Whether a refreshed token was refused as well. */
  readonly fresh: boolean;
  /** Whether no user may be asked. Default false. */
  readonly silent?: boolean;
  /** Whether the program asked for a login with this challenge, so that its scope is added to the option `scope`. Default false. */
  readonly isAsked?: boolean;
}

export interface GrantTerms {
  /** Existing tokens of that issuer for the same server. */
  readonly known: TokenSet | undefined;
  readonly scope: Scope | undefined;
  readonly signal: AbortSignal;
}

/** Error codes after which the same refresh token is not tried again. Some servers say of an expired one that the request or the token is invalid. */
const FINAL_ERRORS: ReadonlySet<string | undefined> = new Set(["invalid_grant", "invalid_request", "invalid_token"]);
/** Error codes after which the client registers again. */
const UNKNOWN_CLIENT: ReadonlySet<string | undefined> = new Set(["invalid_client", "unauthorized_client"]);
/** Empty server metadata, for an issuer that is used again. */
const NO_SERVER_METADATA = { scopesSupported: undefined, dpopRequired: false };

/** The client that the tokens were issued to is unknown. Only that client can refresh them. */
class UnknownClientError extends AuthorizationError {
  constructor({ metadata }: Issuer) {
    const problem = "the client that the tokens were issued to is not known here any more";
    super({ hop: "refresh", url: metadata.token_endpoint ?? metadata.issuer, problem, remedy: "Log in again." });
  }
}

export class TokenSource {
  readonly #server: URL;
  readonly #grant: Grant;
  readonly #options: OAuthOptions;
  readonly #credentials: Credentials;
  readonly #documents: GuardedFetch;
  readonly #discovery: Discovery;
  #prover: DpopProver | undefined;

  constructor(
    server: URL,
    { grant, credentials, options }: { readonly grant: Grant; readonly credentials: Credentials; readonly options: OAuthOptions },
  ) {
    this.#server = server;
    this.#grant = grant;
    this.#options = options;
    this.#credentials = credentials;
    this.#documents = new GuardedFetch(options, server);
    this.#discovery = new Discovery(this.#documents, server);
  }

  // ---- discovery ----

  /** Reads the server's metadata again, and decides what to request. @throws AuthorizationError */
  async find(need: RenewalReason, stored: TokenSet | undefined, signal: AbortSignal): Promise<GrantContext> {
    const found = await this.#discover(need, stored, signal);
    const isSame = stored !== undefined && isSameIssuer(stored.issuer, found.issuer.metadata.issuer) && stored.resource === found.resource;
    const known = isSame ? stored : undefined;
    return this.#context(found, { known, scope: this.#scopeFor(need, found, known), signal });
  }

  #scopeFor(need: RenewalReason, found: FoundIssuer, known: TokenSet | undefined): Scope | undefined {
    const { scope } = this.#options;
    const own = scope === undefined ? undefined : parseScope(scope);
    return scopeToRequest({ server: this.#server, own, known, found, interactive: this.#grant.interactive }, need);
  }

  /** Prepares a request to the issuer of existing tokens, or to one that was chosen before. @throws AuthorizationError */
  async back(binding: ServerBinding, terms: GrantTerms): Promise<GrantContext> {
    const issuer = await this.#discovery.issuerOf(binding, terms.signal);
    return this.#context({ issuer, resource: binding.resource, ...NO_SERVER_METADATA }, terms);
  }

  async #discover({ challenge }: RenewalReason, stored: TokenSet | undefined, signal: AbortSignal): Promise<FoundIssuer> {
    const bound = stored ?? (await this.#credentials.server(this.#server));
    const choice = { expected: this.#grant.issuer, known: bound?.issuer, mayStandIn: this.#grant.interactive };
    const found = await this.#discovery.find(challenge.resourceMetadata, choice, signal);
    const to = found.issuer.metadata.issuer;
    if (bound === undefined || isSameIssuer(bound.issuer, to) || (await this.#mayChange(bound.issuer, to))) return found;
    throw new AuthorizationError({
      hop: "protected resource metadata",
      url: this.#server,
      problem: "the server now names another authorization server than the one its tokens came from",
      remedy:
        'Nothing was sent to it. If that is right, allow it with option "onIssuerChange", and pass the client that is registered there.',
    });
  }

  async #mayChange(from: string, to: string): Promise<boolean> {
    const { onIssuerChange } = this.#options;
    if (onIssuerChange !== undefined) return onIssuerChange({ server: this.#server, from, to });
    return this.#grant.preregisteredId === undefined;
  }

  async #context(found: FoundIssuer, { known, scope, signal }: GrantTerms): Promise<GrantContext> {
    const { issuer, resource, dpopRequired } = found;
    const isBound = known?.dpopKey !== undefined || (this.#options.dpop ?? dpopRequired) !== false;
    return {
      server: this.#server,
      issuer,
      resource,
      indicator: this.#indicatorOf(found),
      scope,
      documents: this.#documents,
      credentials: this.#credentials,
      dpop: isBound ? await this.proverOf(known?.dpopKey) : undefined,
      signal,
    };
  }

  /** Security: a token of an issuer that only the user named is asked for this server, so that no other accepts it. */
  #indicatorOf({ resource: published, issuer }: FoundIssuer): string | undefined {
    const { resource } = this.#options;
    if (resource === false) return undefined;
    const isOwn = isSameIssuer(issuer.metadata.issuer, this.#server.origin);
    return resource ?? published ?? (isOwn ? undefined : this.#server.href);
  }

  /** Returns the prover of a key. It is the same object for the same key, because it remembers nonces. Without a key a new one is made. */
  async proverOf(key: JsonObject | undefined): Promise<DpopProver> {
    const known = this.#prover;
    if (known !== undefined && (key === undefined || JSON.stringify(known.jwk) === JSON.stringify(key))) return known;
    const { dpop } = this.#options;
    this.#prover = await DpopProver.create(typeof dpop === "object" ? dpop : {}, key);
    return this.#prover;
  }

  // ---- tokens ----

  /** Refreshes tokens; undefined if the issuer refuses the refresh token. @throws AuthorizationError */
  async refresh(at: GrantContext, stored: TokenSet): Promise<TokenSet | undefined> {
    try {
      return await this.redeemRefreshToken(at, stored);
    } catch (error) {
      if (error instanceof UnknownClientError) return undefined;
      if (!(error instanceof AuthorizationError)) throw error;
      const isUnknown = UNKNOWN_CLIENT.has(error.error);
      if (!isUnknown && !FINAL_ERRORS.has(error.error)) throw error;
      if (isUnknown) await this.#grant.forgetClient?.(at);
      return undefined;
    }
  }

  /** Refreshes tokens. @throws AuthorizationError, also if the issuer refuses the refresh token */
  async redeemRefreshToken(at: GrantContext, stored: TokenSet): Promise<TokenSet> {
    const { refreshToken } = stored;
    const { issuer, indicator, dpop, signal } = at;
    const client = await this.#grant.knownClient(at);
    if (client === undefined || client.id !== stored.clientId || refreshToken === undefined) throw new UnknownClientError(issuer);
    const scope = this.#options.scopeOnRefresh === true ? stored.requested?.join(" ") : undefined;
    const parameters = { refresh_token: refreshToken, resource: indicator, scope };
    const answer = await requestToken(this.#documents, {
      hop: "refresh",
      issuer,
      client,
      grantType: "refresh_token",
      parameters,
      dpop,
      signal,
    });
    const scopes = { scope: answer.scope ?? stored.scope, requested: stored.requested };
    return toTokenSet(at, { client, response: { ...answer, refreshToken: answer.refreshToken ?? refreshToken } }, scopes);
  }

  /** Gets new tokens. @throws AuthorizationError */
  async obtain(at: GrantContext, obtain: Grant["obtain"] = (context) => this.#grant.obtain(context)): Promise<TokenSet> {
    const obtained = await obtain(at);
    return toTokenSet(at, obtained, { scope: obtained.response.scope, requested: at.scope });
  }

  /** Revokes tokens, if the issuer supports that. @returns whether the issuer confirmed */
  async revoke(stored: TokenSet, signal: AbortSignal): Promise<boolean> {
    try {
      const at = await this.back(stored, { known: stored, scope: undefined, signal });
      const client = await this.#grant.knownClient(at);
      return client !== undefined && client.id === stored.clientId && (await revoke(at, client, stored));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AuthorizationError) return false; // they expire by themselves
      throw error;
    }
  }
}
