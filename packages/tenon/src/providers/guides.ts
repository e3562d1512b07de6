/**
 * What `tenon doctor --provider` knows of each provider: how its issuers look, and where its console has what can be missing. What tokens must
 * say is known to the function of the provider, and judged by it.
 */
import type { BearerAuth } from "../auth/resource-server/bearer.ts";
import { auth0 } from "./auth0.ts";
import { betterAuth } from "./better-auth.ts";
import { clerk } from "./clerk.ts";
import { cognito } from "./cognito.ts";
import { entra } from "./entra.ts";
import { keycloak } from "./keycloak.ts";
import { okta } from "./okta.ts";
import { supabase } from "./supabase.ts";
import { workos } from "./workos.ts";

/** Options of a provider's function by name, as they were typed or read from an issuer. */
export type TypedOptions = Readonly<Record<string, string | readonly string[]>>;

/** A provider that issues tokens for MCP servers. */
export interface ProviderGuide {
  readonly title: string;
  /** How its issuers look. */
  readonly form: string;
  /** The options that an issuer says; undefined if it is none of this provider. */
  readonly optionsOf: (issuer: URL) => TypedOptions | undefined;
  /** @throws TypeError if an option is missing or wrong */
  readonly make: (options: TypedOptions & { readonly url: string }) => BearerAuth;
  /** What to do if there is no metadata at its issuer. */
  readonly metadataStep: string;
  /** What to do if it has no keys that tokens can be verified with. */
  readonly keysStep: string;
  /** How clients get an id if its metadata offer no registration. */
  readonly clientsStep: string;
  /** `by hand`: it never registers programs; `admins`: its registration endpoint is not for them. Default: it does once it is switched on. */
  readonly registration?: "by hand" | "admins";
  /** It supports PKCE, and its metadata do not say so. */
  readonly hidesPkce?: boolean;
  /** What to do about the scopes that the MCP server publishes; undefined if they are right. */
  readonly scopesStep?: (scopes: readonly string[], url: string) => string | undefined;
}

/** A provider that only says who a user is, behind an authorization server. */
export interface LoginGuide {
  readonly title: string;
  /** Undefined if it has no metadata. */
  readonly issuer: string | undefined;
  /** Its own endpoints, so that an MCP server that names them is found. */
  readonly origin: string;
  /** Where its console takes the redirect URI. */
  readonly callbackStep: (uri: string) => string;
}

/** The end of a path, such as the `staff` of `/realms/staff`. */
function after(pattern: RegExp, { pathname }: URL): string | undefined {
  return pattern.exec(pathname)?.[1];
}

function atOrigin(option: string): ProviderGuide["optionsOf"] {
  return ({ origin, pathname }) => (pathname === "/" ? { [option]: origin } : undefined);
}

// What was typed is checked by the function itself.
const made =
  <T extends { readonly url: string }>(provider: (options: T) => BearerAuth): ProviderGuide["make"] =>
  (options) =>
    provider(options as unknown as T);

