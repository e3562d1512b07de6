/** The provider at which users log in: OpenID Connect, or plain OAuth 2 with a URL that says who the user is. */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";

/** What both kinds of providers have. */
interface LoginProviderBase {
  /** The id of the client that you registered at the provider, with the redirect URI `<issuer>/callback`. */
  readonly clientId: string;
  /** Its secret. Default: none, for a client that is public. Security: it stays in this process. */
  readonly clientSecret?: string;
  /** What the login page is called on the button: `GitHub`. Default: the host of the provider. */
  readonly name?: string;
  /** Scopes to request of the provider. Default: `["openid"]` for OpenID Connect, else none. */
  readonly scopes?: readonly string[];
  /** Further parameters of the login page, such as `{ prompt: "select_account" }`. Default: none. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** A provider with OpenID Connect: Google, Entra, Okta, Keycloak. Its metadata is read from its issuer. */
export interface OpenIdProvider extends LoginProviderBase {
  /** The issuer, exactly as its ID tokens spell it: `https://accounts.google.com`. */
  readonly issuer: string;
}

/** A provider with OAuth 2 and no ID tokens: see {@link github}. */
export interface OAuthLoginProvider extends LoginProviderBase {
  /** A URL that names the provider. It is part of each subject, so that it must never change. */
  readonly issuer: string;
  /** The login page. */
  readonly authorizationEndpoint: string;
  /** The endpoint that exchanges codes for tokens. */
  readonly tokenEndpoint: string;
  /** A URL that describes, as a JSON object, the user of an access token. */
  readonly userEndpoint: string;
  /** The member of that object that names the user and never changes or passes to another user. Security: not an e-mail address, not a login name. Default `id`. */
  readonly subjectMember?: string;
}

/** Either kind of provider. The one with a `userEndpoint` is plain OAuth 2. */
export type LoginProvider = OpenIdProvider | OAuthLoginProvider;

/** A user that has logged in at the provider. */
export interface ProviderUser {
  /** The issuer of the provider. */
  readonly issuer: string;
  /** The user's id at the provider. */
  readonly subject: string;
  /** What the provider says about the user: the claims of the ID token, or the document at `userEndpoint`. */
  readonly claims: JsonObject;
}

/** The keys of a client at GitHub. */
export interface GitHubOptions {
  /** The client id of your OAuth app or GitHub app, with the callback URL `<issuer>/callback`. */
  readonly clientId: string;
  /** Its client secret. */
  readonly clientSecret: string;
  /** Scopes, such as `["read:org"]`. Default: none; the public profile is enough to know the user. */
  readonly scopes?: readonly string[];
}

/**
 * GitHub as the provider at which users log in. Users are known by their number, because login names change hands.
 *
 * @example
 * ```ts
 * import { github } from "tenon/authorization-server";
 *
 * const provider = github({ clientId: "Iv1.0123456789abcdef", clientSecret: "from your secrets" });
 * console.log(provider.name); // GitHub
 * ```
 */
export function github(options: GitHubOptions): OAuthLoginProvider {
  assertKnown("github()", options, { clientId: 1, clientSecret: 1, scopes: 1 } satisfies OptionKeys<GitHubOptions>);
  return {
    ...options,
    name: "GitHub",
    issuer: "https://github.com",
    authorizationEndpoint: "https://github.com/login/oauth/authorize",
    tokenEndpoint: "https://github.com/login/oauth/access_token",
    userEndpoint: "https://api.github.com/user",
  };
}

/** The keys of a client at Google. */
export interface GoogleOptions {
  /** The client id of your OAuth client at Google, with the redirect URI `<issuer>/callback`. */
  readonly clientId: string;
  /** Its client secret. */
  readonly clientSecret: string;
  /** Scopes. Default `["openid"]`; `email` and `profile` add claims about the user. */
  readonly scopes?: readonly string[];
}

/**
 * Google as the provider at which users log in. Users are known by the `sub` of their account, because addresses change.
 *
 * @example
 * ```ts
 * import { google } from "tenon/authorization-server";
 *
 * const provider = google({ clientId: "1234.apps.googleusercontent.com", clientSecret: "from your secrets" });
 * console.log(provider.issuer); // https://accounts.google.com
 * ```
 */
export function google(options: GoogleOptions): OpenIdProvider {
  assertKnown("google()", options, { clientId: 1, clientSecret: 1, scopes: 1 } satisfies OptionKeys<GoogleOptions>);
  return { ...options, name: "Google", issuer: "https://accounts.google.com" };
}

const BASE = { clientId: 1, clientSecret: 1, name: 1, scopes: 1, parameters: 1, issuer: 1 } as const;
const OPENID: OptionKeys<OpenIdProvider> = BASE;
const PLAIN: OptionKeys<OAuthLoginProvider> = { ...BASE, authorizationEndpoint: 1, tokenEndpoint: 1, userEndpoint: 1, subjectMember: 1 };

export function isPlainOAuth(provider: LoginProvider): provider is OAuthLoginProvider {
  return "userEndpoint" in provider;
}

/** @throws TypeError if a member is missing, unknown or has a wrong value */
export function assertLoginProvider(provider: LoginProvider | undefined): asserts provider is LoginProvider {
  if (typeof provider !== "object" || provider === null)
    throw new TypeError(
      'createAuthorizationServer() needs option "provider": where users log in, such as github({ clientId, clientSecret })',
    );
  assertKnown('"provider"', provider, isPlainOAuth(provider) ? PLAIN : OPENID);
  const urls = isPlainOAuth(provider)
    ? (["issuer", "authorizationEndpoint", "tokenEndpoint", "userEndpoint"] as const)
    : (["issuer"] as const);
  for (const name of urls) {
    const url: unknown = Object.entries(provider).find(([key]) => key === name)?.[1];
    if (typeof url !== "string" || !URL.canParse(url))
      throw new TypeError(`Option "provider.${name}" must be a URL, not ${JSON.stringify(url)}`);
  }
  if (typeof provider.clientId !== "string" || provider.clientId === "")
    throw new TypeError('Option "provider.clientId" must be the id of your client at the provider');
}
