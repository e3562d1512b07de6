/** What the sealed texts of a login say: the link that a caller gets, and the cookie that binds one browser to one login. */
import type { Clock } from "../../base/clock.ts";
import type { BegunIdentity, UserIdentity } from "../../pages/browser-identity.ts";
import { PageSeals } from "../../pages/page-seals.ts";
import type { SealingKey } from "../../session/asking/options.ts";

/** What a link says: who may log in, at which server, and what it asks for. */
export interface LoginLink extends UserIdentity {
  readonly id: string;
  /** The name of the server in the configuration, and its URL. */
  readonly server: string;
  readonly url: string;
  readonly principal: string;
  readonly clientId: string;
  readonly scope: readonly string[] | undefined;
  readonly metadata: string | undefined;
}

/** How far a browser has come; `link` is undefined for the page that lists logins. */
export type BrowserState =
  | { readonly step: "identity"; readonly link: LoginLink | undefined; readonly begun: BegunIdentity }
  | { readonly step: "consent"; readonly link: LoginLink; readonly token: string }
  | { readonly step: "away"; readonly link: LoginLink; readonly state: string; readonly redirectUri: string }
  | { readonly step: "listing"; readonly user: UserIdentity; readonly token: string };

export class LoginSeals extends PageSeals<LoginLink, BrowserState> {
  /** @param keys undefined for a random key, which no other process has */
  constructor(keys: readonly SealingKey[] | undefined, audience: string, clock: Clock) {
    super({ keys, purpose: `mcp-gateway-login/v1/${audience}`, clock });
  }
}
