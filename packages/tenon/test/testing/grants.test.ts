// The grants beside the code grant, each driven by oauth4webapi over real HTTP.
import { decodeJwt, exportJWK, generateKeyPair, SignJWT, type JWTPayload } from "jose";
import * as oauth from "oauth4webapi";
import { describe, expect, test } from "vitest";
import type { RunningAuthorizationServer } from "tenon/testing";
import { authorize, discover, exchange, insecure, post, refresh, register, RESOURCE, start } from "./support.ts";

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";
const MACHINE: oauth.Client = { client_id: "machine" };
const SECRET = { client_id: "machine", client_secret: "machine's" };

describe("client credentials", () => {
  async function grant(
    server: RunningAuthorizationServer,
    authentication: oauth.ClientAuth,
  ): Promise<oauth.TokenEndpointResponse> {
    const as = await discover(server);
    const parameters = { scope: "read", resource: RESOURCE };
    const response = await oauth.clientCredentialsGrantRequest(as, MACHINE, authentication, parameters, insecure);
    return oauth.processClientCredentialsResponse(as, MACHINE, response);
  }

  test("a client gets a token in its own name with its secret, and no refresh token [requirement R1]", async () => {
    for (const method of ["client_secret_basic", "client_secret_post"] as const) {
      const server = await start({ clients: [{ ...SECRET, token_endpoint_auth_method: method }] });
      const authentication = method === "client_secret_basic" ? oauth.ClientSecretBasic : oauth.ClientSecretPost;
      const tokens = await grant(server, authentication("machine's"));
      expect(decodeJwt(tokens.access_token)).toMatchObject({
        sub: "machine",
        client_id: "machine",
        aud: RESOURCE,
        scope: "read",
      });
      expect(tokens.refresh_token).toBeUndefined();
      expect(server.count("client_credentials")).toEqual({ granted: 1, refused: 0 });
    }
  });

  test("… or with private_key_jwt, in any algorithm the metadata lists [requirement R1]", async () => {
    for (const algorithm of ["ES256", "Ed25519"]) {
      const { publicKey, privateKey } = await oauth.generateKeyPair(algorithm);
      const jwks = { keys: [await exportJWK(publicKey)] };
      const server = await start({ clients: [{ client_id: "machine", token_endpoint_auth_method: "private_key_jwt", jwks }] });
      expect((await discover(server))["token_endpoint_auth_signing_alg_values_supported"]).toContain(algorithm);
      expect((await grant(server, oauth.PrivateKeyJwt(privateKey))).access_token).toBeTypeOf("string");
    }
  });

  test("a public client has nothing to ask with [requirement R1]", async () => {
    const server = await start({ clients: [{ client_id: "machine" }] });
    await expect(grant(server, oauth.None())).rejects.toMatchObject({ error: "unauthorized_client" });
    expect(server.count("client_credentials")).toEqual({ granted: 0, refused: 1 });
  });
});

