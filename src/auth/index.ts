/** `tenon/auth`: OAuth over `fetch`. Runs in browsers and workers; Node parts load when used. */
export { AuthorizationError, type AuthorizationHop } from "./authorization-error.ts";
export type { AuthFetch } from "./web-fetch.ts";
export type { UrlPolicyOptions } from "./url-policy.ts";
export type { GuardedFetchOptions } from "./guarded-fetch.ts";
