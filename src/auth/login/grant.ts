/** A grant: one way to come by tokens. All grants are plug-ins of this shape; what they share is around them. */
import type { Credentials } from "./credentials.ts";
import type { DpopProver } from "./dpop-prover.ts";
import type { GuardedFetch } from "../guarded-fetch.ts";
import type { Issuer } from "../issuer-metadata.ts";
import type { OAuthClient } from "./oauth-client.ts";
import type { Scope } from "../scope.ts";
import type { TokenResponse } from "./token-endpoint.ts";

/** What a grant works with: found and checked before it is asked. */
export interface GrantContext {
  /** The MCP server. */
  readonly server: URL;
  readonly issuer: Issuer;
  /** What tokens are asked for, as the server publishes it; undefined where it publishes nothing (2025-03-26). */
  readonly resource: string | undefined;
  /** What to ask for; undefined to ask for nothing in particular. */
  readonly scope: Scope | undefined;
  readonly documents: GuardedFetch;
  readonly credentials: Credentials;
  /** Binds tokens to a key, where that is wanted. */
  readonly dpop: DpopProver | undefined;
  readonly signal: AbortSignal;
}

/** Tokens, and who they were issued to. */
export interface ObtainedTokens {
  readonly client: OAuthClient;
  readonly response: TokenResponse;
}

/** A login that was begun: what must be known when the user comes back (requirement M4.4). Secret. */
export interface BegunLogin {
  readonly redirectUri: string;
  readonly state: string;
  readonly verifier: string;
}

/** The same while its user is away, with what it was begun for. */
export interface PendingLogin extends BegunLogin {
  readonly server: string;
  readonly issuer: string;
  readonly resource: string | undefined;
  readonly scope: Scope | undefined;
  readonly clientId: string | undefined;
}

export interface Grant {
  /** Whether a user takes part: it is then not repeated without need, and `offline_access` is asked for. */
  readonly interactive: boolean;
  /** The issuer its credentials are of; a server that names others gets none of them. Undefined: whichever a server names. */
  readonly issuer: string | undefined;
  /** The client it was given, where it was: tokens of others are not its. */
  readonly preregisteredId: string | undefined;
  /** Who we are at that issuer, where that is known: to refresh or revoke what was issued to it. */
  knownClient(at: GrantContext): Promise<OAuthClient | undefined>;
  /** New tokens. @throws AuthorizationError; `at.signal.reason` */
  obtain(at: GrantContext): Promise<ObtainedTokens>;
  /** The second half of `obtain`, where the first sent the user away. */
  redeem?(at: GrantContext, login: PendingLogin, callback: URLSearchParams): Promise<ObtainedTokens>;
  /** The issuer does not know us any more. */
  forgetClient?(at: GrantContext): Promise<void>;
}
