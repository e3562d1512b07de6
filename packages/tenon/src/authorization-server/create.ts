/** `createAuthorizationServer()`: loads the library, reads the keys from the store, and puts the parts together. */
import { hkdfSync } from "node:crypto";
import type { HookContext, Provider, Library } from "./provider/library.ts";
import { GuardedFetch } from "../auth/guarded-fetch.ts";
import { isLoopbackName } from "../auth/url-policy.ts";
import { RunningAuthorizationServer, type AuthorizationServer } from "./authorization-server.ts";
import { checkOptions, type AuthorizationServerOptions, type Settings } from "./options.ts";
import { Browsers } from "./pages/browser.ts";
import { LoginPages } from "./pages/login-pages.ts";
import { indicatorsOf, isSame, subjectOf } from "./pages/requested-access.ts";
import { addEnterpriseGrant } from "./enterprise/enterprise-grant.ts";
import { TrustedProviders } from "./enterprise/trusted-providers.ts";
import { providerConfiguration, resourceServer } from "./provider/configuration.ts";
import { senderOf } from "./provider/sender.ts";
import { RecordAdapter } from "./records/adapter.ts";
import { ClientAdapter } from "./records/client-adapter.ts";
import { Accounts } from "./records/accounts.ts";
import { Consents } from "./records/consents.ts";
import { Records } from "./records/records.ts";
import { RequestLimits } from "./records/request-limits.ts";
import { signingKeys } from "./records/signing-keys.ts";
import { ProviderLogin } from "./login/provider-login.ts";
import { McpUsageError } from "../jsonrpc/mcp-error.ts";

/**
 * Makes an authorization server for MCP servers whose users log in at a provider that registers no clients. Clients register here, by a
 * metadata document or a request; users agree on a consent page, log in at the provider, and clients get tokens of this server.
 *
 * Security: `allowUser` decides who gets a token. Everyone at the provider can reach it.
 * @throws TypeError, RangeError if an option is missing or has a wrong value; McpUsageError if `oidc-provider` is not installed
 * @throws StoreUnavailableError if the stores cannot be reached
 * @example
 * ```ts
 * import { createAuthorizationServer, github } from "tenon/authorization-server";
 *
 * const login = await createAuthorizationServer({
 *   issuer: "http://127.0.0.1:3000",
 *   resource: "http://127.0.0.1:3000/mcp",
 *   scopes: { "notes:read": "Read your notes" },
 *   provider: github({ clientId: "Iv1.0123456789abcdef", clientSecret: "from your secrets" }),
 *   allowUser: ({ claims }) => claims["login"] === "ada",
 * });
 * console.log(login.issuer); // http://127.0.0.1:3000
 * // await serveHttp(server, { auth: login.protect() });
 * ```
 */
export async function createAuthorizationServer(options: AuthorizationServerOptions): Promise<AuthorizationServer> {
  const settings = checkOptions(options);
  const library = await loadProvider();
  const records = new Records(settings.keyed, settings.secret);
  const jwks = await signingKeys(records);
  const clients = new ClientAdapter(
    records,
    settings.limits.clients,
    () => new library.errors.InvalidClientMetadata("too many clients are registered here; use a client id metadata document"),
  );
  const accounts = new Accounts(records, { claims: settings.claims, ms: settings.lifetimes.consent });
  const consents = new Consents(records, settings.lifetimes.consent);
  const limits = new RequestLimits(records, settings.limits);
  const base = settings.issuer.pathname.replace(/\/$/, "");
  const issuer = settings.issuer.href.replace(/\/$/, "");
  const used = (): Error => new library.errors.InvalidGrant("it was used already");
  const provider: Provider = new library.Provider(
    issuer,
    providerConfiguration({
      library,
      settings,
      base,
      jwks,
      cookieKeys: [deriveKey(settings.secret, "cookies").toString("base64url")],
      documents: new GuardedFetch(settings.fetching),
      adapterOf: (model) => (model === "Client" ? clients : new RecordAdapter(model, records, used)),
      claimsOf: (account) => accounts.claimsOf(account),
      rememberedGrant: (context) => rememberedGrant(context, settings, consents),
      findGrant: (id) => provider.Grant.find(id),
      allowFetch: async (context) =>
        context === undefined || (await limits.count("documentsPerMinute", senderOf(context.req, settings))) === undefined,
    }),
  );
  provider.proxy = true; // the URL of each request is the issuer's: see `RunningAuthorizationServer`
  provider.use((context, next) => withoutIdentity(context, next));
  provider.on("server_error", (_context, error) => settings.onError(error));
  if (settings.enterprise !== undefined) {
    const providers = new TrustedProviders(settings.enterprise, fetchingOf(settings));
    const common = { library, provider, settings, providers, records, accounts, issuer };
    addEnterpriseGrant({ ...common, access: settings.enterprise, resourceServer: (resource) => resourceServer(settings, resource) });
  }
  const browsers = new Browsers(settings.issuer.protocol === "https:", deriveKey(settings.secret, "forms"));
  const login = settings.provider && new ProviderLogin(settings.provider, `${issuer}/callback`, fetchingOf(settings));
  const pages = login && new LoginPages({ settings, provider, records, accounts, clients, consents, login, browsers });
  return new RunningAuthorizationServer({ settings, issuer, base, provider, pages, limits, jwks });
}

function deriveKey(secret: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", `authorization server ${purpose}`, 32));
}

/** Leaves `openid` out of the metadata: the library adds it, but this server tells clients nothing about users. */
async function withoutIdentity(context: HookContext, next: () => Promise<void>): Promise<void> {
  await next();
  const { body } = context;
  if (typeof body !== "object" || body === null || !("scopes_supported" in body) || !Array.isArray(body.scopes_supported)) return;
  context.body = { ...body, scopes_supported: body.scopes_supported.filter((scope) => scope !== "openid") };
}

/** On this machine, the provider may be on this machine too. */
function fetchingOf({ fetching, issuer }: Settings): Settings["fetching"] {
  return { ...fetching, allowLoopback: fetching.allowLoopback ?? isLoopbackName(issuer.hostname) };
}

/** The grant of a user who is logged in and has allowed the same before. */
async function rememberedGrant({ oidc }: HookContext, settings: Settings, consents: Consents): Promise<string | undefined> {
  const { client, account, params } = oidc;
  if (account === undefined) return undefined;
  const indicators = indicatorsOf(params["resource"], settings);
  const access = {
    clientId: client.clientId,
    clientName: client.clientName,
    redirectUri: String(params["redirect_uri"]),
    resources: settings.resources.filter((resource) => indicators.some((one) => isSame(one, resource))),
  };
  return consents.find(subjectOf(access, account.accountId));
}

/** Loads `oidc-provider`, which is installed beside Tenon by those who use this subpath. @throws McpUsageError if it is not installed */
async function loadProvider(): Promise<Library> {
  addUrlParse();
  try {
    // @ts-ignore -- it has no types, unless a user has installed some
    const library: Library = await import("oidc-provider");
    return library;
  } catch (cause) {
    const how = 'createAuthorizationServer() needs the package "oidc-provider": npm install oidc-provider@~9.13';
    throw Object.assign(new McpUsageError(how), { cause });
  }
}

/** Adds `URL.parse` of the URL standard to Node 20, which lacks it. The library calls it in every request. */
function addUrlParse(): void {
  const target: { parse?: (url: string, base?: string) => URL | null } = URL;
  target.parse ??= (url, base) => (URL.canParse(url, base) ? new URL(url, base) : null);
}
