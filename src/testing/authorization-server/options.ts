/** How the authorization server behaves: what it is made with, and the settings a test may change while it runs. */
import type { JSONWebKeySet } from "jose";
import type { GuardedFetchOptions } from "../../auth/guarded-fetch.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { CLIENT_AUTHENTICATION_METHODS, type ClientAuthenticationMethod, type ClientMetadata } from "./clients/client-metadata.ts";
import { GRANT_TYPES } from "./grants/grant.ts";
import type { RecordedRequest } from "./recorded-request.ts";

/** Somebody else whose assertions count here. */
export interface TrustedIssuer {
  /** The `iss` of its assertions. */
  issuer: string;
  /** Its keys, or what fetches them: `() => otherServer.jwks()`. */
  jwks: JSONWebKeySet | (() => MaybePromise<JSONWebKeySet>);
}

/** Read with every request: what is assigned between two requests holds for the second. Times are in milliseconds. */
export interface AuthorizationServerSettings {
  /** The user of this server: `sub` of the tokens that a user grants. Default `user`. */
  subject: string;
  /** `approve` and `deny` answer at once; `page` shows one with both buttons. Default `approve`. */
  consent: "approve" | "deny" | "page";
  /** Scopes that may be asked for, and `scopes_supported`. Default undefined: any, and none is published. */
  scopes: readonly string[] | undefined;
  /** Resources a token may be asked for (RFC 8707). Default undefined: any. */
  resources: readonly string[] | undefined;
  /** `aud` where no resource was asked for. Default undefined: the issuer. */
  defaultAudience: string | undefined;
  /** How clients may authenticate at the token endpoint. Default all: `none`, basic, post, `private_key_jwt`. */
  clientAuthentication: readonly ClientAuthenticationMethod[];
  /** The grants that are served. Default all this server has. */
  grantTypes: readonly string[];
  /** Whether a client may be known by the URL of its metadata instead of registering. Default true. */
  clientDocuments: boolean;
  /** JWTs (RFC 9068), or random names that only introspection explains. Default `jwt`. */
  accessTokens: "jwt" | "opaque";
  /** Milliseconds an access token is good for. Default 3 600 000 (1 hour). */
  accessTokenLifetime: number;
  /** `rotate`: each may be used once, and the second use revokes all; `keep`: one for good; `never`. Default `rotate`. */
  refreshTokens: "rotate" | "keep" | "never";
  /** Milliseconds a refresh token is good for. Default 86 400 000 (1 day). */
  refreshTokenLifetime: number;
  /** Milliseconds an authorization code is good for, and a page waits for an answer. Default 60 000. */
  codeLifetime: number;
  /** Milliseconds the codes are good for that a device and its user are given. Default 600 000 (10 minutes). */
  deviceCodeLifetime: number;
  /** Milliseconds a device has to let pass before it asks again. Default 5 000. */
  devicePollInterval: number;
  /** Whether tokens must be bound to a key; they are to every key that is shown. Default `optional`. */
  dpop: "optional" | "required";
  /** Refuses DPoP proofs without a nonce of this server, `use_dpop_nonce`, and gives one out with every answer. Default false. */
  dpopNonces: boolean;
  /** Milliseconds a nonce for DPoP proofs is good for. Default 300 000 (5 minutes). */
  dpopNonceLifetime: number;
  /** Who may vouch for users with an ID-JAG (R2). Default nobody. */
  identityProviders: readonly TrustedIssuer[];
  /** Who may vouch for workloads (R5). Default nobody. */
  workloadIssuers: readonly TrustedIssuer[];
  /** The `client_id` in an ID-JAG: what a client of this server is called at the other one. Default the same. */
  idJagClientId: (clientId: string, audience: string) => string;
  /** Awaited before a request is answered, to delay it; a status answers in the server's place. */
  before: ((request: RecordedRequest) => MaybePromise<number | void>) | undefined;
  /** Changes an answer in JSON, metadata included; undefined makes it a 404. */
  alterAnswer: ((answer: JsonObject, request: RecordedRequest) => JsonObject | undefined) | undefined;
  /** Changes the parameters (`code`, `state`, `iss`, `error` …) a user is sent back to the client with. */
  alterRedirect: ((parameters: URLSearchParams, request: RecordedRequest) => void) | undefined;
}

/** A client the server knows from the start. */
export interface GivenClient extends ClientMetadata {
  /** What it is known by. */
  client_id: string;
  /** Default: none, a public client. */
  client_secret?: string;
}

/** Options of {@link AuthorizationServer}. */
export interface AuthorizationServerOptions extends Partial<AuthorizationServerSettings> {
  /** The clock of every lifetime and claim, in milliseconds since 1970. Default `Date.now`. */
  clock?: () => number;
  /** Clients that need not register. Default: none. */
  clients?: readonly GivenClient[];
  /** How metadata documents of clients are fetched. Default: over https, from public addresses. */
  documents?: GuardedFetchOptions;
}

const MINUTE = 60_000;

const DEFAULTS: AuthorizationServerSettings = {
  subject: "user",
  consent: "approve",
  scopes: undefined,
  resources: undefined,
  defaultAudience: undefined,
  clientAuthentication: CLIENT_AUTHENTICATION_METHODS,
  grantTypes: GRANT_TYPES,
  clientDocuments: true,
  accessTokens: "jwt",
  accessTokenLifetime: 60 * MINUTE,
  refreshTokens: "rotate",
  refreshTokenLifetime: 24 * 60 * MINUTE,
  codeLifetime: MINUTE,
  deviceCodeLifetime: 10 * MINUTE,
  devicePollInterval: 5_000,
  dpop: "optional",
  dpopNonces: false,
  dpopNonceLifetime: 5 * MINUTE,
  identityProviders: [],
  workloadIssuers: [],
  idJagClientId: (clientId): string => clientId,
  before: undefined,
  alterAnswer: undefined,
  alterRedirect: undefined,
};

/** The settings among the options, with their defaults. @throws TypeError for an option there is none of */
export function toSettings(options: AuthorizationServerOptions): AuthorizationServerSettings {
  const { clock: _clock, clients: _clients, documents: _documents, ...given } = options;
  const unknown = Object.keys(given).find((name) => !(name in DEFAULTS));
  if (unknown !== undefined) throw new TypeError(`The authorization server has no option ${JSON.stringify(unknown)}`);
  return { ...DEFAULTS, ...given };
}
