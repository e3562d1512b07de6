/**
 * The pages at which a user logs in at a server (option `logins`): from the link of a call to the authorization server of the server and back.
 *
 * 1. `GET <url>/<link>`: the browser shows at the identity provider whose it is. It must be the user whose call asked.
 * 2. `GET <url>/identity`: the user is asked whether that program may use that server.
 * 3. `POST <url>/consent`: the browser goes to the server's authorization server.
 * 4. `GET <url>/callback/<issuer>`: the code is redeemed and the tokens are kept. A client that was registered by hand, or has a metadata
 *    document, comes back to `<url>/callback`. Security: the browser is taken only at the redirect URI of its own login.
 *
 * A sealed cookie carries the login from step to step, so the browser that ends it is the one that began it. `GET <url>` lists the logins
 * of the user, and ends them.
 */
import { escapeHtml } from "../../base/text/html-page.ts";
import { randomId } from "../../base/bytes.ts";
import { AuthorizationRequiredError } from "../../auth/authorization-error.ts";
import { isSameIssuer } from "../../auth/issuer-name.ts";
import type { OAuthProvider } from "../../auth/login/oauth-provider.ts";
import type { PageRequest } from "../../dispatch/acceptor.ts";
import { BrowserIdentity, type UserIdentity } from "../../pages/browser-identity.ts";
import { PageCookie } from "../../pages/page-cookie.ts";
import { ANY_SITE, failedLogin, form, message, page, redirect, unusable, type PageResponse } from "../../pages/page-html.ts";
import { PAGE_TTL } from "../../pages/page-seals.ts";
import { isBelow } from "../../pages/page-url.ts";
import { challengeOf } from "./login-needed.ts";
import type { LoginPagesOptions } from "./login-options.ts";
import type { BrowserState, LoginLink, LoginSeals } from "./login-seals.ts";
import type { UserLoginEntry, UserLogins } from "./user-logins.ts";

export type LoginAt = Pick<LoginLink, "server" | "principal"> & { readonly scope?: readonly string[] | undefined };

export interface LoginPagesHost {
  readonly seals: LoginSeals;
  readonly logins: UserLogins;
  /** How one principal logs in at a server; undefined if there is no such server any more. */
  providerAt(login: LoginAt, callbackUrl: string): OAuthProvider | undefined;
  /** Called when the tokens of a principal at a server have changed: the login of a link has ended, or the principal has logged out. */
  changed(login: LoginAt, end: { readonly link?: string; readonly isOver?: boolean }): void;
  report(error: unknown): void;
}

/** Most characters of a form. */
const MAX_FORM = 16_384;
/** The callback of all issuers, or of one. */
const CALLBACK = /^callback(?:\/[\w-]{22})?$/;
const LINK_SEGMENT = /^[\w.-]{1,8192}$/;

export class LoginPages {
  readonly #host: LoginPagesHost;
  readonly #url: URL;
  readonly #identity: BrowserIdentity;
  readonly #cookie: PageCookie<BrowserState>;

  /** @throws RangeError if an option has a wrong value */
  constructor({ url, identityProvider }: LoginPagesOptions, host: LoginPagesHost) {
    this.#host = host;
    this.#url = new URL(url);
    this.#identity = new BrowserIdentity("logins.identityProvider", identityProvider, `${url}/identity`);
    this.#cookie = new PageCookie(host.seals, { name: "tenon-login", isSecure: this.#url.protocol === "https:", ttl: PAGE_TTL });
  }

  get callbackUrl(): string {
    return `${this.#url.href}/callback`;
  }

  async pageOf(link: LoginLink): Promise<string> {
    return `${this.#url.href}/${await this.#host.seals.sealLink(link)}`;
  }

