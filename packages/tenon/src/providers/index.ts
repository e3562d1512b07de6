/**
 * `tenon/auth/providers`: the providers that people have, each in one line.
 *
 * Most issue tokens for a server: their functions return what `bearer()` returns, the option `auth` of an endpoint. GitHub and Google only say
 * who a user is: they stand behind an authorization server of your own (`tenon/authorization-server`).
 */
export { auth0, type Auth0Options } from "./auth0.ts";
export { betterAuth, type BetterAuthOptions } from "./better-auth.ts";
export { clerk, type ClerkOptions } from "./clerk.ts";
export { cognito, type CognitoOptions } from "./cognito.ts";
export { entra, type EntraOptions } from "./entra.ts";
export { keycloak, type KeycloakOptions } from "./keycloak.ts";
export { okta, type OktaOptions } from "./okta.ts";
export { supabase, type SupabaseOptions } from "./supabase.ts";
export { workos, type WorkosOptions } from "./workos.ts";
export type { HostedProviderOptions } from "./hosted-bearer.ts";
export { github, google, type GitHubOptions, type GoogleOptions } from "../authorization-server/login/login-provider.ts";
