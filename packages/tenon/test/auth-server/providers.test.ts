/**
 * The providers of `tenon/auth/providers`, each with tokens as it writes them, signed by the keys that it publishes.
 */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "tenon";
import type { AuthFetch, BearerAuth } from "tenon/auth";
import {
  auth0,
  betterAuth,
  clerk,
  cognito,
  entra,
  google,
  keycloak,
  okta,
  supabase,
  workos,
  type HostedProviderOptions,
} from "tenon/auth/providers";
import { createTestAuthorizationServer } from "tenon/testing";
import { reasonOf, taking } from "./tokens.ts";

const URL_HERE = "https://files.example.com/mcp";
const TENANT = "aaaaaaaa-2222-3333-4444-555555555555";
const APP = "bbbbbbbb-7777-8888-9999-000000000000";

type Common = Partial<HostedProviderOptions> & { readonly url: string };

interface Case {
  readonly issuer: string;
  readonly make: (options: Common) => BearerAuth;
  /** What the tokens say that it writes for this server. */
  readonly claims: JsonObject;
  /** Tokens that are refused, by what is wrong: their claims, and what the operator is told to do. */
  readonly refused: Readonly<Record<string, readonly [JsonObject, string]>>;
}

const elsewhere = (step: string): readonly [JsonObject, string] => [{ aud: "https://other.example" }, step];

const CASES: Readonly<Record<string, Case>> = {
  auth0: {
    issuer: "https://example.eu.auth0.com/",
    make: (options) => auth0({ domain: "example.eu.auth0.com", ...options }),
    claims: { aud: [URL_HERE, "https://example.eu.auth0.com/userinfo"], azp: "app", client_id: undefined },
    refused: { "another API": elsewhere(`create an API with the identifier "${URL_HERE}"`) },
  },
  betterAuth: {
    issuer: "https://app.example.com/api/auth",
    make: (options) => betterAuth({ baseUrl: "https://app.example.com/api/auth/", ...options }),
    claims: { aud: URL_HERE, azp: "app", client_id: undefined },
    refused: { "another audience": elsewhere('"resources" must have') },
  },
  clerk: {
    issuer: "https://clerk.example.com",
    make: (options) => clerk({ domain: "clerk.example.com", ...options }),
    claims: { aud: URL_HERE, client_id: "app" },
    refused: {
      "a session of the web application": [
        { aud: undefined, client_id: undefined, azp: "https://app.example.com" },
        `under Agents > MCP servers, add an MCP server with the URL "${URL_HERE}"`,
      ],
      "a client that the options do not name": [{ aud: undefined, client_id: "other" }, 'option "clientIds"'],
    },
  },
  "clerk with clients": {
    issuer: "https://clerk.example.com",
    make: (options) => clerk({ domain: "clerk.example.com", clientIds: ["app"], ...options }),
    claims: { aud: undefined, client_id: "app" },
    refused: {
      "a client of the options, for another server": elsewhere("add an MCP server"),
      "a client of the options, for something that is no name": [
        { aud: [{ server: "https://other.example" }] },
        "add an MCP server",
      ],
      "a session whose origin has the name of a client": [
        { aud: undefined, client_id: undefined, azp: "app" },
        "add an MCP server",
      ],
    },
  },
  cognito: {
    issuer: "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI",
    make: (options) => cognito({ userPoolId: "eu-central-1_AbCdEfGhI", clientIds: ["app"], ...options }),
    claims: { aud: undefined, client_id: "app", token_use: "access" },
    refused: {
      "an ID token": [{ aud: "app", token_use: "id" }, "The client sent an ID token"],
      "another app client": [{ aud: undefined, client_id: "other", token_use: "access" }, 'option "clientIds"'],
      "an audience that is no name": [
        { aud: { 0: "https://other.example" }, client_id: "app", token_use: "access" },
        '"resource": "',
      ],
      "another resource server": [
        { aud: "https://other.example", client_id: "app", token_use: "access" },
        `"resource": "${URL_HERE}"`,
      ],
    },
  },
  entra: {
    issuer: `https://login.microsoftonline.com/${TENANT}/v2.0`,
    make: (options) => entra({ tenant: TENANT, clientId: APP, ...options }),
    claims: { aud: APP, azp: "app", client_id: undefined, scope: undefined, scp: "read" },
    refused: {
      "another API": elsewhere(`such as "api://${APP}/read"`),
      "version 1": [{ iss: `https://sts.windows.net/${TENANT}/`, aud: `api://${APP}` }, "set requestedAccessTokenVersion to 2"],
      "an ID token of the app": [
        { scp: undefined, nonce: "n" },
        "it names neither a scope nor a role. The client sent an ID token",
      ],
      "an application without a role": [{ scp: undefined, roles: [] }, "that has no role of this API"],
      "another directory": [
        { iss: "https://login.microsoftonline.com/99999999-2222-3333-4444-555555555555/v2.0" },
        "its issuer is not accepted",
      ],
    },
  },
  keycloak: {
    issuer: "https://sso.example.com/realms/staff",
    make: (options) => keycloak({ baseUrl: "https://sso.example.com", realm: "staff", ...options }),
    claims: { aud: ["account", URL_HERE], azp: "app", client_id: undefined },
    refused: { "no mapper": [{ aud: "account" }, "add a mapper of the type Audience"] },
  },
  "keycloak with the name of a client": {
    issuer: "https://sso.example.com/realms/staff",
    make: (options) => keycloak({ baseUrl: "https://sso.example.com", realm: "staff", audience: "files", ...options }),
    claims: { aud: "files", azp: "app", client_id: undefined, typ: "Bearer" },
    refused: { "an ID token of that client": [{ aud: "files", typ: "ID" }, "The client sent an ID token"] },
  },
  okta: {
    issuer: "https://example.okta.com/oauth2/default",
    make: (options) => okta({ domain: "example.okta.com", audience: "api://default", ...options }),
    claims: { aud: "api://default", cid: "app", client_id: undefined, scope: undefined, scp: ["read"] },
    refused: { "another audience": elsewhere('must have the audience "api://default"') },
  },
  supabase: {
    issuer: "https://abcdefghijklmnopqrst.supabase.co/auth/v1",
    make: (options) => supabase({ project: "abcdefghijklmnopqrst", ...options }),
    claims: { aud: "authenticated", role: "authenticated", client_id: "app" },
    refused: {
      "a session of the application": [
        { aud: "authenticated", client_id: undefined },
        "it is a session of the project's own application",
      ],
      "no user": [{ aud: "anon", client_id: "app" }, "It is not a token of a user"],
    },
  },
  "supabase with clients": {
    issuer: "https://db.example.com/auth/v1",
    make: (options) => supabase({ project: "https://db.example.com", clientIds: ["app"], ...options }),
    claims: { aud: "authenticated", client_id: "app" },
    refused: { "another client": [{ aud: "authenticated", client_id: "other" }, 'none of option "clientIds"'] },
  },
  workos: {
    issuer: "https://example.authkit.app",
    make: (options) => workos({ domain: "example.authkit.app", ...options }),
    claims: { aud: URL_HERE, client_id: "app" },
    refused: { "the environment": [{ aud: "client_01" }, 'add "https://files.example.com/mcp" as a resource indicator'] },
  },
  "workos with its environment": {
    issuer: "https://example.authkit.app",
    make: (options) => workos({ domain: "https://example.authkit.app", clientId: "client_01", ...options }),
    claims: { aud: "client_01", client_id: "app" },
    refused: { "another environment": [{ aud: "client_02" }, "as a resource indicator"] },
  },
};

