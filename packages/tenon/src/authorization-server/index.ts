/**
 * `tenon/authorization-server`: an authorization server in front of a provider that registers no clients, such as GitHub or Google. Node
 * only. It needs the package `oidc-provider`.
 */
export { createAuthorizationServer } from "./create.ts";
export type { AuthorizationServer, ProtectOptions } from "./authorization-server.ts";
export type { AuthorizationLifetimes, AuthorizationLimits, AuthorizationServerOptions } from "./options.ts";
export {
  enterprise,
  type CompanyProvider,
  type EnterpriseAccess,
  type EnterpriseAccessOptions,
  type EnterpriseClient,
} from "./enterprise/enterprise.ts";
export {
  github,
  google,
  type GitHubOptions,
  type GoogleOptions,
  type LoginProvider,
  type OAuthLoginProvider,
  type OpenIdProvider,
  type ProviderUser,
} from "./login/login-provider.ts";
