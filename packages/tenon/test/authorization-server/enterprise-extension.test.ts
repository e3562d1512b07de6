/**
 * The examples and rules of the extension Enterprise-Managed Authorization, one by one, with `oidc-provider` as the company's
 * identity provider: a login, the exchange of its ID token, and the grant at Tenon's authorization server.
 */
import { createHash, randomUUID } from "node:crypto";
import { decodeJwt, exportJWK, generateKeyPair, importJWK, SignJWT, type JWK } from "jose";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { connect } from "tenon";
import { enterpriseManaged } from "tenon/auth";
import { enterprise } from "tenon/authorization-server";
import type { JsonObject } from "tenon";
import { oidcProvider, visit, type GrantContext, type Provider } from "../auth/oidc-provider.ts";
import { CLIENT, goodClaims, JWT_BEARER, redeemAt, startCompany, startIdp, TYPE } from "./enterprise-support.ts";
import { reserve, startSite, tokenRequest, type Site } from "./support.ts";

const REDIRECT = "http://127.0.0.1:9/callback";
const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";

interface Key {
  readonly jwk: JWK;
  readonly sign: (typ: string, claims: JsonObject) => Promise<string>;
}

async function newKey(kid: string): Promise<Key> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid, use: "sig", alg: "RS256" };
  return { jwk, sign: (typ, claims) => new SignJWT(claims).setProtectedHeader({ alg: "RS256", typ, kid }).sign(privateKey) };
}

/** What the company gives: the user of a login, for one pair of authorization server and MCP server. */
function exchange(key: Key, issuer: () => string, pairs: ReadonlyMap<string, string>): (context: GrantContext) => Promise<void> {
  return async (context) => {
    const { client, params } = context.oidc;
    const { sub, aud } = decodeJwt(String(params["subject_token"]));
    if (aud !== client.clientId || pairs.get(String(params["audience"])) !== params["resource"]) {
      [context.status, context.body] = [400, { error: "invalid_target" }];
      return;
    }
    const now = Math.floor(Date.now() / 1_000);
    const claims = { iss: issuer(), sub: sub!, aud: String(params["audience"]), resource: String(params["resource"]) };
    const more = { client_id: CLIENT.id, scope: String(params["scope"]), jti: randomUUID(), iat: now, exp: now + 300 };
    context.body = {
      issued_token_type: ID_JAG,
      access_token: await key.sign(TYPE, { ...claims, ...more }),
      token_type: "N_A",
      expires_in: 300,
    };
  };
}

/** The company's `oidc-provider`, which gives access to that site. */
async function company(site: { origin: string; url: string }): Promise<Provider> {
  const key = await newKey("company");
  const made: { issuer?: string } = {};
  const client = {
    client_id: "at-idp",
    client_secret: "i",
    redirect_uris: [REDIRECT],
    grant_types: ["authorization_code", TOKEN_EXCHANGE],
  };
  const provider = await oidcProvider(["openid"], {
    jwks: { keys: [key.jwk] },
    more: { clients: [client], pkce: { required: () => true } },
    extend: (library) =>
      library.registerGrantType(
        TOKEN_EXCHANGE,
        exchange(key, () => made.issuer!, new Map([[site.origin, site.url]])),
        ["audience", "resource", "scope", "requested_token_type", "subject_token", "subject_token_type"],
        [],
      ),
  });
  made.issuer = provider.issuer;
  return provider;
}

/** The user logs in to the program at the company. */
async function idTokenOf({ issuer }: Provider): Promise<string> {
  const verifier = randomUUID() + randomUUID();
  const query = new URLSearchParams({
    ...{ client_id: "at-idp", response_type: "code", redirect_uri: REDIRECT, scope: "openid", code_challenge_method: "S256" },
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
  });
  const code = (await visit(`${issuer}/auth?${query.toString()}`, { until: REDIRECT })).get("code")!;
  const form = { grant_type: "authorization_code", code, redirect_uri: REDIRECT, code_verifier: verifier };
  const response = await fetch(`${issuer}/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa("at-idp:i")}` },
    body: new URLSearchParams(form),
  });
  return ((await response.json()) as { id_token: string }).id_token; // the server of this test
}

