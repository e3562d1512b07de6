/** The option `logins` of a gateway: the pages at which users log in at servers, and where their logins are kept. */
import type { OptionKeys } from "../../base/known-options.ts";
import { guardedFetchOptions, type GuardedFetchOptions } from "../../auth/guarded-fetch.ts";
import type { PreregisteredClient } from "../../auth/grants/registration.ts";
import { isLoopbackName } from "../../auth/url-policy.ts";

/**
 * The identity provider at which a browser shows whose it is, before it logs in at a server: OpenID Connect, with an authorization code and
 * PKCE. Security: without it, an attacker could send a login link to another user and get that user's account.
 */
export interface BrowserIdentityOptions extends GuardedFetchOptions {
  /** The issuer of the callers' tokens. The subject of its ID token must equal the subject of the caller's token. */
  readonly issuer: string;
  /** The gateway's client there, with `<url>/identity` as its redirect URI. */
  readonly client: PreregisteredClient;
}

/** Pages at which users log in at servers with `auth: userLogin()`. Needed as soon as callers have tokens. */
export interface LoginPagesOptions {
  /**
   * The URL of the pages, as browsers reach them: `https://gateway.example.com/login`. The endpoint of the gateway serves them, under the same
   * path. Servers' authorization servers send users back to `<url>/callback/<issuer>`, or to `<url>/callback` if the client was registered by hand.
   */
  readonly url: string;
  /** Where browsers show whose they are. */
  readonly identityProvider: BrowserIdentityOptions;
}

export function loginPagesKeys(): OptionKeys<LoginPagesOptions> {
  return { url: 1, identityProvider: { ...guardedFetchOptions(), issuer: 1, client: 1 } };
}

/** @throws TypeError if a URL is not one that browsers may be sent to */
export function assertLoginPages({ url, identityProvider }: LoginPagesOptions): void {
  if (!isPageUrl(url))
    throw new TypeError('Option "logins.url" must be an https: URL with a path, without a query; http: on this machine only');
  if (!URL.canParse(identityProvider?.issuer))
    throw new TypeError('Option "logins.identityProvider.issuer" must be the URL of the issuer of the callers\' tokens');
  if (typeof identityProvider.client?.id !== "string")
    throw new TypeError('Option "logins.identityProvider.client" must be the gateway\'s client there');
}

function isPageUrl(text: string): boolean {
  if (typeof text !== "string" || !URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, hash } = new URL(text);
  const isSafe = protocol === "https:" || (protocol === "http:" && isLoopbackName(hostname));
  return isSafe && pathname !== "/" && !pathname.endsWith("/") && search === "" && hash === "";
}