interface World {
  /** Signs a token with these claims, by the provider. */
  readonly issue: (claims: JsonObject) => Promise<string>;
  readonly fetch: AuthFetch;
}

/** The provider: its discovery document, its keys, and nothing else. */
async function world({ issuer }: Case): Promise<World> {
  const login = await createTestAuthorizationServer("https://login.example");
  const base = issuer.replace(/\/$/, "");
  const documents: Record<string, () => unknown> = {
    [`${base}/.well-known/openid-configuration`]: () => ({ issuer, jwks_uri: `${base}/jwks` }),
    [`${base}/jwks`]: () => login.jwks(),
  };
  return {
    issue: (claims) => login.issueAccessToken({ subject: "ann", scopes: ["read"], claims: { iss: issuer, ...claims } }),
    fetch: async (url) =>
      Object.hasOwn(documents, url) ? Response.json(await documents[url]!()) : new Response("", { status: 404 }),
  };
}

describe.each(Object.keys(CASES))("%s", (name) => {
  const provider = CASES[name]!;

  test("takes a token as the provider writes it, and knows user, client and scopes", async () => {
    const { issue, fetch } = await world(provider);
    const take = taking(provider.make({ url: URL_HERE, scopes: ["read"], fetch }));
    const authorized = await take(await issue(provider.claims));
    expect(authorized).toMatchObject({ auth: { issuer: provider.issuer, subject: "ann", clientId: "app", scopes: ["read"] } });
  });

  test.each(Object.keys(provider.refused))("refuses %s, and the operator reads what to do", async (what) => {
    const { issue, fetch } = await world(provider);
    const [changes, step] = provider.refused[what]!;
    const take = taking(provider.make({ url: URL_HERE, fetch }));
    const reason = await reasonOf(take(await issue({ ...provider.claims, ...changes })));
    expect(reason).toMatch(/^401 Access token refused: /);
    expect(reason).toContain(step);
  });

  test("refuses a token that only the provider can read", async () => {
    const { fetch } = await world(provider);
    const take = taking(provider.make({ url: URL_HERE, fetch }));
    expect(await reasonOf(take("eyJhbGciOiJkaXIifQ..iv.text.tag"))).toMatch(/^401 Access token refused: it is not a JWT\. \w/);
  });

  test("sends clients to the provider, and names the server by its URL", () => {
    const { document } = provider.make({ url: URL_HERE, scopes: ["read"] }).metadata;
    expect(document).toMatchObject({ resource: URL_HERE, authorization_servers: [provider.issuer] });
  });

  test.each(["issuer", "verify", "jwksUri", "introspection"])("refuses %s, which the provider decides", (option) => {
    expect(() => provider.make({ url: URL_HERE, [option]: "https://x.example" })).toThrow(option);
  });

  test("needs the URL of the server", () => {
    expect(() => provider.make({} as Common)).toThrow(/^\w+\(\) needs option "url": the URL of this server/);
  });
});