describe("oidc-provider as the identity provider of a company", () => {
  test("its user logs in once, and Tenon's client gets a token for the MCP server without a page", async () => {
    const reserved = await reserve();
    const provider = await company({ origin: reserved.origin, url: `${reserved.origin}/mcp` });
    const site = await startSite(reserved, undefined, { enterprise: enterprise({ idp: provider.issuer, clients: [CLIENT] }) });
    const idToken = await idTokenOf(provider);
    const client = await connect(site.url, {
      auth: enterpriseManaged({
        issuer: site.origin,
        client: { id: CLIENT.id, secret: CLIENT.secret! },
        identityProvider: {
          tokenEndpoint: `${provider.issuer}/token`,
          client: { id: "at-idp", secret: "i" },
          subjectToken: () => idToken,
        },
      }),
    });
    onTestFinished(() => client.close());
    expect(JSON.parse((await client.callTool("whoami")).text)).toMatchObject({ scopes: ["notes:read"] });
    expect((await client.callTool("write")).text).toBe("written");
    expect(site.errors).toEqual([]);
  });

  test("an ID token itself, and the token of a login, are no assertions", async () => {
    const reserved = await reserve();
    const provider = await company({ origin: reserved.origin, url: `${reserved.origin}/mcp` });
    const site = await startSite(reserved, undefined, { enterprise: enterprise({ idp: provider.issuer, clients: [CLIENT] }) });
    const { body } = await redeemAt(site, await idTokenOf(provider));
    expect(body).toMatchObject({ error: "invalid_grant" });
    expect(site.errors).toHaveLength(1);
  });
});

/** The assertion that the extension shows, for a site on this machine. */
function example(idp: { issuer: string }, site: Site): JsonObject {
  const now = Math.floor(Date.now() / 1_000);
  return {
    jti: "9e43f81b64a33f20116179",
    iss: idp.issuer,
    sub: "U019488227",
    email: "user@example.com",
    aud: `${site.origin}/`,
    resource: `${site.origin}/`,
    client_id: "f53f191f9311af35",
    exp: now + 1_000,
    iat: now,
    scope: "chat.read chat.history",
  };
}

