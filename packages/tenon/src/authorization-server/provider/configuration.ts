/**
 * The configuration of `oidc-provider`: authorization code with PKCE, JWT access tokens for the MCP servers, refresh tokens that rotate,
 * and nothing else. Every hook is set, because the library's defaults are for development.
 */
import { AuthorizationError } from "../../auth/authorization-error.ts";
import type { GuardedFetch } from "../../auth/guarded-fetch.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { ID_JAG_PROFILE, JWT_BEARER } from "../enterprise/enterprise-grant.ts";
import type { Settings } from "../options.ts";
import { messagePage, setPageHeaders } from "../pages/html.ts";
import { isSame } from "../pages/requested-access.ts";
import type { ModelAdapter } from "../records/adapter.ts";
import { SIGNING_ALGORITHM } from "../records/signing-keys.ts";
import { applyClientPolicy, type ClientMetadata } from "./client-policy.ts";
import type { HookContext, Interaction, Library } from "./library.ts";
import { ROUTES } from "./routes.ts";

export interface ProviderParts {
  readonly library: Library;
  readonly settings: Settings;
  /** The path of the issuer, without a slash at its end. */
  readonly base: string;
  readonly jwks: object;
  readonly cookieKeys: readonly string[];
  readonly documents: GuardedFetch;
  readonly adapterOf: (model: string) => ModelAdapter;
  readonly claimsOf: (account: string) => Promise<JsonObject | undefined>;
  /** The id of the grant that the user has given for this request before. */
  readonly rememberedGrant: (context: HookContext) => Promise<string | undefined>;
  readonly findGrant: (id: string) => Promise<unknown>;
  /** Whether one more document of a client may be fetched for this request; undefined for a request of a page. */
  readonly allowFetch: (context: HookContext | undefined) => Promise<boolean>;
}

export function providerConfiguration(parts: ProviderParts): object {
  const { settings, base, jwks, adapterOf, claimsOf } = parts;
  return {
    adapter: adapterOf,
    jwks,
    routes: ROUTES,
    scopes: offeredScopes(settings),
    claims: {},
    responseTypes: ["code"],
    clientAuthMethods: ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"],
    clientDefaults: { id_token_signed_response_alg: SIGNING_ALGORITHM },
    enabledJWA: { idTokenSigningAlgValues: [SIGNING_ALGORITHM] },
    ...enterpriseConfiguration(settings),
    assertJwtClientAuthClaimsAndHeader: clientProofHook(parts),
    pkce: { required: () => true },
    clientBasedCORS: (_context: unknown, origin: string, client: { readonly redirectUris: readonly string[] }) =>
      client.redirectUris.some((uri) => new URL(uri).origin === origin),
    cookies: cookies(parts),
    ttl: lifetimes(settings),
    interactions: { url: (_context: unknown, { uid }: Interaction) => `${base}/consent/${uid}` },
    findAccount: (_context: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub }) }),
    extraTokenClaims: (_context: unknown, token: { readonly accountId: string }) => claimsOf(token.accountId),
    loadExistingGrant: async (context: HookContext) => {
      const id = context.oidc.result?.consent?.grantId ?? (await parts.rememberedGrant(context));
      return id === undefined ? undefined : parts.findGrant(id);
    },
    expiresWithSession: () => false,
    rotateRefreshToken: () => true,
    issueRefreshToken: (_context: unknown, client: { grantTypeAllowed(type: string): boolean }) => client.grantTypeAllowed("refresh_token"),
    fetch: fetchDocument(parts),
    renderError: (context: HookContext, { error, error_description: text }: { error: string; error_description?: string }) => {
      const page = messagePage(
        "This login cannot continue",
        `${text ?? "It failed"} (${error}). Go back to your program and log in again.`,
      );
      setPageHeaders(context.res, page);
      context.type = "html";
      context.body = page.html;
    },
    extraClientMetadata: clientMetadataHook(parts),
    features: features(parts),
  };
}

/** The library accepts a proof of a client's key that names this server among others. One of them could then show it here as the client. */
function clientProofHook({ library, settings }: ProviderParts): (context: unknown, claims: { readonly aud?: unknown }) => void {
  const own = `${settings.issuer.href.replace(/\/$/, "")}/`;
  return (_context, { aud }) => {
    if ([aud].flat().every((one) => `${String(one)}/`.startsWith(own))) return;
    throw new library.errors.InvalidClientAuth("the audience (aud) of client_assertion must be this server alone");
  };
}

