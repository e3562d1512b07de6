// The core of the authorization server, driven by oauth4webapi over real HTTP: discovery, registration, the code grant.
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import * as oauth from "oauth4webapi";
import { describe, expect, test } from "vitest";
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
  visit,
} from "./support.ts";

describe("discovery", () => {
  test.each(["", "/tenant1", "/a/b"])(
    "the metadata of an issuer with the path %j is found in every place it may be [M2.4]",
    async (path) => {
      const server = await start({ path });
      const origin = new URL(server.issuer).origin;
      const places = [
        "/.well-known/oauth-authorization-server" + path,
        "/.well-known/openid-configuration" + path,
        `${path}/.well-known/openid-configuration`,
      ];
      for (const place of places) {
        const response = await fetch(origin + place);
        expect(response.headers.get("content-type")).toBe("application/json");
        expect(await response.json()).toMatchObject({ issuer: server.issuer, code_challenge_methods_supported: ["S256"] });
      }
      expect((await discover(server, "oauth2")).issuer).toBe(server.issuer);
      expect((await discover(server, "oidc")).issuer).toBe(server.issuer);
    },
  );

  test("every endpoint in the metadata responds; other paths are 404, other methods 405", async () => {
    const server = await start();
    const as = await discover(server);
    const urls = Object.entries(as).filter(([name]) => name.endsWith("_endpoint") || name === "jwks_uri");
    expect(urls.length).toBeGreaterThan(5);
    for (const [, url] of urls) expect((await fetch(url as string, { method: "DELETE" })).status).toBe(405);
    expect((await fetch(`${server.issuer}/nothing`)).status).toBe(404);
  });
});