describe("the examples of the extension", () => {
  const client = { id: "f53f191f9311af35", secret: "a26d84873504215a34a86d52ef5cd64f4b76" };
  const chat = async (): Promise<{ site: Site; idp: Awaited<ReturnType<typeof startIdp>> }> => {
    const [idp, reserved] = await Promise.all([startIdp(), reserve()]);
    const site = await startSite(reserved, undefined, {
      resource: [`${reserved.origin}/`],
      needs: ["chat.read"],
      scopes: { "chat.read": "Read", "chat.history": "Read what was said", "chat.write": "Write" },
      enterprise: enterprise({ idp: idp.issuer, clients: [client] }),
    });
    return { site, idp };
  };

  test("the assertion becomes a token for the server of its resource, with the scopes of both, and no-store", async () => {
    const { site, idp } = await chat();
    const response = await fetch(`${site.origin}/token`, {
      method: "POST",
      body: new URLSearchParams({
        ...{ grant_type: JWT_BEARER, assertion: await idp.sign(TYPE, example(idp, site)), scope: "chat.read chat.write" },
        ...{ client_id: client.id, client_secret: client.secret },
      }),
    });
    const body = (await response.json()) as Record<string, unknown>;
    expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(body).toMatchObject({ token_type: "Bearer", scope: "chat.read" });
    expect(decodeJwt(String(body["access_token"]))).toMatchObject({ aud: `${site.origin}/`, client_id: client.id });
  });

  // Section 7.6: audience, resource and scope are one bound set; a mismatch of any is invalid_grant.
  test.each<[string, (site: Site) => JsonObject]>([
    ["the authorization server of another MCP server", () => ({ aud: "https://auth.other.example/" })],
    ["another MCP server", () => ({ resource: "https://mcp.other.example/" })],
    ["a longer resource of this server", ({ origin }) => ({ resource: `${origin}/b` })],
    ["scopes of another server only", () => ({ scope: "mail.read mail.send" })],
    ["the MCP server as its audience", ({ origin }) => ({ aud: `${origin}/mcp` })],
    ["a client of the company in the place of the client here", () => ({ client_id: "2ec954a1d60620116d36d9ceb7" })],
  ])("the assertion for %s is invalid_grant, and tells the client nothing else", async (_what, changes) => {
    const { site, idp } = await chat();
    const { status, body } = await redeemAt(site, await idp.sign(TYPE, { ...example(idp, site), ...changes(site) }), {}, client);
    expect([status, body["error"], body["access_token"]]).toEqual([400, "invalid_grant", undefined]);
  });

  test("an assertion in the URL is not taken", async () => {
    const { site, idp } = await chat();
    const query = new URLSearchParams({ grant_type: JWT_BEARER, assertion: await idp.sign(TYPE, example(idp, site)) });
    const headers = { authorization: `Basic ${btoa(`${client.id}:${client.secret}`)}` };
    const asked = await fetch(`${site.origin}/token?${query.toString()}`, { method: "POST", headers });
    expect(asked.status).toBe(400);
    expect((await fetch(`${site.origin}/token?${query.toString()}`, { headers })).status).toBeGreaterThanOrEqual(400);
  });

  test("the same jti of another company, and of another of its users, is another assertion only by its issuer", async () => {
    const [acme, globex, reserved] = await Promise.all([startIdp(), startIdp(), reserve()]);
    const access = enterprise({ idp: [acme.issuer, globex.issuer], clients: [CLIENT] });
    const site = await startSite(reserved, undefined, { enterprise: access });
    const present = async (idp: typeof acme, sub: string): Promise<number> =>
      (await redeemAt(site, await idp.sign(TYPE, { ...goodClaims(idp, site), jti: "one", sub }))).status;
    expect([await present(acme, "ada"), await present(globex, "ada")]).toEqual([200, 200]);
    expect([await present(acme, "bob"), await present(globex, "ada")]).toEqual([400, 400]);
  });

  test("keys of one name at two companies open each its own", async () => {
    const keys = await Promise.all([newKey("same"), newKey("same")]);
    const [one, two] = await Promise.all(keys.map((key) => oidcProvider(["openid"], { jwks: { keys: [key.jwk] } })));
    const reserved = await reserve();
    const access = enterprise({ idp: [one!.issuer, two!.issuer], clients: [CLIENT] });
    const site = await startSite(reserved, undefined, { enterprise: access });
    const present = async (key: Key, issuer: string): Promise<number> =>
      (await redeemAt(site, await key.sign(TYPE, { ...goodClaims({ issuer } as never, site), iss: issuer }))).status;
    expect(await Promise.all([present(keys[0]!, one!.issuer), present(keys[1]!, two!.issuer)])).toEqual([200, 200]);
    expect(await Promise.all([present(keys[1]!, one!.issuer), present(keys[0]!, two!.issuer)])).toEqual([400, 400]);
  });

  test("what was presented stands in no report to the operator, accepted or not", async () => {
    const { assertion, redeem, site } = await startCompany();
    const texts = [await assertion({ aud: "https://other.example" }), await assertion({ exp: 1 }), await assertion()];
    for (const text of [...texts, texts[2]!]) await redeem(text);
    const reports = site.errors
      .map((error) => `${String(error)} ${JSON.stringify(error)} ${String((error as Error).stack)}`)
      .join("\n");
    expect(site.errors).toHaveLength(3);
    for (const text of texts) for (const part of text.split(".").slice(1)) expect(reports).not.toContain(part);
    expect(reports).not.toContain(CLIENT.secret);
  });
});

describe("keys of an identity provider that is not what it was", () => {
  const secret = (): JsonObject => ({ kty: "oct", alg: "HS256", kid: "s", k: "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0" });
  type Alter = (response: JsonObject, endpoint: string | undefined) => JsonObject | undefined;
  const metadata =
    (changes: JsonObject): Alter =>
    (response, endpoint) =>
      endpoint === "metadata" ? { ...response, ...changes } : response;
  const jwks =
    (made: JsonObject | undefined): Alter =>
    (response, endpoint) =>
      endpoint === "jwks" ? made : response;

  test.each<[string, Alter]>([
    ["lie at an address of the cloud", metadata({ jwks_uri: "http://169.254.169.254/latest/keys" })],
    ["lie on the private network", metadata({ jwks_uri: "https://10.0.0.7/keys" })],
    ["lie at a URL with a password", metadata({ jwks_uri: "https://user:word@keys.example/keys" })],
    ["are not named", metadata({ jwks_uri: null })],
    ["are of an issuer with another name", metadata({ issuer: "https://other.example" })],
    ["are no key set", jwks({ keys: "none" })],
    ["are longer than a document may be", jwks({ keys: [], padding: "x".repeat(300_000) })],
    ["are more than a hundred", jwks({ keys: Array.from({ length: 101 }, secret) })],
    ["are gone", jwks(undefined)],
  ])("that %s verify nothing: 503, and the assertion is not used up", async (_what, alter) => {
    const { idp, assertion, redeem, site } = await startCompany();
    idp.settings.alterResponse = (response, { endpoint }) => alter(response, endpoint);
    const text = await assertion();
    expect(await redeem(text)).toMatchObject({ status: 503, body: { error: "temporarily_unavailable" } });
    expect(JSON.stringify(await redeem(text))).not.toMatch(/169\.254|10\.0\.0\.7|word/);
    expect(site.errors.length).toBeGreaterThan(0);
    idp.settings.alterResponse = undefined;
    const later = performance.now() + 6_000;
    vi.spyOn(performance, "now").mockImplementation(() => later);
    onTestFinished(() => void vi.restoreAllMocks());
    expect((await redeem(text)).status).toBe(200);
  });

  test("a secret in the key set signs nothing", async () => {
    const { idp, claims, redeem } = await startCompany();
    const key = secret();
    idp.settings.alterResponse = (response, { endpoint }) => (endpoint === "jwks" ? { keys: [key] } : response);
    const signed = new SignJWT(claims()).setProtectedHeader({ alg: "HS256", typ: TYPE, kid: "s" });
    const { status, body } = await redeem(await signed.sign(Buffer.from(String(key["k"]), "base64url")));
    expect([status === 200, body["access_token"]]).toEqual([false, undefined]);
  });
});

