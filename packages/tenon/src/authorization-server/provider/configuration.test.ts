/** The configuration of the library: every hook is set, because its defaults are for development. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { providerConfiguration, resourceServer, type ProviderParts } from "./configuration.ts";

class InvalidTarget extends Error {}
class InvalidRedirectUri extends Error {}
class InvalidClientMetadata extends Error {}

const RESOURCES = ["https://mcp.example/a", "https://mcp.example/b"];
const SETTINGS = {
  issuer: new URL("https://login.example/as"),
  scopes: { read: "Read", write: "Write" },
  resources: RESOURCES,
  registration: true,
  redirectHosts: undefined,
  redirectSchemes: [],
  lifetimes: { accessToken: 61_499, refreshToken: 2_000, session: 3_000, consent: 4_000, login: 5_000 },
};

/** What this test looks at, by the library's names. */
interface Configuration extends JsonObject {
  readonly cookies: JsonObject;
  readonly pkce: { required(): boolean };
  readonly interactions: { url(context: unknown, interaction: object): string };
  readonly features: {
    readonly registration: JsonObject;
    readonly resourceIndicators: {
      defaultResource(context: unknown, client: unknown, oneOf?: readonly string[]): string;
      useGrantedResource(): boolean;
      getResourceServerInfo(context: unknown, indicator: string): object;
    };
    readonly revocation: { allowedPolicy(context: unknown, client: object, token: object): boolean };
  };
  readonly extraClientMetadata: {
    readonly properties: readonly string[];
    validator(context: unknown, name: string, value: unknown, metadata: object): void;
  };
  clientBasedCORS(context: unknown, origin: string, client: object): boolean;
  findAccount(context: unknown, subject: string): { claims(): unknown };
  loadExistingGrant(context: object): Promise<unknown>;
  extraTokenClaims(context: unknown, token: object): unknown;
  issueRefreshToken(context: unknown, client: object): boolean;
  rotateRefreshToken(): boolean;
  expiresWithSession(): boolean;
  renderError(context: object, error: object): void;
  fetch(url: string): Promise<Response>;
}

function configuration(settings: object = {}, parts: object = {}): Configuration {
  const given = {
    library: { errors: { InvalidTarget, InvalidRedirectUri, InvalidClientMetadata }, Provider: {} },
    settings: { ...SETTINGS, ...settings },
    base: "/as",
    cookieKeys: ["key"],
    claimsOf: (account: string) => Promise.resolve({ of: account }),
    rememberedGrant: () => Promise.resolve("remembered"),
    findGrant: (id: string) => Promise.resolve(`grant ${id}`),
    allowFetch: () => Promise.resolve(true),
    ...parts,
  };
  return providerConfiguration(given as unknown as ProviderParts) as unknown as Configuration; // as far as this test looks
}

