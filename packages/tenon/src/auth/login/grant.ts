/** The interface of a grant: one way to get tokens. Discovery, storage and renewal are shared by all grants. */
import type { Credentials } from "./credentials.ts";
import type { DpopProver } from "./dpop-prover.ts";
import type { GuardedFetch } from "../guarded-fetch.ts";
import type { Issuer } from "../issuer-metadata.ts";
import type { OAuthClient } from "./oauth-client.ts";
import type { Scope } from "../scope.ts";
import type { TokenResponse } from "./token-endpoint.ts";

/** What a grant gets: everything is found and checked before. */
export interface GrantContext {
  /** The MCP server. */
  readonly server: URL;
  readonly issuer: Issuer;
  /** The resource as the server publishes it, by which tokens are stored; undefined if the server publishes no metadata (2025-03-26). */
  readonly resource: string | undefined;
  /** The `resource` parameter of requests: that resource, unless option `resource` says otherwise; undefined to send none. */
  readonly indicator: string | undefined;
  /** The scope to request; undefined to request none. */
  readonly scope: Scope | undefined;
  readonly documents: GuardedFetch;
  readonly credentials: Credentials;
  /** Binds tokens to a key; undefined if they are not bound. */
  readonly dpop: DpopProver | undefined;
  readonly signal: AbortSignal;
}

export interface ObtainedTokens {
  readonly client: OAuthClient;
  readonly response: TokenResponse;
}

/** A login that has begun: what the client must remember until the user comes back. Secret. */
export interface BegunLogin {
  readonly redirectUri: string;
  readonly state: string;
  readonly verifier: string;
}

/** A begun login while the user is away, with the server and issuer it is for. */
export interface PendingLogin extends BegunLogin {
  readonly server: string;
  readonly issuer: string;
  readonly resource: string | undefined;
  readonly scope: Scope | undefined;
  readonly clientId: string | undefined;
}

export interface Grant {
  /** Whether a user takes part. Such a grant is not repeated needlessly, and requests `offline_access`. */
  readonly interactive: boolean;
  /** The issuer of its credentials. Security: they are not used for a server that names another one. Undefined: any issuer. */
  readonly issuer: string | undefined;
  /** The id of the pre-registered client, if there is one. Tokens of other clients are not used. */
  readonly preregisteredId: string | undefined;
  /** The client at that issuer, if it is known: needed to refresh or revoke its tokens. */
  knownClient(at: GrantContext): Promise<OAuthClient | undefined>;
  /** Gets new tokens. @throws AuthorizationError; `at.signal.reason` */
  obtain(at: GrantContext): Promise<ObtainedTokens>;
  /** The second half of `obtain`, if the first sent the user away. */
  redeem?(at: GrantContext, login: PendingLogin, callback: URLSearchParams): Promise<ObtainedTokens>;
  /** Forgets the client, because the issuer no longer knows it. */
  forgetClient?(at: GrantContext): Promise<void>;
}
