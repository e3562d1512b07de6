/**
 * `tenon/auth`: OAuth over `fetch`, for clients and for servers. Runs in browsers and workers; parts that need Node are loaded
 * when used.
 */
export { AuthorizationError, AuthorizationRequiredError, type AuthorizationHop } from "./authorization-error.ts";
export { bearerToken } from "./grants/bearer-token.ts";
export { clientCredentials, type ClientCredentialsOptions } from "./grants/client-credentials.ts";
export { deviceCode, type DeviceCodeOptions, type DevicePrompt } from "./grants/device-code.ts";
export { enterpriseManaged, type EnterpriseOptions, type IdentityProvider } from "./grants/enterprise.ts";
export { tokenExchange, type ExchangeOptions, type SubjectToken, type TokenExchangeOptions } from "./grants/token-exchange.ts";
export { workloadIdentity, type WorkloadIdentityOptions } from "./grants/workload-identity.ts";
export { discover, type Discovered, type DiscoverOptions } from "./login/discovery.ts";
export { MemoryStore, type AuthStore } from "./login/auth-store.ts";
export { oauth, type UserLoginOptions } from "./grants/oauth.ts";
export { OAuthProvider, type Abortable, type LoginOptions } from "./login/oauth-provider.ts";
export type {
  AuthorizationHeaders,
  AuthProvider,
  Authorizer,
  ChallengeResponse,
  RequestToSign,
  SettleOptions,
} from "./login/authorizer.ts";
export type { AuthorizationCodeOptions } from "./grants/authorization-code.ts";
export type { DpopOptions, ProofRequest } from "./login/dpop-prover.ts";
export type { PreregisteredClient, RegistrationOptions } from "./grants/registration.ts";
export type { GuardedFetchOptions } from "./guarded-fetch.ts";
export { anyOf } from "./resource-server/any-of.ts";
export { bearer, type BearerAuth } from "./resource-server/bearer.ts";
export type { VerifiedToken } from "./resource-server/verified-token.ts";
export type { BearerOptions, TokenVerifier } from "./resource-server/bearer-options.ts";
export { AccessRefusedError } from "./resource-server/judge-token.ts";
export type { DpopServerOptions, ProofStore } from "./resource-server/dpop-options.ts";
export type { DpopNonceOptions } from "./resource-server/dpop-nonces.ts";
export type { IntrospectionOptions } from "./resource-server/introspection-options.ts";
export { principalOf, type AuthInfo } from "./resource-server/auth-info.ts";
export type { Authorized, EndpointAuth, AuthRequest, PublicDocument, Refusal } from "./resource-server/endpoint-auth.ts";
export type { ScopeHierarchy } from "./scope.ts";
export type { IssuerChange, OAuthOptions } from "./login/oauth-options.ts";
export type { IssuerMetadata } from "./issuer-metadata.ts";
export { importSigningKey, type ClientAuthMethod, type SigningKey } from "./login/oauth-client.ts";
export type { CallbackHost, LoginPage, OpenPage, Redirection } from "./grants/redirection.ts";
export type { LoginStatus } from "./login/server-tokens.ts";
export type { UrlPolicyOptions } from "./url-policy.ts";
export type { AuthFetch } from "./web-fetch.ts";