test("an application of Entra comes with its roles", async () => {
  const { issue, fetch } = await world(CASES["entra"]!);
  const take = taking(entra({ tenant: TENANT, clientId: APP, url: URL_HERE, fetch }));
  const claims = { aud: APP, azp: "app", client_id: undefined, scope: undefined, roles: ["files.read"] };
  expect(await take(await issue(claims))).toMatchObject({ auth: { clientId: "app", scopes: [] } });
});

test("ids of Entra that some tool shows in capitals are the same", async () => {
  const { issue, fetch } = await world(CASES["entra"]!);
  const take = taking(entra({ tenant: TENANT.toUpperCase(), clientId: APP.toUpperCase(), url: URL_HERE, fetch }));
  expect(await reasonOf(take(await issue(CASES["entra"]!.claims)))).toBe("taken");
});

test("metadata and challenges have the long form of Entra's scopes", async () => {
  const auth = entra({ tenant: TENANT, clientId: APP, url: URL_HERE, scopes: ["read"], scopesSupported: ["read", "write"] });
  expect(auth.metadata.document).toMatchObject({ scopes_supported: [`api://${APP}/read`, `api://${APP}/write`] });
  const refused = await auth.authorize({ method: "POST", url: "/mcp", header: () => undefined });
  expect(JSON.stringify(refused)).toContain(`scope=\\"api://${APP}/read\\"`);
});

test.each([
  ["a directory that anybody may have", () => entra({ tenant: "common", clientId: APP, url: URL_HERE }), "tenant"],
  ["an app without its id", () => entra({ tenant: TENANT, clientId: "files", url: URL_HERE }), "clientId"],
  ["a domain with a path", () => auth0({ domain: "example.com/x", url: URL_HERE }), "domain"],
  ["no domain", () => okta({ domain: "", url: URL_HERE }), "domain"],
  ["a pool without a region", () => cognito({ userPoolId: "pool", url: URL_HERE }), "userPoolId"],
  ["a realm without a name", () => keycloak({ baseUrl: "https://sso.example.com", realm: " ", url: URL_HERE }), "realm"],
  ["the console of Okta", () => okta({ domain: "example-admin.okta.com", url: URL_HERE }), "domain"],
  [
    "an issuer of Okta",
    () => okta({ domain: "example.okta.com", authorizationServer: "https://example.okta.com/oauth2/aus1", url: URL_HERE }),
    "authorizationServer",
  ],
  [
    "an issuer of Keycloak",
    () => keycloak({ baseUrl: "https://sso.example.com/realms/staff", realm: "staff", url: URL_HERE }),
    "baseUrl",
  ],
  ["an issuer of Supabase", () => supabase({ project: "https://x.supabase.co/auth/v1", url: URL_HERE }), "project"],
  ["a base URL that is a name", () => betterAuth({ baseUrl: "app.example.com", url: URL_HERE }), "baseUrl"],
] as const)("%s is refused by the name of the option", (_what, make, option) => {
  expect(make).toThrow(new RegExp(`^\\w+\\(\\) needs option "${option}"`));
});

test("Google stands behind an authorization server of one's own", () => {
  expect(google({ clientId: "id", clientSecret: "secret" })).toMatchObject({
    issuer: "https://accounts.google.com",
    name: "Google",
  });
});
