/**
 * The two pages of a login: the consent page, and the callback to which the provider sends the user.
 *
 * The order is consent, provider, tokens. A client that the user has not allowed is never sent to the provider, which may know the user
 * already and would ask nothing (MCP, Security best practices, Confused deputy).
 */
import type { HtmlPage } from "../../base/text/html-page.ts";
import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { LibraryGrant, Interaction, Provider } from "../provider/library.ts";
import { randomId } from "../../base/bytes.ts";
import type { Settings } from "../options.ts";
import type { Accounts } from "../records/accounts.ts";
import type { ClientAdapter } from "../records/client-adapter.ts";
import type { Consents } from "../records/consents.ts";
import type { Records } from "../records/records.ts";
import type { ProviderUser } from "../login/login-provider.ts";
import type { LoginSecrets, ProviderLogin } from "../login/provider-login.ts";
import type { Browsers } from "./browser.ts";
import { consentPage } from "./consent-page.ts";
import { messagePage, readForm, setPageHeaders } from "./html.ts";
import { requestedBy, subjectOf, type RequestedAccess } from "./requested-access.ts";

export interface LoginPagesParts {
  readonly settings: Settings;
  readonly provider: Provider;
  readonly records: Records;
  readonly accounts: Accounts;
  readonly clients: ClientAdapter;
  readonly consents: Consents;
  readonly login: ProviderLogin;
  readonly browsers: Browsers;
}

interface PendingLogin extends LoginSecrets {
  readonly uid: string;
  readonly browser: string;
}

const AGAIN = "Go back to your program and log in again.";

export class LoginPages {
  readonly #parts: LoginPagesParts;

  constructor(parts: LoginPagesParts) {
    this.#parts = parts;
  }

  /** Shows the consent page, or takes the decision. */
  async consent(request: IncomingMessage, response: ServerResponse, uid: string): Promise<void> {
    const interaction = await this.#interaction(request, response, uid);
    if (interaction === undefined) return this.#send(response, 400, messagePage("This login has expired", AGAIN));
    const access = await requestedBy(interaction, this.#parts.settings, this.#parts.provider);
    if (access === undefined) return this.#send(response, 400, messagePage("This program is not known any more", AGAIN));
    if (access.scopes.length === 0) return this.#end(response, interaction, { error: "invalid_scope" });
    if (request.method === "GET") return this.#show(request, response, interaction, access);
    if (request.method === "POST") return this.#decide(request, response, interaction, access);
    this.#send(response, 405, messagePage("Not allowed", "This page is only for your decision."));
  }

  async #show(request: IncomingMessage, response: ServerResponse, interaction: Interaction, access: RequestedAccess): Promise<void> {
    const { login, browsers } = this.#parts;
    const proof = browsers.proof(browsers.identify(request, response), interaction.uid);
    const provider = isLoggedIn(interaction) ? undefined : { name: login.name, origin: await login.origin() };
    this.#send(response, 200, consentPage({ ...access, provider, proof }));
  }

