import { decodeJwt, exportJWK, exportPKCS8, generateKeyPair } from "jose";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { connect, type Client } from "tenon";
import {
  clientCredentials,
  deviceCode,
  enterpriseManaged,
  importSigningKey,
  workloadIdentity,
  type AuthFetch,
  type AuthProvider,
  type DeviceCodeOptions,
  type DevicePrompt,
} from "tenon/auth";
import { createTestAuthorizationServer, type RunningAuthorizationServer } from "tenon/testing";
import { scriptedWeb } from "./scripted-web.ts";
import { asked, authorizationServer, protect, type ProtectedServer } from "./support.ts";

const MINUTE = 60_000;

async function connected(server: ProtectedServer, auth: AuthProvider): Promise<Client> {
  const client = await connect(server.url, { auth, revision: "2026-07-28" });
  onTestFinished(() => client.close());
  return client;
}

/** Calls once, and once more after the token has been refused. */
async function callTwice(server: ProtectedServer, auth: AuthProvider): Promise<void> {
  const client = await connected(server, auth);
  expect((await client.callTool("echo", { a: 1 })).text).toBe('{"a":1}');
  server.guarding.expired.add(server.tokens().at(-1)!);
  expect((await client.callTool("echo", { a: 2 })).text).toBe('{"a":2}');
}

/** Our clock is that much ahead of everybody else's. */
function skewed(ms: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
  onTestFinished(() => void vi.useRealTimers());
}

describe("clientCredentials [requirement R1]", () => {
  test.each(["client_secret_basic", "client_secret_post"] as const)("with a secret, as %s", async (method) => {
    const as = await authorizationServer({
      clients: [{ client_id: "machine", client_secret: "s", token_endpoint_auth_method: method }],
      clientAuthentication: [method],
    });
    const server = await protect(as);
    await callTwice(server, clientCredentials({ issuer: as.issuer, client: { id: "machine", secret: "s" }, scope: "a b" }));
    expect(asked(as, "token")).toHaveLength(2);
    for (const { parameters, headers } of asked(as, "token")) {
      expect(parameters).toMatchObject({ grant_type: "client_credentials", resource: server.url, scope: "a b" });
      expect("authorization" in headers).toBe(method === "client_secret_basic");
    }
    expect(asked(as, "register").length + asked(as, "authorize").length).toBe(0);
  });

  describe.each([
    ["ours", 0],
    ["five minutes ahead", 5 * MINUTE],
    ["five minutes behind", -5 * MINUTE],
  ])("with a key, and a clock that is %s", (_, skew) => {
    test.each(["ES256", "Ed25519"])("%s", async (algorithm) => {
      const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
      const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: "k1" }] };
      const now = Date.now();
      const started = performance.now();
      const clock = (): number => now + performance.now() - started;
      const as = await authorizationServer({
        clients: [{ client_id: "machine", token_endpoint_auth_method: "private_key_jwt", jwks }],
        clock,
      });
      const server = await protect(as);
      skewed(skew);
      const key = await importSigningKey(await exportPKCS8(privateKey), algorithm, "k1");
      await callTwice(server, clientCredentials({ issuer: as.issuer, client: { id: "machine", key } }));
      const [request] = asked(as, "token");
      expect(request?.parameters).not.toHaveProperty("client_id");
      expect(request?.parameters["client_assertion_type"]).toBe("urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
      expect(decodeJwt(request?.parameters["client_assertion"] as string)).toMatchObject({
        iss: "machine",
        sub: "machine",
        aud: as.issuer,
      });
    });
  });

  test("metadata out of a cache is not taken for a clock that is slow", async () => {
    const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
    const jwks = { keys: [await exportJWK(publicKey)] };
    const as = await createTestAuthorizationServer("https://login.example", {
      clients: [{ client_id: "machine", token_endpoint_auth_method: "private_key_jwt", jwks }],
    });
    const fetch: AuthFetch = async (url, init) => {
      const response = await as.fetch(url, init);
      const headers = new Headers(response.headers);
      headers.set("date", new Date(Date.now() - 10 * MINUTE).toUTCString());
      headers.set("age", "600");
      return new Response(response.body, { status: response.status, headers });
    };
    const { fetch: resource } = scriptedWeb({
      "https://mcp.example/.well-known/oauth-protected-resource": {
        body: { resource: "https://mcp.example/", authorization_servers: [as.issuer] },
      },
    });
    const web: AuthFetch = (url, init) => (url.startsWith(as.issuer) ? fetch(url, init) : resource(url, init));
    const auth = clientCredentials({ issuer: as.issuer, client: { id: "machine", key: { key: privateKey } }, fetch: web });
    expect(await auth.login("https://mcp.example/")).toMatchObject({ issuer: as.issuer, renewable: true });
  });

  test("a key may be a JWK; an invalid private key is reported without quoting it", async () => {
    const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
    const jwk = { ...(await exportJWK(privateKey)), alg: "ES256", kid: "mine" };
    expect(await importSigningKey(jwk)).toMatchObject({ kid: "mine" });
    for (const bad of [
      "canary",
      "-----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----",
      await exportJWK(publicKey),
      { kty: "oct", k: "canary" },
    ]) {
      const error: unknown = await importSigningKey(bad, "ES256").catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(TypeError);
      expect((error as Error).message + String((error as Error).cause)).not.toContain("canary");
    }
  });

  test("another issuer than the client's own is sent nothing, however it is named [R13]", async () => {
    const [as, evil] = [await authorizationServer(), await authorizationServer()];
    for (const metadata of [{ authorization_servers: [evil.issuer] }, undefined]) {
      const server = await protect(evil);
      server.guarding.metadata = metadata && { ...server.guarding.metadata, ...metadata };
      const auth = clientCredentials({ issuer: as.issuer, client: { id: "machine", secret: "canary" } });
      await expect(connected(server, auth)).rejects.toMatchObject({ hop: "protected resource metadata" });
    }
    expect(evil.requests.length + as.requests.length).toBe(0);
  });

  test("a wrong secret is one error, and is not tried again", async () => {
    const as = await authorizationServer({ clients: [{ client_id: "machine", client_secret: "s" }] });
    const auth = clientCredentials({ issuer: as.issuer, client: { id: "machine", secret: "canary" } });
    const error: unknown = await connected(await protect(as), auth).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      hop: "token",
      error: "invalid_client",
      remedy: expect.stringContaining("check the client id and secret") as string,
    });
    expect((error as Error).message).not.toContain("canary");
    expect(asked(as, "token")).toHaveLength(1);
  });

  test("it is replaced before it expires, by one of the calls that need it", async () => {
    const as = await authorizationServer({
      clients: [{ client_id: "machine", client_secret: "s" }],
      accessTokenLifetime: 60 * MINUTE,
    });
    const server = await protect(as);
    const client = await connected(server, clientCredentials({ issuer: as.issuer, client: { id: "machine", secret: "s" } }));
    skewed(56 * MINUTE);
    await Promise.all(Array.from({ length: 8 }, () => client.callTool("echo")));
    expect(asked(as, "token")).toHaveLength(2);
    expect(server.sent.filter(({ status }) => status === 401)).toHaveLength(1);
  });

  test("what it cannot do without is said at once", () => {
    const client = { id: "machine", secret: "s" };
    expect(() => clientCredentials({ issuer: "", client })).toThrow(/"issuer"/);
    expect(() => clientCredentials({ issuer: "https://as.example", client: { id: "machine" } })).toThrow(
      /"client" needs a secret or a key/,
    );
    expect(() => clientCredentials({ issuer: "https://as.example", client, scope: "a\nb" })).toThrow(/"scope"/);
    expect(() => clientCredentials({ issuer: "https://as.example", client, allowPrivateNetwork: ["x/y"] })).toThrow(RangeError);
  });
});

