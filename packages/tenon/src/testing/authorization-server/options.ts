/** The options of the authorization server, and the settings that a test may change while it runs. */
import type { JSONWebKeySet } from "jose";
import type { GuardedFetchOptions } from "../../auth/guarded-fetch.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { CLIENT_AUTHENTICATION_METHODS, type ClientAuthenticationMethod, type ClientMetadata } from "./clients/client-metadata.ts";
import { GRANT_TYPES } from "./grants/grant.ts";
import type { OAuthErrorCode } from "./oauth-error.ts";
import type { RecordedRequest } from "./recorded-request.ts";

/** An issuer whose assertions this server accepts. */
export interface TrustedIssuer {
  /** The `iss` of its assertions. */
  issuer: string;
  /** Its keys, or a function that fetches them: `() => otherServer.jwks()`. */
  jwks: JSONWebKeySet | (() => MaybePromise<JSONWebKeySet>);
}

/** Settings that are read for every request, so that a test can change them between two requests. Times are in milliseconds. */
export interface AuthorizationServerSettings {
  /** The user of this server: the `sub` of tokens that the user grants. Default `user`. */
  subject: string;
  /** `approve` and `deny` decide at once; `page` shows a page with both buttons. Default `approve`. */
  consent: "approve" | "deny" | "page";
  /** Scopes that may be requested, and `scopes_supported`. Default undefined: any scope, and none is published. */
  scopes: readonly string[] | undefined;
  /** Resources for which a token may be requested (RFC 8707). Default undefined: any. */
  resources: readonly string[] | undefined;
  /** The `aud` if no resource was requested. Default undefined: the issuer. */
  defaultAudience: string | undefined;
  /** How clients may authenticate at the token endpoint. Default all: `none`, basic, post, `private_key_jwt`. */
  clientAuthentication: readonly ClientAuthenticationMethod[];
  /** The supported grants. Default: all. */
  grantTypes: readonly string[];
  /** Whether a client may use the URL of its metadata as its id instead of registering. Default true. */
  clientDocuments: boolean;
  /** JWTs (RFC 9068), opaque tokens for introspection, or JWTs only if the client named a resource. Default `jwt`. */
  accessTokens: "jwt" | "opaque" | "jwt-for-resource";
  /** Milliseconds that an access token is valid. Default 3 600 000 (1 hour). */
  accessTokenLifetime: number;
  /**
   * `rotate`: each is valid once, and a second use revokes the grant; `keep`: each stays valid; `never`: none is issued. Default
   * `rotate`.
   */
  refreshTokens: "rotate" | "keep" | "never";
  /** Milliseconds that a refresh token is valid. Default 86 400 000 (1 day). */
  refreshTokenLifetime: number;
  /** Milliseconds that an authorization code and a consent page are valid. Default 60 000. */
  codeLifetime: number;
  /** Milliseconds that the codes of a device are valid. Default 600 000 (10 minutes). */
  deviceCodeLifetime: number;
  /** Milliseconds that a device must wait between two polls. Default 5 000. */
  devicePollInterval: number;
  /** Whether tokens must be bound to a key. A token is always bound to a key that the request proves. Default `optional`. */
  dpop: "optional" | "required";
  /** Whether DPoP proofs need a nonce of this server. Each response then carries one. Default false. */
  dpopNonces: boolean;
  /** Milliseconds that a nonce for DPoP proofs is valid. Default 300 000 (5 minutes). */
  dpopNonceLifetime: number;
  /** Issuers whose ID-JAGs are accepted. Default: none. */
  identityProviders: readonly TrustedIssuer[];
  /** Issuers whose workload identities are accepted. Default: none. */
  workloadIssuers: readonly TrustedIssuer[];
  /** The `client_id` in an ID-JAG: the id of the client at the other server. Default: the same id. */
  idJagClientId: (clientId: string, audience: string) => string;
  /** Whether the issuer is written with a slash at its end, in metadata, tokens and redirects. Its path must be empty. Default false. */
  issuerSlash: boolean;
  /** What becomes of the parameter `resource`: `accept` makes it the audience, `ignore` changes nothing, `refuse` is `invalid_target`. Default `accept`. */
  resourceParameter: "accept" | "ignore" | "refuse";
  /** Whether JWTs name scopes in `scp`, without the part before the last slash: `read` for `api://app/read`. Default false. */
  shortScopes: boolean;
  /** Changes the claims of an access token that is a JWT: `aud` is the issuer if nothing else is named. Default: as RFC 9068 says. */
  alterAccessToken: ((claims: JsonObject) => JsonObject) | undefined;
  /** The form of responses of the token endpoint: JSON, or a form as GitHub sends it. Default `json`. */
  tokenFormat: "json" | "form";
  /** Whether a client that registers with the method `none` gets a secret all the same, and must use it. Default false. */
  registrationSecret: boolean;
  /** Refuses a request with an OAuth error; undefined lets it pass. Default: none is refused. */
  refuse: ((request: RecordedRequest) => { readonly code: OAuthErrorCode; readonly description: string } | undefined) | undefined;
  /** Runs before each request is handled, for example to delay it. If it returns a status, that is the response. */
  before: ((request: RecordedRequest) => MaybePromise<number | void>) | undefined;
  /** Changes a JSON response, metadata included; undefined makes it a 404. */
  alterResponse: ((response: JsonObject, request: RecordedRequest) => JsonObject | undefined) | undefined;
  /** Changes the parameters (`code`, `state`, `iss`, `error` …) of a redirect to the client. */
  alterRedirect: ((parameters: URLSearchParams, request: RecordedRequest) => void) | undefined;
}

/** A provider whose deviations the test server has: the option `profile`. */
export type ProviderProfile =
  | "atlassian"
  | "auth0"
  | "betterAuth"
  | "clerk"
  | "cognito"
  | "entra"
  | "github"
  | "google"
  | "keycloak"
  | "okta"
  | "salesforce"
  | "slack"
  | "supabase"
  | "workos";

/** A client that need not register. */
export interface GivenClient extends ClientMetadata {
  /** The client id. */
  client_id: string;
  /** Default: none, a public client. */
  client_secret?: string;
}

/** Options of {@link TestAuthorizationServer}. */
export interface TestAuthorizationServerOptions extends Partial<AuthorizationServerSettings> {
  /** The clock of lifetimes and claims, in milliseconds since 1970. Default `Date.now`. */
  clock?: () => number;
  /** Clients that need not register. Default: none. */
  clients?: readonly GivenClient[];
  /** How metadata documents of clients are fetched. Default: over https, from public addresses. */
  documents?: GuardedFetchOptions;
  /** Deviates from the standards as a provider does. The other options replace single settings of it. Default: none. */
  profile?: ProviderProfile;
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
  issuerSlash: false,
  resourceParameter: "accept",
  shortScopes: false,
  alterAccessToken: undefined,
  tokenFormat: "json",
  registrationSecret: false,
  refuse: undefined,
  before: undefined,
  alterResponse: undefined,
  alterRedirect: undefined,
};

/** The settings among the options, with defaults. @throws TypeError if an option is unknown */
export function toSettings(options: TestAuthorizationServerOptions): AuthorizationServerSettings {
  const { clock: _clock, clients: _clients, documents: _documents, profile: _profile, ...rest } = options;
  const unknown = Object.keys(rest).find((name) => !(name in DEFAULTS));
  if (unknown !== undefined) throw new TypeError(`The authorization server has no option ${JSON.stringify(unknown)}`);
  return { ...DEFAULTS, ...rest };
}