describe("devices", () => {
  async function begin(options: Parameters<typeof start>[0] = {}): Promise<Device> {
    const clock = { now: Date.now() };
    const server = await start({ clock: () => clock.now, ...options });
    const as = await discover(server);
    const client = await register(as, { grant_types: [DEVICE_CODE, "refresh_token"], redirect_uris: [] });
    const request = await oauth.deviceAuthorizationRequest(
      as,
      client,
      oauth.None(),
      { scope: "read", resource: RESOURCE },
      insecure,
    );
    const codes = await oauth.processDeviceAuthorizationResponse(as, client, request);
    const poll = async (): Promise<oauth.TokenEndpointResponse> => {
      const response = await oauth.deviceCodeGrantRequest(as, client, oauth.None(), codes.device_code, insecure);
      return oauth.processDeviceCodeResponse(as, client, response);
    };
    return { server, clock, codes, poll };
  }
  interface Device {
    readonly server: RunningAuthorizationServer;
    readonly clock: { now: number };
    readonly codes: oauth.DeviceAuthorizationResponse;
    readonly poll: () => Promise<oauth.TokenEndpointResponse>;
  }

  test("a device waits for its user, and gets tokens once", async () => {
    const { clock, codes, poll } = await begin();
    expect(codes).toMatchObject({ interval: 5, expires_in: 600, user_code: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/) });
    await expect(poll()).rejects.toMatchObject({ error: "authorization_pending" });
    await fetch(codes.verification_uri_complete!);
    clock.now += 5_000;
    expect(decodeJwt((await poll()).access_token)).toMatchObject({ sub: "user", aud: RESOURCE, scope: "read" });
    clock.now += 5_000;
    await expect(poll()).rejects.toMatchObject({ error: "invalid_grant" });
  });

  test("a device that asks too often is slowed down, by five seconds each time", async () => {
    const { clock, poll } = await begin();
    await expect(poll()).rejects.toMatchObject({ error: "authorization_pending" });
    await expect(poll()).rejects.toMatchObject({ error: "slow_down" });
    clock.now += 9_999;
    await expect(poll()).rejects.toMatchObject({ error: "slow_down" });
    clock.now += 15_000;
    await expect(poll()).rejects.toMatchObject({ error: "authorization_pending" });
  });

  test("a refusal of the user is final; a device that waits too long gets expired_token", async () => {
    const refused = await begin();
    refused.server.decideDevice(refused.codes.user_code.toLowerCase().replace("-", " "), "deny");
    refused.server.decideDevice(refused.codes.user_code, "approve");
    await expect(refused.poll()).rejects.toMatchObject({ error: "access_denied" });
    const late = await begin({ deviceCodeLifetime: 1_000 });
    late.clock.now += 1_000;
    await expect(late.poll()).rejects.toMatchObject({ error: "expired_token" });
    expect(() => late.server.decideDevice(late.codes.user_code, "approve")).toThrow("No device waits with that code");
  });
});

describe("DPoP", () => {
  const handle = async (): Promise<oauth.DPoPHandle> => oauth.DPoP({}, await oauth.generateKeyPair("ES256"));

  test("tokens are bound to the key that was shown, and so is a public client's refresh token [requirement R4]", async () => {
    const as = await discover(await start());
    const client = await register(as);
    const DPoP = await handle();
    const tokens = await exchange(await authorize(as, client), oauth.None(), { DPoP });
    expect(tokens.token_type).toBe("dpop");
    expect(decodeJwt(tokens.access_token)["cnf"]).toEqual({ jkt: await DPoP.calculateThumbprint() });
    await expect(refresh(as, client, tokens.refresh_token!)).rejects.toMatchObject({ error: "invalid_grant" });
    const refreshed = await oauth.refreshTokenGrantRequest(as, client, oauth.None(), tokens.refresh_token!, {
      DPoP,
      ...insecure,
    });
    expect((await oauth.processRefreshTokenResponse(as, client, refreshed)).token_type).toBe("dpop");
  });

  test("a code may be bound to a key before it is exchanged [requirement R4]", async () => {
    const as = await discover(await start());
    const client = await register(as);
    const DPoP = await handle();
    const authorization = await authorize(as, client, { dpop_jkt: await DPoP.calculateThumbprint() });
    await expect(exchange(authorization)).rejects.toMatchObject({ error: "invalid_grant" });
    await expect(exchange(authorization, oauth.None(), { DPoP: await handle() })).rejects.toMatchObject({
      error: "invalid_grant",
    });
    expect((await exchange(authorization, oauth.None(), { DPoP })).token_type).toBe("dpop");
  });

  test("a nonce of the server is asked for, given, and worn out [requirement R4]", async () => {
    const clock = { now: Date.now() };
    const server = await start({ dpopNonces: true, dpopNonceLifetime: 60_000, clock: () => clock.now });
    const as = await discover(server);
    const client = await register(as);
    const DPoP = await handle();
    const authorization = await authorize(as, client);
    const error = await exchange(authorization, oauth.None(), { DPoP }).catch((refusal: unknown) => refusal);
    expect(oauth.isDPoPNonceError(error)).toBe(true);
    const tokens = await exchange(authorization, oauth.None(), { DPoP });
    clock.now += 61_000;
    const again = (): Promise<Response> =>
      oauth.refreshTokenGrantRequest(as, client, oauth.None(), tokens.refresh_token!, { DPoP, ...insecure });
    expect(await (await again()).json()).toMatchObject({ error: "use_dpop_nonce" });
    expect((await again()).status).toBe(200);
  });

  test("a proof counts once, and is required where a client or the server says so [requirement R4]", async () => {
    const server = await start();
    const as = await discover(server);
    const bound = await register(as, { dpop_bound_access_tokens: true });
    await expect(exchange(await authorize(as, bound))).rejects.toMatchObject({ error: "invalid_dpop_proof" });
    const authorization = await authorize(as, bound);
    const tokens = await exchange(authorization, oauth.None(), { DPoP: await handle() });
    const proof = server.requests.at(-1)!.headers["dpop"]!;
    const form = { grant_type: "refresh_token", refresh_token: tokens.refresh_token!, client_id: bound.client_id };
    const replayed = await post(as.token_endpoint!, form, { dpop: proof });
    expect(replayed).toMatchObject({ status: 400, json: { error: "invalid_dpop_proof" } });
    server.settings.dpop = "required";
    await expect(exchange(await authorize(as, await register(as)))).rejects.toMatchObject({ error: "invalid_dpop_proof" });
  });
});

