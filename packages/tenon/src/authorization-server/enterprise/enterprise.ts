/**
 * `enterprise()`: the option with which an authorization server accepts the assertions (ID-JAG) of companies' identity providers (MCP
 * extension Enterprise-Managed Authorization, server's half). `enterprise-grant.ts` uses it.
 */
import type { JSONWebKeySet } from "jose";
import { isLoopbackName } from "../../auth/url-policy.ts";
import { assertScopes } from "../../auth/scope.ts";
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";

/** The identity provider of one company. */
export interface CompanyProvider {
  /** Its issuer, exactly as the `iss` of its assertions. */
  readonly issuer: string;
  /** The URL of its keys. Default: the `jwks_uri` of its metadata. */
  readonly jwksUri?: string;
  /**
   * The values of the claim `tenant` that belong to this company. Default: none. Security: an assertion with a claim `tenant` that is not listed is
   * refused, because one issuer may then sign for many companies.
   */
  readonly tenants?: readonly string[];
  /** The MCP servers that it may give access to. Default: the option `resource` of `enterprise()`. */
  readonly resource?: string | readonly string[];
  /** The scopes that it may give. Default: all that the authorization server offers. */
  readonly scopes?: readonly string[];
  /** The clients that it may give access to. Default: each client that has a secret or a key. */
  readonly clientIds?: readonly string[];
}

/** A program that is registered by hand, because the identity provider must know its id. It has a secret or a key. */
export interface EnterpriseClient {
  /** Its client id, which the assertions name. */
  readonly id: string;
  /** Its secret, by `client_secret_basic` or `client_secret_post`. */
  readonly secret?: string;
  /** Its public keys, for `private_key_jwt`. */
  readonly jwks?: JSONWebKeySet;
  /** The URL of its public keys, for `private_key_jwt`. */
  readonly jwksUri?: string;
}

/** Options of {@link enterprise}. */
export interface EnterpriseAccessOptions {
  /**
   * The issuer of the company's identity provider, or several: one for each tenant. A function finds the one of an issuer, for tenants that come and
   * go; undefined refuses it. Security: who controls such an issuer decides which of its users get tokens.
   */
  readonly idp:
    | string
    | CompanyProvider
    | readonly (string | CompanyProvider)[]
    | ((issuer: string) => MaybePromise<string | CompanyProvider | undefined>);
  /** The URL of the MCP server that assertions are for, or several. The authorization server must have them, too. Default: all that it has. */
  readonly resource?: string | readonly string[];
  /** Programs that are registered by hand. Others register as usual; those without a secret or a key are refused. Default: none. */
  readonly clients?: readonly EnterpriseClient[];
}

/** The checked options: the option `enterprise` of `createAuthorizationServer()`. */
export interface EnterpriseAccess {
  /** Finds the identity provider with an issuer. */
  readonly find: (issuer: string) => MaybePromise<CompanyProvider | undefined>;
  /** Undefined for all MCP servers of the authorization server. */
  readonly resources: readonly string[] | undefined;
  /** The programs that are registered by hand. */
  readonly clients: readonly EnterpriseClient[];
}

const IDP: OptionKeys<CompanyProvider> = { issuer: 1, jwksUri: 1, tenants: 1, resource: 1, scopes: 1, clientIds: 1 };
const CLIENT: OptionKeys<EnterpriseClient> = { id: 1, secret: 1, jwks: 1, jwksUri: 1 };

/**
 * Lets companies decide which programs of their employees may use your MCP server. The assertion of a company's identity provider becomes a token
 * of your authorization server, without a page (MCP extension `io.modelcontextprotocol/enterprise-managed-authorization`).
 *
 * Security: each assertion counts once, lives for an hour at most, and is for one client, which must prove who it is.
 * @throws TypeError if an option is missing, unknown or has a wrong value
 * @example
 * ```ts
 * import { createAuthorizationServer, enterprise } from "tenon/authorization-server";
 *
 * const login = await createAuthorizationServer({
 *   issuer: "https://mcp.example.com",
 *   resource: "https://mcp.example.com/mcp",
 *   scopes: { "notes:read": "Read your notes" },
 *   enterprise: enterprise({ idp: "https://acme.okta.com", resource: "https://mcp.example.com/mcp" }),
 * });
 * console.log(login.issuer); // https://mcp.example.com
 * ```
 */
export function enterprise(options: EnterpriseAccessOptions): EnterpriseAccess {
  const keys: OptionKeys<EnterpriseAccessOptions> = { idp: 1, resource: 1, clients: 1 };
  assertKnown("enterprise()", options, keys);
  const { idp, resource, clients = [] } = options;
  for (const client of clients) assertClient(client);
  const resources = resource === undefined ? undefined : [resource].flat();
  if (resources?.length === 0) throw new TypeError('Option "resource" of enterprise() must name at least one MCP server');
  return { find: finderOf(idp), resources, clients: [...clients] };
}

function finderOf(idp: EnterpriseAccessOptions["idp"]): EnterpriseAccess["find"] {
  if (typeof idp === "function") {
    return async (issuer) => {
      const found = await idp(issuer);
      if (found === undefined) return undefined;
      const provider = toProvider(found);
      return provider.issuer === issuer ? provider : undefined;
    };
  }
  const list = [idp ?? []].flat().map((one: string | CompanyProvider) => toProvider(one));
  if (list.length === 0)
    throw new TypeError('enterprise() needs option "idp": the issuer of the company\'s identity provider, such as "https://acme.okta.com"');
  const providers = new Map(list.map((provider) => [provider.issuer, provider]));
  if (providers.size < list.length) throw new TypeError('Option "idp" of enterprise() names an issuer twice');
  return (issuer) => providers.get(issuer);
}

function toProvider(given: string | CompanyProvider): CompanyProvider {
  const provider = typeof given === "string" ? { issuer: given } : given;
  assertKnown('"idp" of enterprise()', provider, IDP);
  assertUrl("idp", provider.issuer);
  if (provider.jwksUri !== undefined) assertUrl("idp.jwksUri", provider.jwksUri);
  if (provider.scopes !== undefined) assertScopes("idp.scopes", provider.scopes);
  return provider;
}

function assertUrl(option: string, value: string): void {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackName(url.hostname));
  if (url === undefined || !isSafe || /[#@]/.test(value))
    throw new TypeError(`Option "${option}" of enterprise() must be an https URL, or one on this machine: ${JSON.stringify(value)}`);
}

function assertClient(client: EnterpriseClient): void {
  assertKnown('"clients" of enterprise()', client, CLIENT);
  const proofs = [client.secret, client.jwks, client.jwksUri].filter((proof) => proof !== undefined);
  if (typeof client.id !== "string" || client.id === "" || proofs.length !== 1)
    throw new TypeError('Each of option "clients" of enterprise() needs "id", and one of "secret", "jwks" and "jwksUri"');
}