describe("workloadIdentity [requirement R5]", () => {
  async function platform(): Promise<{ as: RunningAuthorizationServer; token: (audience?: string) => Promise<string> }> {
    const issuer = await authorizationServer();
    const as = await authorizationServer({ workloadIssuers: [{ issuer: issuer.issuer, jwks: () => issuer.jwks() }] });
    const token = (aud = `${as.issuer}/token`): Promise<string> =>
      issuer.sign("JWT", {
        iss: issuer.issuer,
        sub: "spiffe://a/b",
        aud,
        iat: Date.now() / 1000,
        exp: Date.now() / 1000 + 60,
        jti: crypto.randomUUID(),
      });
    return { as, token };
  }

  test("the platform's token is exchanged, each time another, without a client", async () => {
    const { as, token } = await platform();
    const server = await protect(as);
    const endpoints: unknown[] = [];
    const assertion = (endpoint: string | undefined): Promise<string> => {
      endpoints.push(endpoint);
      return token();
    };
    await callTwice(server, workloadIdentity({ issuer: as.issuer, assertion }));
    const requests = asked(as, "token");
    expect(requests).toHaveLength(2);
    for (const { parameters, headers } of requests) {
      expect(parameters).toEqual({
        grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        assertion: expect.any(String) as string,
        resource: server.url,
      });
      expect(headers).not.toHaveProperty("authorization");
    }
    expect(endpoints).toEqual([`${as.issuer}/token`, `${as.issuer}/token`]);
    expect(asked(as, "register")).toEqual([]);
  });

  test("a refusal is final: one request, no other grant", async () => {
    const { as, token } = await platform();
    const auth = workloadIdentity({ issuer: as.issuer, assertion: await token("https://another.example") });
    await expect(connected(await protect(as), auth)).rejects.toMatchObject({ hop: "token", error: "invalid_grant" });
    expect(asked(as, "token")).toHaveLength(1);
    expect(asked(as, "register").length + asked(as, "authorize").length).toBe(0);
  });
});