  async #decide(request: IncomingMessage, response: ServerResponse, interaction: Interaction, access: RequestedAccess): Promise<void> {
    const { browsers, settings } = this.#parts;
    const browser = browsers.idOf(request);
    const form = request.headers.origin === settings.issuer.origin ? await readForm(request) : undefined;
    if (form === undefined || browser === undefined || !browsers.isProof(form.get("proof") ?? "", browser, interaction.uid))
      return this.#send(response, 403, messagePage("Not allowed", `This decision was not made on our page. ${AGAIN}`));
    const decision = form.get("decision");
    if (decision === "deny")
      return this.#end(response, interaction, { error: "access_denied", error_description: "The user denied access" });
    if (decision !== "allow") return this.#send(response, 400, messagePage("Not a decision", "Go back and choose one of the buttons."));
    if (!isLoggedIn(interaction)) return this.#sendToProvider(response, interaction, browser);
    const grantId = await this.#grant(access, interaction.session!.accountId); // `isLoggedIn`
    return this.#end(response, interaction, { consent: { grantId } });
  }

  async #sendToProvider(response: ServerResponse, { uid }: Interaction, browser: string): Promise<void> {
    const { browsers, records, login, settings } = this.#parts;
    const secrets = { state: randomId(), nonce: randomId(), codeVerifier: randomBytes(32).toString("base64url") };
    const pending: PendingLogin = { ...secrets, uid, browser: browsers.digest(browser) };
    await records.write(`login/${secrets.state}`, { ...pending }, settings.lifetimes.login);
    redirect(response, await login.loginPage(secrets));
  }

  /** Takes the user back from the provider. Nothing of the request is shown. */
  async callback(request: IncomingMessage, response: ServerResponse, query: string): Promise<void> {
    const parameters = new URLSearchParams(query);
    const pending = await this.#pendingLogin(request, parameters);
    if (typeof pending === "string") return this.#send(response, 400, messagePage("This login cannot continue", `${pending} ${AGAIN}`));
    const interaction = await this.#parts.provider.Interaction.find(pending.uid);
    if (interaction === undefined) return this.#send(response, 400, messagePage("This login has expired", AGAIN));
    const user = await this.#userOf(parameters, pending);
    if (user === undefined) return this.#end(response, interaction, { error: "access_denied", error_description: "The login was refused" });
    const access = await requestedBy(interaction, this.#parts.settings, this.#parts.provider);
    if (access === undefined) return this.#send(response, 400, messagePage("This program is not known any more", AGAIN));
    const accountId = await this.#parts.accounts.keep(user);
    const grantId = await this.#grant(access, accountId);
    return this.#end(response, interaction, { login: { accountId }, consent: { grantId } });
  }

  /** The login that a callback belongs to, which is used up by it; or why there is none. */
  async #pendingLogin(request: IncomingMessage, parameters: URLSearchParams): Promise<PendingLogin | string> {
    const { records, browsers } = this.#parts;
    const [state, ...others] = parameters.getAll("state");
    if (state === undefined || others.length > 0 || !/^[\w-]{22}$/.test(state)) return "It was not begun here.";
    const key = `login/${state}`;
    const entry = await records.read(key);
    if (entry === undefined) return "It has expired, or was finished before.";
    const pending = entry.value as unknown as PendingLogin; // `#sendToProvider` wrote it
    const browser = browsers.idOf(request);
    if (browser === undefined || browsers.digest(browser) !== pending.browser) return "It was begun in another browser.";
    return (await records.claim(key, entry.version)) ? pending : "It was finished before.";
  }

  /** Undefined if the provider, the user or the operator refused. */
  async #userOf(parameters: URLSearchParams, pending: PendingLogin): Promise<ProviderUser | undefined> {
    const { login, settings } = this.#parts;
    try {
      const user = await login.userOf(parameters, pending);
      return user !== undefined && (await settings.allowUser(user)) ? user : undefined;
    } catch (error) {
      settings.onError(error);
      return undefined;
    }
  }

  /** Stores what the user has allowed. Scopes that the user allowed this client before stay. */
  async #grant(access: RequestedAccess, account: string): Promise<string> {
    const { provider, consents, clients } = this.#parts;
    const subject = subjectOf(access, account);
    const before = await consents.find(subject);
    const known = before === undefined ? undefined : await provider.Grant.find(before);
    const grant = new provider.Grant({ accountId: account, clientId: access.clientId });
    addScopes(
      grant,
      access,
      access.scopes.map(([scope]) => scope),
    );
    if (known !== undefined) addScopes(grant, access, known.getResourceScope(access.resources[0]!).split(" "));
    const id = await grant.save();
    await consents.remember(subject, id);
    await clients.keep(access.clientId);
    return id;
  }

  /** The request that waits for this decision; undefined if it has expired or began in another browser. */
  async #interaction(request: IncomingMessage, response: ServerResponse, uid: string): Promise<Interaction | undefined> {
    try {
      const interaction = await this.#parts.provider.interactionDetails(request, response);
      return interaction.uid === uid ? interaction : undefined;
    } catch (error) {
      if (error instanceof Error && error.name === "SessionNotFound") return undefined;
      throw error;
    }
  }

  /** Lets the library continue. It checks that this is the browser that began. */
  async #end(response: ServerResponse, interaction: Interaction, result: object): Promise<void> {
    interaction.result = result;
    await interaction.persist();
    redirect(response, interaction.returnTo);
  }

  #send(response: ServerResponse, status: number, page: HtmlPage): void {
    setPageHeaders(response, page);
    response.writeHead(status).end(page.html);
  }
}

function isLoggedIn({ prompt, session }: Interaction): boolean {
  return prompt.name === "consent" && session !== undefined;
}

function addScopes(grant: LibraryGrant, { resources, indicators }: RequestedAccess, scopes: readonly string[]): void {
  const text = scopes.join(" ");
  if (text === "") return;
  grant.addOIDCScope(`${text} offline_access`); // the library asks again until it is granted too
  for (const resource of new Set([...resources, ...indicators])) grant.addResourceScope(resource, text);
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { Location: location, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer" }).end();
}
