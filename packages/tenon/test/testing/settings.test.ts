// What a test can change about the authorization server, and what it can see of what came in.
import { decodeJwt, exportJWK } from "jose";
import * as oauth from "oauth4webapi";
import { describe, expect, test } from "vitest";
import { createTestAuthorizationServer, type TestAuthorizationServer } from "tenon/testing";
import type { AuthFetch } from "tenon/auth";
import { gate } from "../support/gate.ts";
import {
  authorizationUrl,
  authorize,
  CALLBACK,
  discover,
  exchange,
  insecure,
  logIn,
  post,
  refresh,
  register,
  RESOURCE,
  start,
} from "./support.ts";

async function logInAgain(as: oauth.AuthorizationServer, client: oauth.Client): Promise<unknown> {
  return exchange(await authorize(as, client));
}

describe("responses", () => {
  test("metadata can lack members, name another issuer, or be missing where it is looked for first [M2.4 M2.5]", async () => {
    const server = await start();
    server.settings.alterResponse = (answer) => ({ ...answer, issuer: "https://other.example" });
    await expect(discover(server)).rejects.toThrow(/issuer/);
    server.settings.alterResponse = ({ code_challenge_methods_supported: _methods, ...rest }) => rest;
    expect(await discover(server)).not.toHaveProperty("code_challenge_methods_supported");
    server.settings.alterResponse = (answer, { url }) => (url.includes("oauth-authorization-server") ? undefined : answer);
    expect((await fetch(`${server.issuer}/.well-known/oauth-authorization-server`)).status).toBe(404);
    expect((await discover(server, "oidc")).issuer).toBe(server.issuer);
  });

  test("the redirect to the client can have another iss, none, or another state [M4.4]", async () => {
    const server = await start();
    const as = await discover(server);
    const client = await register(as);
    server.settings.alterRedirect = (parameters): void => parameters.set("iss", "https://other.example");
    await expect(logInAgain(as, client)).rejects.toThrow(/iss/);
    server.settings.alterRedirect = (parameters): void => parameters.delete("iss");
    await expect(logInAgain(as, client)).rejects.toThrow(/iss/);
    server.settings.alterRedirect = (parameters): void => parameters.set("state", "another");
    await expect(logInAgain(as, client)).rejects.toThrow(/state/);
  });

  test("a response can be held back, and a request can get a status in place of the server's response [M5.3]", async () => {
    const server = await start();
    const as = await discover(server);
    const { client, tokens } = await logIn(as);
    const { opened, open } = gate();
    server.settings.before = async ({ endpoint }) => {
      if (endpoint === "token") await opened;
    };
    const held = refresh(as, client, tokens.refresh_token!);
    expect(await Promise.race([held.then(() => "answered"), fetch(as.jwks_uri!).then(() => "held")])).toBe("held");
    open();
    const { refresh_token: next } = await held;
    server.settings.before = () => 503;
    expect((await post(as.token_endpoint!, {})).status).toBe(503);
    server.settings.before = undefined;
    expect((await refresh(as, client, next!)).access_token).toMatch(/^ey/);
  });

  test("what goes wrong in a test's own hook is a 500, not the end of the server", async () => {
    const server = await start({
      before: () => {
        throw new Error("the hook failed");
      },
    });
    const answer = await post(`${server.issuer}/token`, {});
    expect(answer).toMatchObject({ status: 500, json: { error: "server_error", error_description: "the hook failed" } });
    server.settings.before = undefined;
    expect((await discover(server)).issuer).toBe(server.issuer);
  });

  test("the user can refuse without a page", async () => {
    const as = await discover(await start({ consent: "deny" }));
    const { callback } = await authorize(as, await register(as));
    expect(callback.searchParams.get("error")).toBe("access_denied");
  });
});

