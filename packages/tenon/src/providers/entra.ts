import type { BearerAuth } from "../auth/resource-server/bearer.ts";
import { AccessRefusedError } from "../auth/resource-server/judge-token.ts";
import type { VerifiedToken } from "../auth/resource-server/verified-token.ts";
import { assertText, baseOf, hostedBearer, type HostedProviderOptions, urlOf } from "./hosted-bearer.ts";

/** Options of {@link entra}. */
export interface EntraOptions extends Omit<HostedProviderOptions, "scopeForms"> {
  /** The id of the directory, a GUID: tokens name it. Security: `common` and its like are refused, because then every directory could log in. */
  readonly tenant: string;
  /** The id of the app registration of this server, a GUID. */
  readonly clientId: string;
  /** Its Application ID URI. Default: `api://` and the client id. */
  readonly applicationIdUri?: string;
  /** Where the directory is served. Default `https://login.microsoftonline.com`; national clouds have another. */
  readonly authority?: string;
}

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Accepts access tokens of a directory of Microsoft Entra ID. In the app registration of this server: expose an API with the scopes, and set
 * `requestedAccessTokenVersion` to 2 in the manifest. Scopes are named in the short form here (`files.read`); metadata and challenges have the long one.
 *
 * Entra registers no clients, and refuses the parameter `resource`: a client needs a client id of yours, and leaves `resource` out.
 *
 * @throws TypeError, RangeError that name the option
 * @example
 * ```ts
 * import { entra } from "tenon/auth/providers";
 *
 * const auth = entra({
 *   tenant: "11111111-2222-3333-4444-555555555555",
 *   clientId: "66666666-7777-8888-9999-000000000000",
 *   url: "https://files.example.com/mcp",
 *   scopes: ["files.read"],
 * });
 * console.log(auth.metadata.document["resource"]); // https://files.example.com/mcp
 * ```
 */
export function entra(options: EntraOptions): BearerAuth {
  const {
    tenant: _tenant,
    clientId: _client,
    applicationIdUri,
    authority = "https://login.microsoftonline.com",
    url: _,
    ...open
  } = options;
  urlOf("entra()", options);
  const tenant = guidIn(options, "tenant", "the id of your directory");
  const clientId = guidIn(options, "clientId", "the id of the app registration of this server");
  const uri = applicationIdUri ?? `api://${clientId}`;
  assertText("entra()", "applicationIdUri", uri, "the Application ID URI of the app registration");
  return hostedBearer("entra()", options, {
    own: { tenant: 1, clientId: 1, applicationIdUri: 1, authority: 1 },
    open: { ...open, ...longForms(open, uri) },
    way: {
      issuer: `${baseOf("entra()", "authority", authority)}/${tenant}/v2.0`,
      issuerFrom: '"tenant"',
      audiences: [clientId, uri],
      audienceStep: `The client must request the scopes of this server in their long form, such as "${uri}/read".`,
      opaqueStep: `It is a token for Microsoft Graph, or for another API: the client must request scopes that begin with "${uri}/".`,
      refusedStep: ({ iss }) =>
        typeof iss === "string" && iss.startsWith("https://sts.windows.net/")
          ? "It is a token of version 1: in the manifest of the app registration, set requestedAccessTokenVersion to 2"
          : undefined,
      adapt: assertAccess,
    },
  });
}

/** An ID token of the same app registration has its audience and issuer, too, but neither scopes nor roles. @throws AccessRefusedError */
function assertAccess(token: VerifiedToken): VerifiedToken {
  const roles = token.claims?.["roles"];
  if (token.scopes?.length || (Array.isArray(roles) && roles.length > 0)) return token;
  throw new AccessRefusedError(
    "Access token refused: it names neither a scope nor a role. The client sent an ID token, or it is an application that has no role of this API",
  );
}

/** Clients must request a scope in the long form; tokens have the short one. */
function longForms(
  { scopes = [], scopesSupported = scopes, scopeHierarchy = {} }: Omit<HostedProviderOptions, "url">,
  uri: string,
): Pick<HostedProviderOptions, "scopesSupported" | "scopeForms"> {
  const long = (scope: string): string => (scope.includes("/") ? scope : `${uri}/${scope}`);
  const all = [...scopes, ...scopesSupported, ...Object.entries(scopeHierarchy).flatMap(([scope, included]) => [scope, ...included])];
  return {
    scopesSupported: scopesSupported.map(long),
    scopeForms: Object.fromEntries(all.filter((scope) => !scope.includes("/")).map((scope) => [scope, long(scope)])),
  };
}

/** A GUID as tokens write it: some tools show it in capitals. @throws TypeError */
function guidIn(options: EntraOptions, option: "tenant" | "clientId", what: string): string {
  const value: unknown = options[option];
  if (typeof value === "string" && GUID.test(value)) return value.toLowerCase();
  throw new TypeError(`entra() needs option "${option}": ${what}, a GUID that the Azure portal shows, not ${JSON.stringify(value)}`);
}