describe("enterpriseManaged [requirement R2 requirement R3]", () => {
  interface Enterprise {
    readonly idp: RunningAuthorizationServer;
    readonly as: RunningAuthorizationServer;
    readonly auth: AuthProvider;
  }

  async function enterprise(changes: { scopes?: readonly string[]; audience?: string } = {}): Promise<Enterprise> {
    const idp = await authorizationServer({
      clients: [{ client_id: "at-idp", client_secret: "i" }],
      idJagClientId: () => "at-as",
    });
    const as = await authorizationServer({
      clients: [{ client_id: "at-as", client_secret: "a" }],
      identityProviders: [{ issuer: idp.issuer, jwks: () => idp.jwks() }],
    });
    const subjectToken = (): Promise<string> =>
      idp.sign("JWT", { iss: idp.issuer, sub: "worker", aud: changes.audience ?? "at-idp", exp: Date.now() / 1000 + 60 });
    const auth = enterpriseManaged({
      issuer: as.issuer,
      client: { id: "at-as", secret: "a" },
      identityProvider: { tokenEndpoint: `${idp.issuer}/token`, client: { id: "at-idp", secret: "i" }, subjectToken },
      scope: "read",
    });
    return { idp, as, auth };
  }

  test("identity, grant and token are each sent to their own receiver only", async () => {
    const { idp, as, auth } = await enterprise();
    const server = await protect(as);
    await callTwice(server, auth);
    expect(asked(idp, "token")).toHaveLength(2);
    expect(asked(idp, "token")[0]?.parameters).toMatchObject({
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      requested_token_type: "urn:ietf:params:oauth:token-type:id-jag",
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
      audience: as.issuer,
      resource: server.url,
      scope: "read",
    });
    const [request] = asked(as, "token");
    expect(request?.parameters).toMatchObject({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      resource: server.url,
    });
    const identity = asked(idp, "token")[0]?.parameters["subject_token"] as string;
    const assertion = request?.parameters["assertion"] as string;
    expect(JSON.stringify(as.requests)).not.toContain(identity);
    expect(JSON.stringify(server.sent)).not.toContain(identity);
    expect(JSON.stringify(server.sent)).not.toContain(assertion);
    expect([...idp.requests, ...as.requests].map(({ url }) => url).join()).not.toMatch(/ey[A-Za-z0-9_-]+\./);
    expect(asked(as, "register").length + asked(as, "authorize").length).toBe(0);
  });

  test("an identity the provider refuses is an error of that hop", async () => {
    const { as, auth } = await enterprise({ audience: "another" });
    const error: unknown = await connected(await protect(as), auth).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ hop: "identity provider", error: "invalid_grant" });
    expect(asked(as, "token")).toEqual([]);
  });

  test("a provider that gives another kind of token is not trusted with it", async () => {
    const { idp, as, auth } = await enterprise();
    idp.settings.alterResponse = (answer, { endpoint }) =>
      endpoint === "token" ? { ...answer, issued_token_type: "urn:ietf:params:oauth:token-type:access_token" } : answer;
    await expect(connected(await protect(as), auth)).rejects.toMatchObject({ hop: "identity provider" });
    expect(asked(as, "token")).toEqual([]);
  });

  test("a server that lists what it takes, without this, is not asked [requirement R3]", async () => {
    const { idp, as, auth } = await enterprise();
    as.settings.alterResponse = (answer, { endpoint }) =>
      endpoint === "metadata" ? { ...answer, authorization_grant_profiles_supported: [] } : answer;
    await expect(connected(await protect(as), auth)).rejects.toMatchObject({ hop: "authorization server metadata" });
    expect(asked(idp, "token")).toEqual([]);
  });

  test("a server that names another issuer gets no grant [R13]", async () => {
    const { idp, auth } = await enterprise();
    const evil = await authorizationServer();
    await expect(connected(await protect(evil), auth)).rejects.toMatchObject({ hop: "protected resource metadata" });
    expect(asked(idp, "token").length + evil.requests.length).toBe(0);
  });
});