describe("requests", () => {
  test("every request is kept as it came: endpoint, headers, parameters, body, status; and counted by grant", async () => {
    const server = await start();
    const as = await discover(server);
    const { client, tokens } = await logIn(as);
    await refresh(as, client, tokens.refresh_token!, { resource: RESOURCE });
    await expect(refresh(as, client, tokens.refresh_token!)).rejects.toMatchObject({ error: "invalid_grant" });
    await fetch(`${server.issuer}/.well-known/nothing`);
    expect(server.requests.map(({ endpoint, status }) => [endpoint, status])).toEqual([
      ["metadata", 200],
      ["register", 201],
      ["authorize", 302],
      ["token", 200],
      ["token", 200],
      ["token", 400],
      [undefined, 404],
    ]);
    expect(server.requests[1]!.body).toMatchObject({ client_name: "A client", application_type: "native" });
    expect(server.requests[2]!.parameters).toMatchObject({ client_id: client.client_id, resource: RESOURCE });
    expect(server.requests[4]).toMatchObject({
      method: "POST",
      url: `${server.issuer}/token`,
      headers: { "content-type": expect.stringContaining("application/x-www-form-urlencoded") },
      parameters: { grant_type: "refresh_token", refresh_token: tokens.refresh_token, resource: RESOURCE },
    });
    expect(server.count("refresh_token")).toEqual({ granted: 1, refused: 1 });
    expect(server.count("authorization_code")).toEqual({ granted: 1, refused: 0 });
    expect(server.count("client_credentials")).toEqual({ granted: 0, refused: 0 });
  });
});

describe("tokens made by hand", () => {
  test("a resource server's test gets good ones and bad ones [M1.4]", async () => {
    const server = await start({ clients: [{ client_id: "rs", client_secret: "s" }] });
    const good = decodeJwt(await server.issueAccessToken({ clientId: "c", scopes: ["a", "b"], audience: RESOURCE, key: "jkt" }));
    expect(good).toMatchObject({
      iss: server.issuer,
      sub: "user",
      client_id: "c",
      scope: "a b",
      aud: RESOURCE,
      cnf: { jkt: "jkt" },
    });
    const bad = decodeJwt(
      await server.issueAccessToken({ lifetime: -1_000, claims: { iss: "https://other.example", aud: undefined } }),
    );
    expect(bad.iss).toBe("https://other.example");
    expect(bad).not.toHaveProperty("aud");
    expect(bad.exp! * 1_000).toBeLessThan(Date.now());
    server.settings.accessTokens = "opaque";
    const token = await server.issueAccessToken({ audience: [RESOURCE, "https://other.example/"] });
    const as = await discover(server);
    const rs: oauth.Client = { client_id: "rs" };
    const response = await oauth.introspectionRequest(as, rs, oauth.ClientSecretBasic("s"), token, insecure);
    expect(await oauth.processIntrospectionResponse(as, rs, response)).toMatchObject({
      active: true,
      aud: [RESOURCE, "https://other.example/"],
    });
  });
});