  isAt(path: string): boolean {
    return isBelow(this.#url, path);
  }

  /** Responds to a browser. Never rejects. */
  async respond(request: PageRequest): Promise<PageResponse> {
    try {
      return await this.#respond(request, new URL(request.url, this.#url));
    } catch (error) {
      this.#host.report(error);
      return failedLogin(error, "Make the call again to log in.", this.#cookie.forget());
    }
  }

  async #respond(request: PageRequest, { pathname, searchParams }: URL): Promise<PageResponse> {
    const step = pathname.slice(this.#url.pathname.length + 1);
    if (request.method === "POST" && (step === "consent" || step === "logout")) return this.#posted(step, request);
    if (request.method !== "GET") return message(405, "Not allowed", "This page is for browsers.", ["Allow", "GET"]);
    if (step === "") return this.#listing(await this.#cookie.read(request));
    if (step === "identity") return this.#identified(await this.#cookie.read(request), searchParams);
    if (CALLBACK.test(step))
      return this.#back(await this.#cookie.read(request), new URL(`${this.#url.href}/${step}?${searchParams.toString()}`));
    const link = LINK_SEGMENT.test(step) ? await this.#host.seals.openLink(step) : undefined;
    return link === undefined ? unusable() : this.#identify(link);
  }

  // ---- whose browser it is ----

  async #identify(link: LoginLink | undefined): Promise<PageResponse> {
    const { page: login, begun } = await this.#identity.begin();
    return redirect(login.href, await this.#cookie.remember({ step: "identity", link, begun }));
  }

  async #identified(state: BrowserState | undefined, callback: URLSearchParams): Promise<PageResponse> {
    if (state?.step !== "identity" || callback.get("state") !== state.begun.state) return unusable();
    const user = await this.#identity.finish(callback, state.begun);
    const { link } = state;
    if (link === undefined) return redirect(this.#url.href, await this.#cookie.remember({ step: "listing", user, token: randomId() }));
    if (isSameIssuer(link.issuer, user.issuer) && link.subject === user.subject) return this.#ask(link);
    const text = "You are logged in as another user than the one whose program asked for this login. Nothing was changed.";
    return message(403, "This login is not yours", text, this.#cookie.forget());
  }

  // ---- consent ----

  /** One client of the gateway acts for many programs at the server, so the user agrees to each program here. */
  async #ask(link: LoginLink): Promise<PageResponse> {
    const provider = this.#host.providerAt(link, this.callbackUrl);
    if (provider === undefined) return unusable(this.#cookie.forget());
    const token = randomId();
    const scopes = link.scope === undefined ? "" : `<p>It asks for: <code>${escapeHtml(link.scope.join(" "))}</code></p>`;
    const words = `<p>The program <code>${escapeHtml(link.clientId)}</code> wants to use <strong>${escapeHtml(link.server)}</strong> (<code>${escapeHtml(new URL(link.url).host)}</code>) as you. You log in there next.</p>${scopes}`;
    const buttons = form(`${this.#url.pathname}/consent`, { token }, { allow: "Allow and log in", deny: "Cancel" });
    return page(200, `Log in to ${link.server}`, words + buttons, await this.#cookie.remember({ step: "consent", link, token }), ANY_SITE);
  }

  async #posted(step: "consent" | "logout", request: PageRequest): Promise<PageResponse> {
    const state = await this.#cookie.read(request);
    if (request.header("origin") !== this.#url.origin) return unusable();
    const fields = new URLSearchParams(await request.text());
    if (fields.toString().length > MAX_FORM) return unusable();
    if (step === "logout") return this.#logOut(state, fields);
    if (state?.step !== "consent" || fields.get("token") !== state.token) return unusable();
    return fields.get("choice") === "allow" ? this.#sendAway(state.link) : this.#refused(state.link);
  }

  async #refused(link: LoginLink): Promise<PageResponse> {
    if (await this.#host.logins.use(link.id)) await this.#host.logins.end(link.id, "refused");
    this.#host.changed(link, { link: link.id });
    return message(200, "Not logged in", "The program was not allowed to use this server. You can close this page.", this.#cookie.forget());
  }

  async #sendAway(link: LoginLink): Promise<PageResponse> {
    const provider = this.#host.providerAt(link, this.callbackUrl);
    if (provider === undefined || !(await this.#host.logins.use(link.id))) return unusable(this.#cookie.forget());
    try {
      await provider.login(link.url, { challenge: challengeOf(link) });
    } catch (error) {
      if (!(error instanceof AuthorizationRequiredError)) throw error;
      const { authorizationUrl } = error;
      const state = authorizationUrl.searchParams.get("state") ?? "";
      const redirectUri = authorizationUrl.searchParams.get("redirect_uri") ?? "";
      return redirect(authorizationUrl.href, await this.#cookie.remember({ step: "away", link, state, redirectUri }));
    }
    return this.#done(link); // another node has just finished the same login
  }

  // ---- back from the server's authorization server ----

  async #back(state: BrowserState | undefined, callback: URL): Promise<PageResponse> {
    if (state?.step !== "away" || callback.searchParams.get("state") !== state.state) return unusable();
    if (callback.origin + callback.pathname !== state.redirectUri) return unusable();
    const { link } = state;
    const provider = this.#host.providerAt(link, this.callbackUrl);
    if (provider === undefined) return unusable(this.#cookie.forget());
    try {
      await provider.finish(callback);
    } catch (error) {
      await this.#host.logins.end(link.id, "refused");
      this.#host.changed(link, { link: link.id });
      throw error;
    }
    return this.#done(link);
  }

  async #done(link: LoginLink): Promise<PageResponse> {
    const { server, url, clientId, principal, id } = link;
    await this.#host.logins.add(link, { server, url, clientId, principal });
    await this.#host.logins.end(id, "done");
    this.#host.changed(link, { link: link.id });
    return message(200, "You are logged in", "The program goes on by itself. You can close this page.", this.#cookie.forget());
  }

  // ---- the logins of a user ----

  async #listing(state: BrowserState | undefined): Promise<PageResponse> {
    if (state?.step !== "listing") return this.#identify(undefined);
    const logins = await this.#host.logins.of(state.user);
    const rows = logins.map(({ server, clientId, principal }) => {
      const words = `<strong>${escapeHtml(server)}</strong> by <code>${escapeHtml(clientId)}</code>`;
      return `<li>${words} ${form(`${this.#url.pathname}/logout`, { token: state.token, server, principal }, { logout: "Log out" })}</li>`;
    });
    return page(200, "Your logins", rows.length === 0 ? "<p>You have none.</p>" : `<ul>${rows.join("")}</ul>`);
  }

  async #logOut(state: BrowserState | undefined, fields: URLSearchParams): Promise<PageResponse> {
    if (state?.step !== "listing" || fields.get("token") !== state.token) return unusable();
    const isMeant = (login: UserLoginEntry): boolean =>
      login.server === fields.get("server") && login.principal === fields.get("principal");
    const entry = (await this.#host.logins.of(state.user)).find(isMeant);
    if (entry !== undefined) await this.end(state.user, entry);
    return redirect(this.#url.href);
  }

  /** Forgets the tokens of a login, and has them revoked. */
  async end(user: UserIdentity, entry: UserLoginEntry): Promise<void> {
    await this.#host.providerAt(entry, this.callbackUrl)?.logout(entry.url);
    await this.#host.logins.remove(user, entry);
    this.#host.changed(entry, { isOver: true });
  }
}