describe("clients that prove a key", () => {
  /** A client assertion of RFC 7523, section 2.2. */
  const proofOf = (key: Key, id: string, aud: string | readonly string[]): Promise<string> => {
    const now = Math.floor(Date.now() / 1_000);
    return key.sign("JWT", { iss: id, sub: id, aud, jti: randomUUID(), iat: now, exp: now + 60 });
  };
  const present = async (site: Site, assertion: string, id: string, proof: string): Promise<Record<string, unknown>> => {
    const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    const form = { grant_type: JWT_BEARER, assertion, client_id: id, client_assertion_type: type, client_assertion: proof };
    return (await tokenRequest(site, form)).body;
  };

  test("by keys that the operator gave, and not by another key", async () => {
    const [key, other] = await Promise.all([newKey("client"), newKey("client")]);
    const [idp, reserved] = await Promise.all([startIdp(), reserve()]);
    const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...publicJwk } = key.jwk;
    await importJWK(publicJwk, "RS256");
    const access = enterprise({ idp: idp.issuer, clients: [{ id: "keyed", jwks: { keys: [publicJwk] } }] });
    const site = await startSite(reserved, undefined, { enterprise: access });
    const assertion = (): Promise<string> => idp.sign(TYPE, { ...goodClaims(idp, site), client_id: "keyed" });
    expect(await present(site, await assertion(), "keyed", await proofOf(key, "keyed", site.origin))).toMatchObject({
      token_type: "Bearer",
    });
    expect(await present(site, await assertion(), "keyed", await proofOf(other, "keyed", site.origin))).toMatchObject({
      error: "invalid_client",
    });
    const proof = await proofOf(key, "keyed", site.origin);
    expect(await present(site, await assertion(), "keyed", proof)).toHaveProperty("access_token");
    // a proof counts once
    expect(await present(site, await assertion(), "keyed", proof)).toMatchObject({ error: "invalid_client" });
    // a proof that another server gets as well proves nothing here
    const [own, both] = [`${site.origin}/token`, "https://other.example.com"].map((other) => [site.origin, other]);
    expect(await present(site, await assertion(), "keyed", await proofOf(key, "keyed", own!))).toHaveProperty("access_token");
    expect(await present(site, await assertion(), "keyed", await proofOf(key, "keyed", both!))).toMatchObject({
      error: "invalid_client",
    });
  });

  test("by the keys of its metadata document, whose URL is its id", async () => {
    const key = await newKey("document");
    const id = "https://client.example.com/client.json";
    const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...publicJwk } = key.jwk;
    const document = {
      ...{ client_id: id, client_name: "Editor", grant_types: [JWT_BEARER], response_types: [], redirect_uris: [] },
      ...{ token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [publicJwk] } },
    };
    const { assertion, site } = await startCompany({
      fetching: {
        allowLoopback: true,
        fetch: (url, init) => (url === id ? Promise.resolve(Response.json(document)) : fetch(url, init as RequestInit)),
      },
    });
    const body = await present(site, await assertion({ client_id: id }), id, await proofOf(key, id, site.origin));
    expect(body).toMatchObject({ token_type: "Bearer", scope: "notes:read" });
  });
});