describe("the library", () => {
  it("asks for PKCE, gives codes for a minute, and has nothing else switched on", () => {
    const given = configuration();
    expect(given.pkce.required()).toBe(true);
    expect(given).toMatchObject({
      claims: {},
      responseTypes: ["code"],
      clientAuthMethods: ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"],
      scopes: ["read", "write", "offline_access"],
      ttl: { AccessToken: 61, AuthorizationCode: 60, RefreshToken: 2, Session: 3, Grant: 4, Interaction: 5 },
      features: {
        devInteractions: { enabled: false },
        dPoP: { enabled: false },
        pushedAuthorizationRequests: { enabled: false },
        rpInitiatedLogout: { enabled: false },
        userinfo: { enabled: false },
        registration: { enabled: true, initialAccessToken: false, issueRegistrationAccessToken: false },
        clientIdMetadataDocument: { enabled: true },
        revocation: { enabled: true },
        resourceIndicators: { enabled: true },
      },
    });
    expect(given).not.toHaveProperty("clients");
    expect(given.interactions.url({}, { uid: "u" })).toBe("/as/consent/u");
    expect(configuration({ registration: false }).features.registration["enabled"]).toBe(false);
  });

  it("signs its cookies, and keeps them from scripts, from other hosts and from plain HTTP", () => {
    const options = { httpOnly: true, sameSite: "lax", secure: true, signed: true, overwrite: true };
    const names = { session: "__Host-tenon-session", interaction: "tenon-consent", resume: "tenon-resume" };
    expect(configuration().cookies).toEqual({ names, long: options, short: options, keys: ["key"] });
    const local = { ...options, secure: false };
    expect(configuration({ issuer: new URL("http://localhost:7") }).cookies).toEqual({
      ...{ names: { ...names, session: "tenon-session" }, keys: ["key"] },
      ...{ long: local, short: local },
    });
  });

  it("lets the pages of a client's own origins ask for tokens, and no others", () => {
    const client = { redirectUris: ["https://a.example/cb", "https://b.example:8443/cb"] };
    const allows = (origin: string): boolean => configuration().clientBasedCORS({}, origin, client);
    expect(["https://a.example", "https://b.example:8443", "https://b.example", "https://evil.example"].map(allows)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it("rotates refresh tokens, gives them to clients with the grant, and lets a client revoke its own", () => {
    const given = configuration();
    expect([given.rotateRefreshToken(), given.expiresWithSession()]).toEqual([true, false]);
    const client = { grantTypeAllowed: (type: string) => type === "refresh_token" };
    expect(given.issueRefreshToken({}, client)).toBe(true);
    expect(given.issueRefreshToken({}, { grantTypeAllowed: (type: string) => type !== "refresh_token" })).toBe(false);
    const { revocation } = given.features;
    expect(revocation.allowedPolicy({}, { clientId: "a" }, { clientId: "a" })).toBe(true);
    expect(revocation.allowedPolicy({}, { clientId: "a" }, { clientId: "b" })).toBe(false);
  });

  it("finds the grant of this login first, then a remembered one, then none", async () => {
    const context = (grantId?: string): object => ({
      oidc: { result: grantId === undefined ? undefined : { consent: { grantId } } },
    });
    expect(await configuration().loadExistingGrant(context("new"))).toBe("grant new");
    expect(await configuration().loadExistingGrant(context())).toBe("grant remembered");
    const none = configuration({}, { rememberedGrant: () => Promise.resolve(undefined) });
    expect(await none.loadExistingGrant(context())).toBeUndefined();
  });

  it("puts the subject and the operator's claims into tokens", async () => {
    const given = configuration();
    expect(given.findAccount({}, "ada")).toMatchObject({ accountId: "ada" });
    expect(given.findAccount({}, "ada").claims()).toEqual({ sub: "ada" });
    expect(await given.extraTokenClaims({}, { accountId: "ada" })).toEqual({ of: "ada" });
  });

  it("shows a page for what cannot continue", () => {
    const headers = new Map<string, string>();
    const shown = (error: object): { type?: string; body?: string } => {
      const context = { res: { setHeader: (name: string, value: string) => headers.set(name, value) } };
      configuration().renderError(context, error);
      return context as object;
    };
    const named = shown({ error: "invalid_request", error_description: "no <scope>" });
    expect(named).toMatchObject({ type: "html", body: expect.stringContaining("no &lt;scope&gt; (invalid_request). Go back") });
    expect(shown({ error: "server_error" }).body).toContain(
      "It failed (server_error). Go back to your program and log in again.",
    );
    expect(headers.get("X-Frame-Options")).toBe("DENY");
  });
});

describe("a token", () => {
  it("is for one of the servers, whose other spelling is the same", () => {
    const { resourceIndicators } = configuration().features;
    const expected = {
      audience: RESOURCES[0],
      scope: "read write",
      accessTokenFormat: "jwt",
      accessTokenTTL: 61,
      jwt: { sign: { alg: "RS256" } },
    };
    const signed = { ...expected, jwt: { sign: { alg: expect.any(String) as string } } };
    expect(resourceIndicators.getResourceServerInfo({}, "https://MCP.example/a")).toEqual(signed);
    expect(resourceServer(SETTINGS as never, RESOURCES[0]!)).toEqual(signed);
    expect(() => resourceIndicators.getResourceServerInfo({}, "https://mcp.example/c")).toThrow(InvalidTarget);
    expect(resourceIndicators.useGrantedResource()).toBe(true);
  });

  it("needs a resource if there are several servers", () => {
    const { resourceIndicators: several } = configuration().features;
    expect(() => several.defaultResource({}, {})).toThrow('several MCP servers have this authorization server: send "resource"');
    expect(() => several.defaultResource({}, {}, [])).toThrow(InvalidTarget);
    expect(several.defaultResource({}, {}, [RESOURCES[1]!])).toBe(RESOURCES[1]);
    const { resourceIndicators: one } = configuration({ resources: [RESOURCES[0]] }).features;
    expect(one.defaultResource({}, {})).toBe(RESOURCES[0]);
  });
});

describe("a client", () => {
  it("is refused by the policy, with the error that says what is wrong", () => {
    const hook = configuration().extraClientMetadata;
    expect(hook.properties.length).toBeGreaterThan(0); // without one the hook does not run
    const validate = (metadata: object) => () => hook.validator({}, "", undefined, metadata);
    expect(validate({ redirect_uris: ["http://evil.example/cb"] })).toThrow(InvalidRedirectUri);
    expect(validate({ redirect_uris: ["https://a.example/cb"], client_name: 7 })).toThrow(InvalidClientMetadata);
    const good = { redirect_uris: ["https://a.example/cb"], scope: "read" };
    expect(validate(good)).not.toThrow();
    expect(good.scope).toBe("read write offline_access");
  });

  it("has documents that are read if the address may fetch one more, if they are JSON and no page", async () => {
    const asked: unknown[] = [];
    const documents = (found: object): object => ({
      json: (url: string, options: object) => (asked.push([url, options]), Promise.resolve({ status: 200, ...found })),
    });
    const fetched = (found: object, allow = true): Promise<Response> =>
      configuration({}, { documents: documents(found), allowFetch: () => Promise.resolve(allow) }).fetch(
        "https://a.example/client",
      );
    const response = await fetched({ json: { client_id: "x" }, isPage: false });
    expect([response.status, await response.json()]).toEqual([200, { client_id: "x" }]);
    expect((await fetched({ json: {}, status: 404 })).status).toBe(404);
    expect(asked[0]).toEqual(["https://a.example/client", { hop: "registration", redirects: false }]);
    await expect(fetched({ json: undefined, isPage: false })).rejects.toThrow("it is not JSON");
    await expect(fetched({ json: {}, isPage: true })).rejects.toThrow("it is not JSON");
    const before = asked.length;
    await expect(fetched({ json: {} }, false)).rejects.toThrow("too many documents are fetched for this address");
    expect(asked).toHaveLength(before);
  });
});
