/** `tenon/auth`: OAuth over `fetch`. Runs in browsers and workers; Node parts load when used. */
export { AuthorizationError, type AuthorizationHop } from "./authorization-error.ts";
export type { AuthFetch } from "./web-fetch.ts";
export type { UrlPolicyOptions } from "./url-policy.ts";
export type { GuardedFetchOptions } from "./guarded-fetch.ts";
export { bearer, type BearerAuth } from "./bearer.ts";
export type { BearerOptions, TokenVerifier, VerifiedToken } from "./bearer-options.ts";
export { AccessRefusedError } from "./bearer-verdict.ts";
export { principalOf, type AuthInfo } from "./auth-info.ts";
export type { Authorized, EndpointAuth, AuthRequest, PublicDocument, Refusal } from "./endpoint-auth.ts";
export type { ScopeHierarchy } from "./scopes.ts";