export const PROVIDER_GUIDES: Readonly<Record<string, ProviderGuide>> = {
  auth0: {
    title: "Auth0",
    form: "https://<tenant>.<region>.auth0.com/, or a custom domain",
    optionsOf: atOrigin("domain"),
    make: made(auth0),
    metadataStep: "In the Auth0 dashboard, copy the domain from Applications > (any) > Settings.",
    keysStep: "In the Auth0 dashboard, under Applications > APIs > (the API) > Settings, choose the signing algorithm RS256.",
    clientsStep:
      "In the Auth0 dashboard, under Settings > Advanced, switch on OIDC Dynamic Application Registration; or make a native application " +
      "and hand out its client id.",
  },
  betterAuth: {
    title: "Better Auth",
    form: "https://<your application>/api/auth, where Better Auth is mounted",
    optionsOf: ({ href, pathname }) => (pathname === "/" ? undefined : { baseUrl: href }),
    make: made(betterAuth),
    metadataStep:
      "In your application, add the plugin oauth-provider, and the route that serves its metadata at /.well-known/oauth-authorization-server " +
      "followed by the path of Better Auth.",
    keysStep: "In your application, add the plugin jwt beside oauth-provider, and run the migration that makes its table.",
    clientsStep:
      "In the options of the plugin oauth-provider, set allowDynamicClientRegistration and allowUnauthenticatedClientRegistration; or make a " +
      "client and hand out its id.",
  },
  clerk: {
    title: "Clerk",
    form: "https://<instance>.clerk.accounts.dev, or clerk.<your domain>",
    optionsOf: atOrigin("domain"),
    make: made(clerk),
    metadataStep: "In the Clerk dashboard, under API keys, copy the Frontend API URL.",
    keysStep: "In the Clerk dashboard, under OAuth applications > Settings, switch on access tokens that are JWTs.",
    clientsStep:
      "In the Clerk dashboard, under OAuth applications > Settings, switch on dynamic client registration; or add an OAuth application and " +
      "hand out its client id.",
  },
  cognito: {
    title: "Amazon Cognito",
    form: "https://cognito-idp.<region>.amazonaws.com/<pool>",
    optionsOf: (issuer) => {
      const userPoolId = after(/^\/([a-z]{2}(?:-[a-z]+)+-\d_[A-Za-z0-9]+)$/, issuer);
      return userPoolId === undefined ? undefined : { userPoolId };
    },
    make: made(cognito),
    metadataStep: "In the console of Amazon Cognito, under User pools > Overview, copy the user pool ID.",
    keysStep: "In the console of Amazon Cognito, look at the token signing key URL of the pool: a pool always has keys.",
    clientsStep:
      "In the console of Amazon Cognito, under App clients, make a public app client with the callback URL, and hand out its id; or put an " +
      "authorization server in front.",
    registration: "by hand",
    hidesPkce: true,
    scopesStep: (scopes, url) =>
      scopes.every((scope) => scope.includes("/") || /^(?:openid|email|phone|profile)$/.test(scope))
        ? undefined
        : `In the console of Amazon Cognito, under Branding > Domain > Resource servers, scopes belong to a resource server: name them "${url}/<scope>".`,
  },
  entra: {
    title: "Microsoft Entra ID",
    form: "https://login.microsoftonline.com/<directory>/v2.0",
    optionsOf: (issuer) => {
      const tenant = after(/^\/([^/]+)\/v2\.0$/, issuer);
      return tenant === undefined ? undefined : { tenant, authority: issuer.origin };
    },
    make: made(entra),
    metadataStep: "In the Azure portal, under Microsoft Entra ID > Overview, copy the tenant ID.",
    keysStep: "In the Azure portal, look at App registrations > Endpoints: a directory always has keys.",
    clientsStep:
      "In the Azure portal, under App registrations, make one for the clients with a redirect URI of the kind mobile and desktop, and hand out " +
      "its client id; or put an authorization server in front.",
    registration: "by hand",
    hidesPkce: true,
    scopesStep: (scopes) =>
      scopes.every((scope) => scope.includes("/") || /^(?:openid|offline_access|profile|email)$/.test(scope))
        ? undefined
        : 'In the Azure portal, under Expose an API, copy the scopes: clients must request the long form, such as "api://<client id>/read". entra() publishes it.',
  },
  keycloak: {
    title: "Keycloak",
    form: "https://<host>/realms/<realm>",
    optionsOf: (issuer) => {
      const [, path, realm] = /^(.*)\/realms\/([^/]+)$/.exec(issuer.pathname) ?? [];
      return realm === undefined ? undefined : { baseUrl: issuer.origin + path!, realm: decodeURIComponent(realm) }; // they match together
    },
    make: made(keycloak),
    metadataStep:
      "In the Keycloak console, under Realm settings > General, open the OpenID Endpoint Configuration: its issuer is the one to name. Old " +
      "versions have /auth before /realms.",
    keysStep: "In the Keycloak console, under Realm settings > Keys, add a provider of keys for signatures (RSA or EC) that is active.",
    clientsStep: "In the Keycloak console, under Clients, make a public client and hand out its id; or allow Client registration.",
  },
  okta: {
    title: "Okta",
    form: "https://<organisation>.okta.com/oauth2/<authorization server>",
    optionsOf: (issuer) => {
      const id = after(/^\/oauth2\/([^/]+)$/, issuer);
      return id === undefined ? undefined : { domain: issuer.origin, authorizationServer: decodeURIComponent(id) };
    },
    make: made(okta),
    metadataStep:
      "In the Okta console, under Security > API > Authorization Servers, copy the issuer URI of a custom authorization server: what the " +
      "organisation itself issues can be read by Okta only.",
    keysStep: "In the Okta console, under Security > API > (the authorization server) > Settings, look at the signing keys.",
    clientsStep:
      "In the Okta console, under Applications, make a native app and hand out its client id; an access policy of the authorization server must include it.",
    registration: "admins",
  },
  supabase: {
    title: "Supabase",
    form: "https://<project>.supabase.co/auth/v1",
    optionsOf: ({ origin, pathname }) => (pathname === "/auth/v1" ? { project: origin } : undefined),
    make: made(supabase),
    metadataStep: "In the Supabase dashboard, under Authentication > OAuth Server, switch the OAuth server on.",
    keysStep: "In the Supabase dashboard, under Project Settings > JWT Keys, change to signing keys that are asymmetric.",
    clientsStep:
      "In the Supabase dashboard, under Authentication > OAuth Server, allow dynamic registration; or add a client under OAuth Apps and hand out its id.",
    scopesStep: (scopes) =>
      scopes.every((scope) => /^(?:openid|email|profile|phone)$/.test(scope))
        ? undefined
        : 'Tokens of Supabase name no scopes, so that every token is refused: leave the option "scopes" of supabase() out.',
  },
  workos: {
    title: "WorkOS AuthKit",
    form: "https://<subdomain>.authkit.app, or a custom domain",
    optionsOf: atOrigin("domain"),
    make: made(workos),
    metadataStep: "In the WorkOS dashboard, under Domains, copy the domain of AuthKit.",
    keysStep: "In the WorkOS dashboard, look at the domain of AuthKit: an environment always has keys.",
    clientsStep:
      "In the WorkOS dashboard, under Connect > Configuration, switch on Client ID Metadata Document or Dynamic Client Registration.",
  },
};

export const LOGIN_GUIDES: Readonly<Record<string, LoginGuide>> = {
  github: {
    title: "GitHub",
    issuer: undefined,
    origin: "https://github.com",
    callbackStep: (uri) => `At GitHub, under Settings > Developer settings > OAuth Apps, the authorization callback URL must be ${uri}`,
  },
  google: {
    title: "Google",
    issuer: "https://accounts.google.com",
    origin: "https://accounts.google.com",
    callbackStep: (uri) =>
      `In the Google Cloud console, under APIs & Services > Credentials, the OAuth client must have the authorized redirect URI ${uri}`,
  },
};