/** An identity provider and an authorization server that trusts it, with one client known to both by different names. */
async function enterprise(): Promise<Enterprise> {
  const clock = { now: Date.now() };
  const idp = await start({
    clients: [{ client_id: "at-idp", client_secret: "i", redirect_uris: ["http://127.0.0.1/callback"] }],
    idJagClientId: () => "at-as",
    subject: "worker",
    clock: () => clock.now,
  });
  const server = await start({
    clients: [{ client_id: "at-as", client_secret: "a" }],
    identityProviders: [{ issuer: idp.issuer, jwks: () => idp.jwks() }],
    scopes: ["read", "write"],
    clock: () => clock.now,
  });
  const client: oauth.Client = { client_id: "at-idp" };
  const exchangeForIdJag = async (changes: Record<string, string> = {}): Promise<oauth.TokenEndpointResponse> => {
    const as = await discover(idp);
    const parameters = {
      requested_token_type: "urn:ietf:params:oauth:token-type:id-jag",
      audience: server.issuer,
      resource: RESOURCE,
      scope: "read admin",
      subject_token: await idp.sign("JWT", { iss: idp.issuer, sub: "worker", aud: "at-idp", exp: clock.now / 1_000 + 60 }),
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
      ...changes,
    };
    const grant = "urn:ietf:params:oauth:grant-type:token-exchange";
    const response = await oauth.genericTokenEndpointRequest(
      as,
      client,
      oauth.ClientSecretBasic("i"),
      grant,
      parameters,
      insecure,
    );
    return oauth.processGenericTokenEndpointResponse(as, client, response, { recognizedTokenTypes: { n_a: () => undefined } });
  };
  const redeem = async (assertion: string, changes: Record<string, string> = {}): Promise<oauth.TokenEndpointResponse> => {
    const as = await discover(server);
    const at: oauth.Client = { client_id: "at-as" };
    const parameters = { assertion, ...changes };
    const response = await oauth.genericTokenEndpointRequest(
      as,
      at,
      oauth.ClientSecretBasic("a"),
      JWT_BEARER,
      parameters,
      insecure,
    );
    return oauth.processGenericTokenEndpointResponse(as, at, response);
  };
  const claims = (): JWTPayload => ({
    iss: idp.issuer,
    sub: "worker",
    aud: server.issuer,
    client_id: "at-as",
    jti: crypto.randomUUID(),
    iat: Math.floor(clock.now / 1_000),
    exp: Math.floor(clock.now / 1_000) + 60,
    resource: RESOURCE,
  });
  return { idp, server, client, clock, exchangeForIdJag, redeem, claims };
}

interface Enterprise {
  readonly idp: RunningAuthorizationServer;
  readonly server: RunningAuthorizationServer;
  readonly client: oauth.Client;
  readonly clock: { now: number };
  readonly exchangeForIdJag: (changes?: Record<string, string>) => Promise<oauth.TokenEndpointResponse>;
  readonly redeem: (assertion: string, changes?: Record<string, string>) => Promise<oauth.TokenEndpointResponse>;
  /** Of an ID-JAG that is good. */
  readonly claims: () => JWTPayload;
}