describe("the code grant", () => {
  test.each([
    ["none", "none"],
    ["basic", "client_secret_basic"],
    ["post", "client_secret_post"],
  ] as const)("registers, authorizes and gets tokens, with authentication by %s [M3.3 M3.5 M4.1 M4.2]", async (_, method) => {
    const server = await start();
    const as = await discover(server);
    const client = await register(as, { token_endpoint_auth_method: method });
    const secret = client.client_secret as string;
    const authentication = {
      none: oauth.None,
      client_secret_basic: () => oauth.ClientSecretBasic(secret),
      client_secret_post: () => oauth.ClientSecretPost(secret),
    };
    const tokens = await exchange(await authorize(as, client), authentication[method]());
    const { payload } = await jwtVerify(tokens.access_token, createRemoteJWKSet(new URL(as.jwks_uri!)), {
      issuer: server.issuer,
      audience: RESOURCE,
    });
    expect(decodeProtectedHeader(tokens.access_token).typ).toBe("at+jwt");
    expect(payload).toMatchObject({ sub: "user", client_id: client.client_id, scope: "read write" });
    expect(tokens).toMatchObject({ token_type: "bearer", expires_in: 3600, scope: "read write" });
  });

  test("the redirect carries the exact state and the issuer; no response may be stored [M4.5]", async () => {
    const server = await start({ path: "/t" });
    const as = await discover(server);
    const client = await register(as);
    const state = "a b&c=é/%";
    const { callback } = await authorize(as, client, { state });
    expect(callback.searchParams.get("state")).toBe(state);
    expect(callback.searchParams.get("iss")).toBe(server.issuer);
    const response = await post(as.token_endpoint!, { grant_type: "authorization_code" });
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  test("a code counts once; its second use ends what the first one got", async () => {
    const as = await discover(await start());
    const client = await register(as);
    const authorization = await authorize(as, client);
    const tokens = await exchange(authorization);
    await expect(exchange(authorization)).rejects.toMatchObject({ error: "invalid_grant" });
    await expect(refresh(as, client, tokens.refresh_token!)).rejects.toMatchObject({ error: "invalid_grant" });
  });

  test("of two that bring one code at the same time, one gets tokens", async () => {
    const as = await discover(await start());
    const authorization = await authorize(as, await register(as));
    const results = await Promise.allSettled([exchange(authorization), exchange(authorization)]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("a code is bound to its client, redirect URI, verifier and resource, and to its lifetime [M4.1 M4.2]", async () => {
    let now = Date.now();
    const as = await discover(await start({ clock: () => now, codeLifetime: 1_000 }));
    const client = await register(as);
    const { callback, verifier } = await authorize(as, client);
    const form = {
      grant_type: "authorization_code",
      client_id: client.client_id,
      code: callback.searchParams.get("code")!,
      redirect_uri: CALLBACK,
      code_verifier: verifier,
      resource: RESOURCE,
    };
    const errorFor = async (changes: Record<string, string>): Promise<unknown> =>
      (await post(as.token_endpoint!, { ...form, ...changes })).json["error"];
    const other = await register(as);
    expect(await errorFor({ client_id: other.client_id })).toBe("invalid_grant");
    expect(await errorFor({ redirect_uri: "http://127.0.0.1:7357/callback/" })).toBe("invalid_grant");
    expect(await errorFor({ code_verifier: oauth.generateRandomCodeVerifier() })).toBe("invalid_grant");
    expect(await errorFor({ resource: "https://mcp.example/other" })).toBe("invalid_target");
    expect(await errorFor({ code: "another" })).toBe("invalid_grant");
    now += 1_000;
    expect(await errorFor({})).toBe("invalid_grant");
  });

  test("a client authenticates as it registered to, and in one way only [M3.5]", async () => {
    const as = await discover(await start());
    const client = await register(as, { token_endpoint_auth_method: "client_secret_basic" });
    const form = { grant_type: "refresh_token", refresh_token: "x", client_id: client.client_id };
    const secret = client.client_secret as string;
    const basic = (text: string): Record<string, string> => ({ authorization: `Basic ${btoa(text)}` });
    const cases = [
      await post(as.token_endpoint!, form),
      await post(as.token_endpoint!, { ...form, client_secret: secret }),
      await post(as.token_endpoint!, form, basic(`${client.client_id}:wrong`)),
      await post(as.token_endpoint!, form, basic(`${client.client_id}:%`)),
      await post(as.token_endpoint!, form, { authorization: "Bearer x" }),
      await post(as.token_endpoint!, { ...form, client_id: "nobody" }),
    ];
    for (const { status, json } of cases)
      expect({ status, error: json["error"] }).toEqual({ status: 401, error: "invalid_client" });
    const twice = await post(as.token_endpoint!, { ...form, client_secret: secret }, basic(`${client.client_id}:${secret}`));
    expect(twice.json["error"]).toBe("invalid_request");
    expect((await post(as.token_endpoint!, form, basic(`${client.client_id}:${secret}`))).json["error"]).toBe("invalid_grant");
  });

  test("private_key_jwt: the client's signature counts once, for this server, while it is valid", async () => {
    const server = await start();
    const as = await discover(server);
    const { publicKey, privateKey } = await oauth.generateKeyPair("ES256");
    const jwks = { keys: [await crypto.subtle.exportKey("jwk", publicKey)] };
    const client = await register(as, { token_endpoint_auth_method: "private_key_jwt", jwks: jwks as never });
    const tokens = await exchange(await authorize(as, client), oauth.PrivateKeyJwt(privateKey));
    expect(tokens.access_token).toBeTypeOf("string");
    const assertion = server.requests.at(-1)!.parameters["client_assertion"] as string;
    const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    const form = { grant_type: "refresh_token", refresh_token: tokens.refresh_token!, client_assertion_type: type };
    const replayed = await post(as.token_endpoint!, { ...form, client_assertion: assertion });
    expect(replayed.json).toMatchObject({ error: "invalid_client", error_description: expect.stringContaining("used before") });
    const { privateKey: stranger } = await oauth.generateKeyPair("ES256");
    await expect(exchange(await authorize(as, client), oauth.PrivateKeyJwt(stranger))).rejects.toMatchObject({
      error: "invalid_client",
    });
  });
});

describe("refresh", () => {
  test("refresh tokens rotate; the second use of one revokes all that came of the grant [M5.1 M5.3]", async () => {
    const server = await start();
    const as = await discover(server);
    const { client, tokens } = await logIn(as);
    const second = await refresh(as, client, tokens.refresh_token!, { resource: RESOURCE });
    expect(second.refresh_token).not.toBe(tokens.refresh_token);
    await expect(refresh(as, client, tokens.refresh_token!)).rejects.toMatchObject({ error: "invalid_grant" });
    await expect(refresh(as, client, second.refresh_token!)).rejects.toMatchObject({ error: "invalid_grant" });
  });

  test("of two that bring one refresh token at the same time, one gets tokens, and then neither has any", async () => {
    const as = await discover(await start());
    const { client, tokens } = await logIn(as);
    const results = await Promise.allSettled([1, 2].map(() => refresh(as, client, tokens.refresh_token!)));
    const winner = results.find((result) => result.status === "fulfilled");
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await expect(refresh(as, client, winner!.value.refresh_token!)).rejects.toMatchObject({ error: "invalid_grant" });
  });

  test("scopes and resources can only shrink; a shrunk token does not shrink the grant [M5.3]", async () => {
    const as = await discover(await start());
    const { client, tokens } = await logIn(as);
    await expect(refresh(as, client, tokens.refresh_token!, { scope: "read admin" })).rejects.toMatchObject({
      error: "invalid_scope",
    });
    await expect(refresh(as, client, tokens.refresh_token!, { resource: "https://other.example/" })).rejects.toMatchObject({
      error: "invalid_target",
    });
    const less = await refresh(as, client, tokens.refresh_token!, { scope: "read" });
    expect(less.scope).toBe("read");
    expect((await refresh(as, client, less.refresh_token!)).scope).toBe("read write");
  });

  test("settings: keep one refresh token for good, give none, let them expire", async () => {
    let now = Date.now();
    const server = await start({ refreshTokens: "keep", refreshTokenLifetime: 10_000, clock: () => now });
    const as = await discover(server);
    const { client, tokens } = await logIn(as);
    expect((await refresh(as, client, tokens.refresh_token!)).refresh_token).toBeUndefined();
    expect((await refresh(as, client, tokens.refresh_token!)).access_token).toBeTypeOf("string");
    server.settings.refreshTokens = "never";
    expect((await logIn(as)).tokens.refresh_token).toBeUndefined();
    now += 10_000;
    await expect(refresh(as, client, tokens.refresh_token!)).rejects.toMatchObject({ error: "invalid_grant" });
  });
});

describe("tokens", () => {
  test("introspection is for confidential clients only; revocation ends a token", async () => {
    const server = await start({ accessTokens: "opaque", clients: [{ client_id: "rs", client_secret: "s" }] });
    const as = await discover(server);
    const { client, tokens } = await logIn(as);
    const rs: oauth.Client = { client_id: "rs" };
    const introspect = async (token: string): Promise<oauth.IntrospectionResponse> =>
      oauth.processIntrospectionResponse(
        as,
        rs,
        await oauth.introspectionRequest(as, rs, oauth.ClientSecretBasic("s"), token, insecure),
      );
    expect(await introspect(tokens.access_token)).toMatchObject({
      active: true,
      sub: "user",
      aud: RESOURCE,
      client_id: client.client_id,
    });
    expect(await introspect("another")).toEqual({ active: false });
    expect(
      (await post(as.introspection_endpoint!, { token: tokens.access_token, client_id: client.client_id })).json["error"],
    ).toBe("invalid_client");
    await oauth.processRevocationResponse(await oauth.revocationRequest(as, client, oauth.None(), tokens.access_token, insecure));
    expect(await introspect(tokens.access_token)).toEqual({ active: false });
    server.settings.accessTokens = "jwt";
    const jwt = await logIn(as);
    expect(await introspect(jwt.tokens.access_token)).toMatchObject({ active: true, client_id: jwt.client.client_id });
    const [head, claims] = jwt.tokens.access_token.split(".");
    expect(await introspect(`${head}.${claims}.${"A".repeat(86)}`)).toEqual({ active: false });
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(as, jwt.client, oauth.None(), jwt.tokens.refresh_token!, insecure),
    );
    expect(await introspect(jwt.tokens.access_token)).toEqual({ active: false });
  });

  test("keys rotate: the old one stays published until it is withdrawn", async () => {
    const server = await start();
    const as = await discover(server);
    const { tokens } = await logIn(as);
    const verify = (token: string): Promise<unknown> => jwtVerify(token, createRemoteJWKSet(new URL(as.jwks_uri!)));
    await server.rotateKeys();
    await verify(tokens.access_token);
    const after = (await logIn(as)).tokens;
    expect(decodeProtectedHeader(after.access_token).kid).not.toBe(decodeProtectedHeader(tokens.access_token).kid);
    await server.rotateKeys({ withdraw: true });
    await expect(verify(after.access_token)).rejects.toThrow(/no applicable key/);
    expect((await server.jwks()).keys).toHaveLength(1);
  });

  test("lifetimes follow the clock that was given", async () => {
    const now = Date.UTC(2030, 0, 1);
    const server = await start({ clock: () => now, accessTokenLifetime: 90_500 });
    const { tokens } = await logIn(await discover(server));
    const claims = JSON.parse(atob(tokens.access_token.split(".")[1]!)) as Record<string, number>; // our own server's
    expect(tokens.expires_in).toBe(90);
    expect(claims["exp"]! - claims["iat"]!).toBe(90);
    expect(claims["iat"]).toBe(now / 1_000);
  });

  test("an ID token for the scope openid, with the nonce of the request", async () => {
    const as = await discover(await start(), "oidc");
    const client = await register(as);
    const authorization = await authorize(as, client, { scope: "openid", nonce: "n-1" });
    const parameters = oauth.validateAuthResponse(as, client, authorization.callback, "the state");
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      oauth.None(),
      parameters,
      CALLBACK,
      authorization.verifier,
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, { expectedNonce: "n-1" });
    expect(oauth.getValidatedIdTokenClaims(tokens)?.sub).toBe("user");
  });
});

test("what a redirect URI may differ in is the port of a loopback address", async () => {
  const as = await discover(await start());
  const client = await register(as, { redirect_uris: ["http://127.0.0.1/callback", "https://app.example/cb"] });
  const url = (redirect: string): Promise<URL> => authorizationUrl(as, client, "v".repeat(43), { redirect_uri: redirect });
  expect((await visit(await url("http://127.0.0.1:51234/callback"))).port).toBe("51234");
  for (const other of [
    "http://127.0.0.1:51234/callback/",
    "http://localhost/callback",
    "https://app.example:444/cb",
    "https://app.example/cb?x",
  ]) {
    const response = await fetch(await url(other), { redirect: "manual" });
    expect({ status: response.status, location: response.headers.get("location") }).toEqual({ status: 400, location: null });
  }
});
