/**
 * The sealed texts of a login: the link that a caller gets, and the cookie that binds one browser to one login. Nothing is stored for them.
 *
 * Any node with the same keys opens them. A text that does not open, or has expired, is undefined: there is one answer for every fault.
 */
import { wallNow, type Clock } from "../../base/clock.ts";
import { isJsonObject } from "../../jsonrpc/message.ts";
import { KeyRing } from "../../session/asking/rounds/key-ring.ts";
import type { SealingKey } from "../../session/asking/options.ts";
import { isSealed } from "../../session/asking/rounds/request-states.ts";
import type { BegunIdentity, UserIdentity } from "./browser-identity.ts";

/** What a link says: who may log in, at which server, and what it asks for. */
export interface LoginLink extends UserIdentity {
  readonly id: string;
  /** The name of the server in the configuration, and its URL. */
  readonly server: string;
  readonly url: string;
  readonly principal: string;
  /** The client program that the login is for. */
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

/** Milliseconds that a user has from the link to the end of the login, and that a browser has for one step. */
export const LOGIN_TTL = 600_000;
/** Characters of the longest text that is opened. */
const MAX_LENGTH = 8_192;

export class LoginSeals {
  readonly #clock: Clock;
  readonly #keys: readonly SealingKey[] | undefined;
  readonly #purpose: string;
  #made: KeyRing | undefined;

  /** @param keys undefined for a random key, which no other process has */
  constructor(keys: readonly SealingKey[] | undefined, audience: string, clock: Clock) {
    this.#clock = clock;
    this.#keys = keys;
    this.#purpose = `mcp-gateway-login/v1/${audience}`;
  }

  /** A random key is made at its first use: some runtimes have no randomness while modules load. */
  get #ring(): KeyRing {
    return (this.#made ??= new KeyRing(this.#keys ?? [crypto.getRandomValues(new Uint8Array(32))], this.#purpose));
  }

  sealLink(link: LoginLink): Promise<string> {
    return this.#seal("link", link);
  }

  openLink(text: string): Promise<LoginLink | undefined> {
    return this.#open<LoginLink>("link", text);
  }

  sealState(state: BrowserState): Promise<string> {
    return this.#seal("cookie", state);
  }

  openState(text: string): Promise<BrowserState | undefined> {
    return this.#open<BrowserState>("cookie", text);
  }

  async #seal(purpose: string, value: LoginLink | BrowserState): Promise<string> {
    return this.#ring.seal(JSON.stringify({ value, expires: wallNow(this.#clock) + LOGIN_TTL }), purpose);
  }

  async #open<T>(purpose: string, text: string): Promise<T | undefined> {
    if (text.length > MAX_LENGTH || !isSealed(text)) return undefined;
    try {
      const opened: unknown = JSON.parse(await this.#ring.open(text, purpose));
      if (!isJsonObject(opened) || !((opened["expires"] as number) > wallNow(this.#clock))) return undefined;
      return opened["value"] as T; // authentic: a gateway with the key wrote it
    } catch {
      return undefined;
    }
  }
}