describe("enterprise-managed authorization", () => {
  test("an ID token becomes an ID-JAG and an access token, with the scopes of both [requirement R2 requirement R3]", async () => {
    const { exchangeForIdJag, redeem, server } = await enterprise();
    const idJag = await exchangeForIdJag();
    expect(idJag).toMatchObject({ token_type: "n_a", issued_token_type: "urn:ietf:params:oauth:token-type:id-jag" });
    expect(decodeJwt(idJag.access_token)).toMatchObject({
      aud: server.issuer,
      client_id: "at-as",
      resource: RESOURCE,
      scope: "read admin",
    });
    const tokens = await redeem(idJag.access_token);
    expect(decodeJwt(tokens.access_token)).toMatchObject({
      iss: server.issuer,
      sub: "worker",
      aud: RESOURCE,
      client_id: "at-as",
      scope: "read",
    });
    expect(tokens.refresh_token).toBeUndefined();
    expect((await discover(server))["authorization_grant_profiles_supported"]).toEqual([
      "urn:ietf:params:oauth:grant-profile:id-jag",
    ]);
  });

  test("a refresh token may identify the user; a token of another server or client may not [requirement R2]", async () => {
    const { exchangeForIdJag, idp, client, clock } = await enterprise();
    const as = await discover(idp);
    const login = await exchange(await authorize(as, client), oauth.ClientSecretBasic("i"));
    const type = "urn:ietf:params:oauth:token-type:refresh_token";
    expect((await exchangeForIdJag({ subject_token: login.refresh_token!, subject_token_type: type })).access_token).toBeTypeOf(
      "string",
    );
    const good = { iss: idp.issuer, sub: "worker", aud: "at-idp", exp: clock.now / 1_000 + 60 };
    const stranger = await generateKeyPair("ES256");
    const bad = [
      await idp.sign("JWT", { ...good, aud: "another" }),
      await idp.sign("JWT", { ...good, exp: clock.now / 1_000 }),
      await idp.sign("at+jwt", good),
      await new SignJWT(good).setProtectedHeader({ alg: "ES256", typ: "JWT" }).sign(stranger.privateKey),
    ];
    for (const token of bad)
      await expect(exchangeForIdJag({ subject_token: token })).rejects.toMatchObject({ error: "invalid_grant" });
    await expect(exchangeForIdJag({ subject_token: "x", subject_token_type: type })).rejects.toMatchObject({
      error: "invalid_grant",
    });
    await expect(exchangeForIdJag({ subject_token_type: "saml" })).rejects.toMatchObject({ error: "invalid_request" });
    await expect(exchangeForIdJag({ audience: "somebody" })).rejects.toMatchObject({ error: "invalid_target" });
    await expect(exchangeForIdJag({ requested_token_type: "x" })).rejects.toMatchObject({ error: "invalid_request" });
  });

  test("an ID-JAG counts once, even for two at the same time [requirement R3]", async () => {
    const { idp, claims, redeem } = await enterprise();
    const idJag = await idp.sign("oauth-id-jag+jwt", claims());
    const results = await Promise.allSettled([redeem(idJag), redeem(idJag)]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await expect(redeem(idJag)).rejects.toMatchObject({ error: "invalid_grant" });
  });

  test.each<[string, JWTPayload]>([
    ["another issuer", { iss: "https://other.example" }],
    ["another audience", { aud: "https://other.example" }],
    ["several audiences", { aud: ["https://other.example", "own"] }],
    ["another client", { client_id: "at-idp" }],
    ["no client", { client_id: undefined }],
    ["no subject", { sub: undefined as never }],
    ["no jti", { jti: undefined as never }],
    ["no iat", { iat: undefined as never }],
    ["no exp", { exp: undefined as never }],
    ["an exp in the past", { exp: 1 }],
    ["an exp in a year", { exp: Date.now() / 1_000 + 31_536_000 }],
    ["an invalid resource", { resource: 1 }],
  ])("an ID-JAG with %s is refused [requirement R3]", async (_, changes) => {
    const { idp, server, claims, redeem } = await enterprise();
    const altered = { ...claims(), ...changes };
    if (Array.isArray(altered.aud)) altered.aud = [altered.aud[0]!, server.issuer];
    await expect(redeem(await idp.sign("oauth-id-jag+jwt", altered))).rejects.toMatchObject({ error: "invalid_grant" });
    expect(server.count(JWT_BEARER)).toEqual({ granted: 0, refused: 1 });
  });

  test("type, signature, algorithm are checked; a resource beside the asserted is invalid_grant [requirement R3]", async () => {
    const { idp, claims, redeem } = await enterprise();
    const stranger = await generateKeyPair("ES256");
    const secret = new TextEncoder().encode("0123456789abcdef0123456789abcdef");
    const bad = [
      await idp.sign("JWT", claims()),
      await new SignJWT(claims()).setProtectedHeader({ alg: "ES256", typ: "oauth-id-jag+jwt" }).sign(stranger.privateKey),
      await new SignJWT(claims()).setProtectedHeader({ alg: "HS256", typ: "oauth-id-jag+jwt" }).sign(secret),
      `${btoa(JSON.stringify({ alg: "none", typ: "oauth-id-jag+jwt" }))}.${btoa(JSON.stringify(claims())).replaceAll("=", "")}.`,
      "no JWT",
    ];
    for (const assertion of bad) await expect(redeem(assertion)).rejects.toMatchObject({ error: "invalid_grant" });
    const idJag = await idp.sign("oauth-id-jag+jwt", claims());
    await expect(redeem(idJag, { resource: "https://other.example/" })).rejects.toMatchObject({ error: "invalid_grant" });
  });

  test("client authentication is enforced, in both exchanges [requirement R3]", async () => {
    const { idp, server, claims } = await enterprise();
    const assertion = await idp.sign("oauth-id-jag+jwt", claims());
    const without = await post(`${server.issuer}/token`, { grant_type: JWT_BEARER, assertion, client_id: "at-as" });
    expect(without).toMatchObject({ status: 401, json: { error: "invalid_client" } });
    const nobody = await post(`${server.issuer}/token`, { grant_type: JWT_BEARER, assertion });
    expect(nobody).toMatchObject({ status: 401, json: { error: "invalid_client" } });
  });
});

describe("workload identity", () => {
  test("a workload's JWT is enough: no client or registration; it counts once, here, in time [requirement R5]", async () => {
    const { publicKey, privateKey } = await generateKeyPair("ES256");
    const jwks = { keys: [await exportJWK(publicKey)] };
    const server = await start({ workloadIssuers: [{ issuer: "https://cluster.example", jwks }] });
    const token = `${server.issuer}/token`;
    const seconds = Math.floor(Date.now() / 1_000);
    const sign = (claims: JWTPayload): Promise<string> =>
      new SignJWT(claims).setProtectedHeader({ alg: "ES256" }).sign(privateKey);
    const good = (): JWTPayload => ({
      iss: "https://cluster.example",
      sub: "spiffe://cluster/job",
      aud: token,
      iat: seconds,
      exp: seconds + 60,
      jti: crypto.randomUUID(),
    });
    const redeem = (assertion: string): ReturnType<typeof post> =>
      post(token, { grant_type: JWT_BEARER, assertion, resource: RESOURCE });
    const assertion = await sign(good());
    const { status, json } = await redeem(assertion);
    expect(status).toBe(200);
    expect(decodeJwt(json["access_token"] as string)).toMatchObject({ sub: "spiffe://cluster/job", aud: RESOURCE });
    expect(decodeJwt(json["access_token"] as string)).not.toHaveProperty("client_id");
    const bad = [
      assertion,
      await sign({ ...good(), aud: "https://other.example" }),
      await sign({ ...good(), exp: seconds - 120 }),
      await sign({ ...good(), iss: "https://other.example" }),
      await sign({ ...good(), sub: undefined as never }),
    ];
    for (const text of bad) expect(await redeem(text)).toMatchObject({ status: 400, json: { error: "invalid_grant" } });
    expect((await discover(server)).grant_types_supported).toContain(JWT_BEARER);
  });
});