/** What the library must know before the grant of `enterprise()` is added: clients that are registered by hand, and the metadata. */
function enterpriseConfiguration({ enterprise: access }: Settings): object {
  if (access === undefined) return {};
  const clients = access.clients.map(({ id, secret, jwks, jwksUri }) => ({
    client_id: id,
    grant_types: [JWT_BEARER],
    response_types: [],
    redirect_uris: [],
    token_endpoint_auth_method: secret === undefined ? "private_key_jwt" : "client_secret_basic",
    ...(secret !== undefined && { client_secret: secret }),
    ...(jwks !== undefined && { jwks }),
    ...(jwksUri !== undefined && { jwks_uri: jwksUri }),
  }));
  return { clients, discovery: { authorization_grant_profiles_supported: [ID_JAG_PROFILE] } };
}

/** What the library must know about an MCP server. */
export function resourceServer({ scopes, lifetimes: { accessToken } }: Settings, resource: string): object {
  return {
    audience: resource,
    scope: Object.keys(scopes).join(" "),
    accessTokenFormat: "jwt",
    accessTokenTTL: seconds(accessToken),
    jwt: { sign: { alg: SIGNING_ALGORITHM } },
  };
}

function offeredScopes({ scopes }: Settings): readonly string[] {
  return [...Object.keys(scopes), "offline_access"];
}

function cookies({ settings, cookieKeys }: ProviderParts): object {
  const isSecure = settings.issuer.protocol === "https:";
  const options = { httpOnly: true, sameSite: "lax", secure: isSecure, signed: true, overwrite: true };
  return {
    // The prefix keeps other hosts of the domain from setting it; the other two cookies have a path, which it forbids.
    names: { session: isSecure ? "__Host-tenon-session" : "tenon-session", interaction: "tenon-consent", resume: "tenon-resume" },
    long: options,
    short: options,
    keys: cookieKeys,
  };
}

const seconds = (ms: number): number => Math.round(ms / 1_000);

/** Lifetimes in seconds, by the library's names. */
function lifetimes({ lifetimes: { accessToken, refreshToken, session, consent, login } }: Settings): object {
  return {
    AccessToken: seconds(accessToken),
    AuthorizationCode: 60,
    RefreshToken: seconds(refreshToken),
    Session: seconds(session),
    Grant: seconds(consent),
    Interaction: seconds(login),
  };
}

function features(parts: ProviderParts): object {
  const { library, settings } = parts;
  const { resources, registration } = settings;
  const off = { enabled: false };
  return {
    ...{ devInteractions: off, dPoP: off, pushedAuthorizationRequests: off, rpInitiatedLogout: off, userinfo: off },
    registration: { enabled: registration, initialAccessToken: false, issueRegistrationAccessToken: false },
    clientIdMetadataDocument: { enabled: true, ack: "draft-02", allowFetch: () => true },
    revocation: { enabled: true, allowedPolicy: (_context: unknown, { clientId }: Owned, token: Owned) => token.clientId === clientId },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_context: unknown, _client: unknown, oneOf?: readonly string[]) => {
        const candidates = oneOf ?? resources;
        if (candidates.length !== 1)
          throw new library.errors.InvalidTarget('several MCP servers have this authorization server: send "resource"');
        return candidates[0];
      },
      useGrantedResource: () => true,
      getResourceServerInfo: (_context: unknown, indicator: string) => {
        const resource = resources.find((one) => isSame(one, indicator));
        if (resource === undefined) throw new library.errors.InvalidTarget("no tokens are issued here for that resource");
        return resourceServer(settings, resource);
      },
    },
  };
}

interface Owned {
  readonly clientId: string;
}

/** The library calls it for each client, however it became known. */
function clientMetadataHook({ library, settings }: ProviderParts): object {
  return {
    properties: ["software_id"], // one member is needed for the hook to run
    validator: (_context: unknown, _name: string, _value: unknown, metadata: ClientMetadata) => {
      const refused = applyClientPolicy(metadata, { ...settings, offeredScopes: offeredScopes(settings) });
      if (refused === undefined) return;
      throw new (refused.redirect ? library.errors.InvalidRedirectUri : library.errors.InvalidClientMetadata)(refused.problem);
    },
  };
}

/** Fetches documents that clients name: their metadata and keys. Nothing is sent to an address that is not public. */
function fetchDocument({ library, documents, allowFetch }: ProviderParts): (url: string | URL) => Promise<Response> {
  return async (url) => {
    const refuse = (problem: string, remedy: string): AuthorizationError =>
      new AuthorizationError({ hop: "registration", url, problem, remedy });
    // Here, because the library also fetches keys: again with each request while a client has none at its URL.
    if (!(await allowFetch(library.Provider.ctx)))
      throw refuse("too many documents are fetched for this address", 'Wait, or raise the option "limits.documentsPerMinute".');
    const { status, json, isPage } = await documents.json(String(url), { hop: "registration", redirects: false });
    if (isPage || json === undefined) throw refuse("it is not JSON", "The client's author must repair this.");
    return Response.json(json, { status });
  };
}
