/** The option `logins` of a gateway: the pages at which users log in at servers, and where their logins are kept. */
import type { OptionKeys } from "../../base/known-options.ts";
import { assertBrowserIdentity, browserIdentityKeys, type BrowserIdentityOptions } from "../../pages/browser-identity.ts";
import { assertPageUrl } from "../../pages/page-url.ts";

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
  return { url: 1, identityProvider: browserIdentityKeys() };
}

/** @throws TypeError if a URL is not one that browsers may be sent to */
export function assertLoginPages({ url, identityProvider }: LoginPagesOptions): void {
  assertPageUrl("logins.url", url);
  assertBrowserIdentity("logins.identityProvider", identityProvider);
}
