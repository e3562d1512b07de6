/**
 * The grant `jwt-bearer` of the token endpoint (RFC 7523): an assertion of a company's identity provider becomes an access token for one MCP
 * server.
 *
 * Security: the library authenticates the client before. No refresh token is issued: when the access token has expired, the client needs
 * another assertion, so that the company can end access within minutes.
 */
import { createHash } from "node:crypto";
import { AccessRefusedError } from "../../auth/resource-server/judge-token.ts";
import { isSame } from "../pages/requested-access.ts";
import type { Accounts } from "../records/accounts.ts";
import type { Records } from "../records/records.ts";
import type { HookContext, Library, Provider } from "../provider/library.ts";
import type { Settings } from "../options.ts";
import { CLOCK_TOLERANCE, refused, verifyAssertion, type Assertion } from "./assertion.ts";
import type { EnterpriseAccess } from "./enterprise.ts";
import type { TrustedProviders } from "./trusted-providers.ts";

export const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** How metadata say that the grant is supported. */
export const ID_JAG_PROFILE = "urn:ietf:params:oauth:grant-profile:id-jag";

export interface EnterpriseParts {
  readonly library: Library;
  readonly provider: Provider;
  readonly settings: Settings;
  readonly access: EnterpriseAccess;
  readonly providers: TrustedProviders;
  readonly records: Records;
  readonly accounts: Accounts;
  readonly issuer: string;
  /** What the library needs to know about an MCP server. */
  readonly resourceServer: (resource: string) => object;
}

/** Teaches the token endpoint this grant. */
export function addEnterpriseGrant(parts: EnterpriseParts): void {
  parts.provider.registerGrantType(
    JWT_BEARER,
    (context) => new EnterpriseGrant(parts, context).respond(),
    ["assertion", "scope", "resource"],
    ["resource"],
  );
}

class EnterpriseGrant {
  readonly #parts: EnterpriseParts;
  readonly #context: HookContext;

  constructor(parts: EnterpriseParts, context: HookContext) {
    this.#parts = parts;
    this.#context = context;
  }

  async respond(): Promise<void> {
    const { client, params } = this.#context.oidc;
    const { errors } = this.#parts.library;
    if (client.clientAuthMethod === "none")
      throw new errors.CustomOIDCProviderError("unauthorized_client", "This grant is for clients with a secret or a key");
    if (typeof params["assertion"] !== "string") throw new errors.InvalidRequest('parameter "assertion" is missing');
    const assertion = await this.#verified(params["assertion"]);
    const resource = this.#resource(assertion);
    const scopes = this.#scopes(assertion);
    await this.#allow(assertion);
    await this.#issue(assertion, resource, scopes);
  }

  /** @throws the library's error for the client; the operator gets the reason, too */
  async #verified(text: string): Promise<Assertion> {
    const { issuer, providers, settings } = this.#parts;
    try {
      return await verifyAssertion(text, { issuer, providers, clientId: this.#context.oidc.client.clientId });
    } catch (error) {
      if (error instanceof AccessRefusedError) throw this.#refusal(error);
      settings.onError(error);
      const { CustomOIDCProviderError } = this.#parts.library.errors;
      const later = new CustomOIDCProviderError("temporarily_unavailable", "The keys of the identity provider cannot be read now");
      throw Object.assign(later, { status: 503, statusCode: 503 });
    }
  }

  #refusal(reason: AccessRefusedError): Error {
    const { settings, library } = this.#parts;
    settings.onError(new AccessRefusedError(`${reason.message} (client ${JSON.stringify(this.#context.oidc.client.clientId)})`));
    return new library.errors.CustomOIDCProviderError("invalid_grant", reason.message);
  }

  /** The one MCP server of the token, as the operator writes it. @throws the library's error */
  #resource({ resources: asserted, provider }: Assertion): string {
    const { settings, access, library } = this.#parts;
    const requested = [this.#context.oidc.params["resource"] ?? []].flat().map(String);
    const isAsserted = (resource: string): boolean => asserted.some((one) => isSame(one, resource));
    if (!requested.every(isAsserted)) throw this.#refusal(refused("it is for another resource than the requested one"));
    const allowed = provider.resource === undefined ? (access.resources ?? settings.resources) : [provider.resource].flat();
    const known = settings.resources.filter((one) => isAsserted(one) && allowed.some((other) => isSame(one, other)));
    if (known.length === 0) throw this.#refusal(refused("it is for a resource that has no tokens here"));
    const chosen = requested.length === 0 ? known : known.filter((one) => requested.some((other) => isSame(one, other)));
    if (chosen.length !== 1) throw new library.errors.InvalidTarget('the assertion is for several MCP servers: send one as "resource"');
    return chosen[0]!;
  }

  /** What the company gives, this server offers and the client asks for. @throws the library's error */
  #scopes({ scopes: asserted, provider }: Assertion): readonly string[] {
    const { settings, library } = this.#parts;
    const text = this.#context.oidc.params["scope"];
    const requested = typeof text === "string" && text !== "" ? text.split(" ") : undefined;
    const offered = Object.keys(settings.scopes).filter((scope) => provider.scopes?.includes(scope) ?? true);
    // Enterprise-Managed Authorization, section 7.6.2: such an assertion was made for another server.
    if (asserted !== undefined && asserted.length > 0 && !asserted.some((scope) => offered.includes(scope)))
      throw this.#refusal(refused("it gives none of the scopes that its identity provider may give here"));
    const granted = (asserted ?? requested ?? []).filter((scope) => offered.includes(scope) && (requested?.includes(scope) ?? true));
    if (granted.length === 0 && requested !== undefined)
      throw new library.errors.CustomOIDCProviderError("invalid_scope", "the assertion gives none of the requested scopes");
    return [...new Set(granted)];
  }

  /** Asks the operator, then uses the assertion up. @throws the library's error */
  async #allow(assertion: Assertion): Promise<void> {
    const { settings, records } = this.#parts;
    if (!(await settings.allowUser(userOf(assertion)))) throw this.#refusal(refused("its user is not allowed here"));
    const { provider, jti, expiry } = assertion;
    const id = createHash("sha256")
      .update(JSON.stringify([provider.issuer, jti]))
      .digest("base64url");
    const ms = (expiry + 2 * CLOCK_TOLERANCE) * 1_000 - Date.now();
    if (!(await records.swap(`assertion/${id}`, undefined, {}, Math.max(ms, CLOCK_TOLERANCE * 1_000))))
      throw this.#refusal(refused("it was used before"));
  }

  async #issue(assertion: Assertion, resource: string, scopes: readonly string[]): Promise<void> {
    const { provider, accounts, resourceServer } = this.#parts;
    const { client } = this.#context.oidc;
    const scope = scopes.join(" ") || undefined;
    const accountId = await accounts.keep(userOf(assertion));
    const token = new provider.AccessToken({ accountId, client, gty: "jwt-bearer", scope });
    token.resourceServer = new provider.ResourceServer(resource, resourceServer(resource));
    const value = await token.save();
    this.#context.body = {
      access_token: value,
      token_type: "Bearer",
      expires_in: token.expiration,
      resource,
      ...(scope !== undefined && { scope }),
    };
  }
}

/** The same user as after a login at that provider. With tenants, a subject is unique in its tenant only. */
function userOf({ provider, subject, tenant, claims }: Assertion): { issuer: string; subject: string; claims: Assertion["claims"] & {} } {
  return { issuer: provider.issuer, subject: tenant === undefined ? subject : JSON.stringify([tenant, subject]), claims };
}