describe("deviceCode", () => {
  /** A server whose devices may ask as often as they like. */
  async function withDevices(): Promise<RunningAuthorizationServer> {
    const as = await authorizationServer({ devicePollInterval: 0 });
    as.settings.alterResponse = (answer) => ("interval" in answer ? { ...answer, interval: 0.02 } : answer);
    return as;
  }

  const options = (prompt: DeviceCodeOptions["prompt"]): DeviceCodeOptions => ({ prompt, scope: "read" });

  test("the user is shown a code and a page, and the call goes on when they have used them", async () => {
    const as = await withDevices();
    const server = await protect(as);
    const prompts: DevicePrompt[] = [];
    const prompt = (shown: DevicePrompt): void => {
      prompts.push(shown);
      as.settings.before = ({ endpoint }) => {
        if (endpoint === "token" && asked(as, "token").length > 1) as.decideDevice(shown.userCode, "approve");
      };
    };
    await callTwice(server, deviceCode(options(prompt)));
    expect(prompts).toEqual([
      {
        userCode: expect.stringMatching(/^[A-Z0-9-]+$/) as string,
        verificationUrl: new URL(`${as.issuer}/device`),
        completeUrl: expect.any(URL) as URL,
        expiresIn: 600_000,
      },
    ]);
    expect(asked(as, "register")[0]?.body).toMatchObject({
      grant_types: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
      application_type: "native",
    });
    expect(asked(as, "device_authorization")[0]?.parameters).toMatchObject({ scope: "read", resource: server.url });
    expect(asked(as, "token", "refresh_token")).toHaveLength(1);
  });

  test("a user who says no, or takes too long", async () => {
    const as = await withDevices();
    const server = await protect(as);
    const denied = deviceCode(options(({ userCode }) => as.decideDevice(userCode, "deny")));
    await expect(connected(server, denied)).rejects.toMatchObject({ hop: "token", error: "access_denied" });
    const slow = deviceCode({ ...options(() => undefined), loginTimeout: 100 });
    await expect(connected(server, slow)).rejects.toMatchObject({
      hop: "authorization",
      message: expect.stringContaining("did not log in in time") as string,
    });
  });

  test("a server that wants more time between two questions gets it", async () => {
    const as = await withDevices();
    const alter = as.settings.alterResponse!;
    const started = performance.now();
    const times: number[] = [];
    as.settings.before = ({ endpoint }) => {
      if (endpoint === "token") times.push(performance.now() - started);
    };
    as.settings.alterResponse = (answer, request) =>
      answer["error"] === "authorization_pending" ? { error: "slow_down" } : alter(answer, request);
    const auth = deviceCode({ ...options(() => undefined), loginTimeout: 1_000 });
    await expect(connected(await protect(as), auth)).rejects.toMatchObject({ hop: "authorization" });
    expect(times).toHaveLength(1); // the next would have come five seconds later
  });

  test("abandoning the login ends the polling", async () => {
    const as = await withDevices();
    const server = await protect(as);
    const abort = new AbortController();
    const auth = deviceCode(options(() => abort.abort(new Error("enough"))));
    await expect(connect(server.url, { auth, signal: abort.signal })).rejects.toThrow("enough");
    expect(asked(as, "token")).toEqual([]);
  });

  test.each([
    [{ device_code: undefined }],
    [{ user_code: "\u001B[31m" }],
    [{ user_code: "a".repeat(65) }],
    [{ verification_uri: undefined }],
    [{ verification_uri: "javascript:alert(1)" }],
    [{ verification_uri: "http://as.example/device" }],
    [{ verification_uri_complete: "file:///etc/passwd" }],
    [{ expires_in: "soon" }],
    [{ expires_in: 0 }],
    [{ interval: -1 }],
    [{ interval: "soon" }],
  ])("a malformed response shows nothing to the user: %j", async (more) => {
    const as = await authorizationServer();
    as.settings.alterResponse = (answer, { endpoint }) => (endpoint === "device_authorization" ? { ...answer, ...more } : answer);
    const prompts: DevicePrompt[] = [];
    const auth = deviceCode(options((shown) => void prompts.push(shown)));
    await expect(connected(await protect(as), auth)).rejects.toMatchObject({ hop: "authorization" });
    expect(prompts).toEqual([]);
  });

  test("a server without devices says so; a secret needs an issuer", async () => {
    const as = await authorizationServer();
    as.settings.alterResponse = (answer, { endpoint }) =>
      endpoint === "metadata" ? { ...answer, device_authorization_endpoint: undefined } : answer;
    await expect(connected(await protect(as), deviceCode(options(() => undefined)))).rejects.toMatchObject({
      remedy: "Use oauth() with a browser there.",
    });
    expect(() => deviceCode({ ...options(() => undefined), client: { id: "a", secret: "b" } })).toThrow(/"issuer"/);
  });
});