describe("client id metadata documents", () => {
  const ID = "https://client.example/metadata.json";
  const DOCUMENT = { client_id: ID, client_name: "Published", redirect_uris: ["http://127.0.0.1/callback"] };

  /** A server that reads the client's document from `read`, and how often it did. */
  async function publish(read: () => Response): Promise<{ as: oauth.AuthorizationServer; fetched: string[] }> {
    const fetched: string[] = [];
    const fetch: AuthFetch = (url) => {
      fetched.push(url);
      return Promise.resolve(read());
    };
    return { as: await discover(await start({ documents: { fetch } })), fetched };
  }

  const visitAs = async (as: oauth.AuthorizationServer, id: string): Promise<Response> =>
    fetch(await authorizationUrl(as, { client_id: id }, "v".repeat(43)), { redirect: "manual" });

  test("a client is known by its document, without registering, as long as the document may be kept [M3.1 M3.2]", async () => {
    const { as, fetched } = await publish(() => Response.json(DOCUMENT, { headers: { "cache-control": "max-age=60" } }));
    expect(as["client_id_metadata_document_supported"]).toBe(true);
    const client = { client_id: ID };
    expect((await exchange(await authorize(as, client))).access_token).toMatch(/^ey/);
    expect(fetched).toEqual([ID]);
    const uncached = await publish(() => Response.json(DOCUMENT, { headers: { "cache-control": "no-store" } }));
    await exchange(await authorize(uncached.as, client));
    expect(uncached.fetched).toEqual([ID, ID]);
  });

  test("such a client may sign that it is itself, with the keys in its document [M3.2]", async () => {
    const { publicKey, privateKey } = await oauth.generateKeyPair("ES256");
    const keys = { jwks: { keys: [await exportJWK(publicKey)] }, token_endpoint_auth_method: "private_key_jwt" };
    const { as } = await publish(() => Response.json({ ...DOCUMENT, ...keys }));
    const client = { client_id: ID };
    expect((await exchange(await authorize(as, client), oauth.PrivateKeyJwt(privateKey))).access_token).toMatch(/^ey/);
    await expect(logInAgain(as, client)).rejects.toMatchObject({ error: "invalid_client" });
  });

  test.each<[string, () => Response]>([
    ["names another client", () => Response.json({ ...DOCUMENT, client_id: `${ID}/` })],
    ["has no name", () => Response.json({ ...DOCUMENT, client_name: undefined })],
    ["has no redirect URIs", () => Response.json({ ...DOCUMENT, redirect_uris: undefined })],
    ["has other redirect URIs", () => Response.json({ ...DOCUMENT, redirect_uris: ["https://client.example/cb"] })],
    ["holds a secret", () => Response.json({ ...DOCUMENT, client_secret: "x" })],
    [
      "wants to authenticate with a secret",
      () => Response.json({ ...DOCUMENT, token_endpoint_auth_method: "client_secret_basic" }),
    ],
    ["is no JSON", () => new Response("<html>")],
    ["is an array", () => Response.json([])],
    ["is missing", () => new Response(null, { status: 404 })],
    ["is elsewhere", () => new Response(null, { status: 302, headers: { location: "https://other.example/metadata.json" } })],
  ])("a document that %s makes no client [M3.2]", async (_, read) => {
    const { as } = await publish(read);
    const response = await visitAs(as, ID);
    expect({ status: response.status, location: response.headers.get("location") }).toEqual({ status: 400, location: null });
    expect(await response.json()).toMatchObject({ error: expect.stringMatching(/^invalid_/) });
  });

  test.each([
    "http://client.example/metadata.json",
    "https://127.0.0.1/metadata.json",
    "http://169.254.169.254/latest/meta-data",
    "https://user@client.example/metadata.json",
    "https://client.example/",
    "https://client.example/a/../metadata.json",
    "https://client.example/metadata.json#x",
    "https://client.internal/metadata.json",
    "https://client.example:22/metadata.json",
  ])("%s is never fetched [fault O1 M6.2]", async (id) => {
    const { as, fetched } = await publish(() => Response.json({ ...DOCUMENT, client_id: id }));
    expect((await visitAs(as, id)).status).toBe(400);
    expect(
      (await post(as.token_endpoint!, { grant_type: "refresh_token", refresh_token: "x", client_id: id })).json["error"],
    ).toBe("invalid_client");
    expect(fetched).toEqual([]);
  });

  test("a server may have none", async () => {
    const server = await start({ clientDocuments: false });
    const as = await discover(server);
    expect(as["client_id_metadata_document_supported"]).toBe(false);
    expect((await visitAs(as, ID)).status).toBe(400);
  });
});

describe("without a network", () => {
  const inside = ({ fetch }: TestAuthorizationServer): Record<symbol, unknown> => ({ [oauth.customFetch]: fetch });

  test("an issuer of https is reached by its own fetch, and by nothing else [M4.5]", async () => {
    const server = await createTestAuthorizationServer("https://login.example/tenant");
    const issuer = new URL(server.issuer);
    const as = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...inside(server) }),
    );
    const metadata = { redirect_uris: [CALLBACK], token_endpoint_auth_method: "none" };
    const registration = await oauth.dynamicClientRegistrationRequest(as, metadata, inside(server));
    const client = await oauth.processDynamicClientRegistrationResponse(registration);
    const verifier = oauth.generateRandomCodeVerifier();
    const answer = await server.fetch(await authorizationUrl(as, client, verifier));
    const parameters = oauth.validateAuthResponse(as, client, new URL(answer.headers.get("location")!), "the state");
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      oauth.None(),
      parameters,
      CALLBACK,
      verifier,
      inside(server),
    );
    expect(decodeJwt((await oauth.processAuthorizationCodeResponse(as, client, response)).access_token).iss).toBe(server.issuer);
    await expect(server.fetch("https://login.example.com/")).rejects.toThrow("is not at https://login.example/tenant");
  });

  test("a request that is abandoned ends at once", async () => {
    const server = await createTestAuthorizationServer("https://login.example", { before: () => new Promise(() => undefined) });
    const controller = new AbortController();
    const answer = server.fetch(`${server.issuer}/jwks`, { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(answer).rejects.toThrow("enough");
  });
});

test("the clock that is given can be five minutes off: claims and lifetimes are by that clock", async () => {
  for (const skew of [-300_000, 300_000]) {
    const server = await start({ clock: () => Date.now() + skew });
    const from = Math.floor((Date.now() + skew) / 1_000);
    const { tokens } = await logIn(await discover(server));
    const { iat } = decodeJwt(tokens.access_token);
    expect(iat).toBeGreaterThanOrEqual(from);
    expect(iat).toBeLessThanOrEqual(Math.ceil((Date.now() + skew) / 1_000));
  }
});
