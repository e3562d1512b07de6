// Access tokens that only their issuer can read: it is asked about each (RFC 7662).
import { exportJWK, generateKeyPair } from "jose";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { JsonObject } from "tenon";
import { bearer, type BearerOptions, type EndpointAuth } from "tenon/auth";
import {
  createTestAuthorizationServer,
  startAuthorizationServer,
  type TestAuthorizationServer,
  type TestAuthorizationServerOptions,
} from "tenon/testing";
import { AUDIENCE, bearing, challengesOf, protect, REVISIONS, said } from "./support.ts";
import { ISSUER, statusOf, taking, type Take } from "./tokens.ts";
import { gate } from "../support/gate.ts";

const SECRET = "canary-secret:%+ ü";
const introspection = { clientId: "mcp server", clientSecret: SECRET };
const clients = [{ client_id: "mcp server", client_secret: SECRET, token_endpoint_auth_method: "client_secret_basic" as const }];

afterEach(() => void vi.useRealTimers());

interface World {
  readonly login: TestAuthorizationServer;
  readonly auth: EndpointAuth;
  readonly take: Take;
  readonly asked: () => number;
}

async function world(options: Partial<BearerOptions> = {}, server: TestAuthorizationServerOptions = {}): Promise<World> {
  const login = await createTestAuthorizationServer(ISSUER, {
    accessTokens: "opaque",
    defaultAudience: AUDIENCE,
    clients,
    clock: () => Date.now(),
    ...server,
  });
  const auth = bearer({
    issuer: ISSUER,
    audience: AUDIENCE,
    introspection,
    fetch: (url, init) => login.fetch(url, init),
    ...options,
  });
  const take = taking(auth);
  return { login, auth, take, asked: () => login.requests.filter(({ endpoint }) => endpoint === "introspect").length };
}

describe.each(REVISIONS)("%s", (revision) => {
  test("an opaque token opens the endpoint, over sockets all the way [M1.4]", async () => {
    await using login = await startAuthorizationServer({ accessTokens: "opaque", subject: "ann", clients });
    const http = await protect({ auth: bearer({ issuer: login.issuer, audience: AUDIENCE, introspection }) });
    const token = await login.issueAccessToken({ clientId: "app", audience: AUDIENCE, scopes: ["read"] });
    const { auth } = JSON.parse(said(await http.call(revision, token, "who"))) as { auth: JsonObject };
    expect(auth).toMatchObject({ issuer: login.issuer, subject: "ann", clientId: "app", scopes: ["read"] });
    const refused = await http.call(revision, "made up", "who");
    expect(refused.status).toBe(400);
    const unknown = await http.call(revision, "made-up", "who");
    expect([unknown.status, challengesOf(unknown)]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
  });
});

describe("What the issuer says", () => {
  const answers: Record<string, [JsonObject, number]> = {
    "not active": [{ active: false }, 401],
    "R14 another audience": [{ aud: "https://other.example" }, 401],
    "R14 no audience": [{ aud: undefined }, 401],
    "another issuer": [{ iss: "https://evil.example" }, 401],
    "O8 it has expired": [{ exp: 1_000 }, 401],
    "O8 it is not good yet": [{ nbf: 9_999_999_999 }, 401],
    "a key it is bound to": [{ cnf: { jkt: "abc" } }, 401],
    "nobody's": [{ sub: undefined, client_id: undefined }, 401],
    "active, but not as a boolean": [{ active: "true" }, 503],
    "nothing about it": [{ active: undefined }, 503],
  };
  test.each(Object.keys(answers))("refused: %s", async (what) => {
    const [changes, status] = answers[what]!;
    const { login, take } = await world();
    login.settings.alterResponse = (answer, { endpoint }) => (endpoint === "introspect" ? { ...answer, ...changes } : answer);
    expect(await statusOf(take(await login.issueAccessToken({ clientId: "app" })))).toBe(status);
  });

  test("accepted without an issuer and an expiry, which a response need not have", async () => {
    const { login, take } = await world();
    login.settings.alterResponse = (answer, { endpoint }) =>
      endpoint === "introspect" ? { ...answer, iss: undefined, exp: undefined } : answer;
    expect(await take(await login.issueAccessToken())).toMatchObject({
      auth: { issuer: ISSUER, subject: "user" },
      until: Infinity,
    });
  });
});

describe("Who asks", () => {
  test("with a secret, by default in the header, and the token in the body alone", async () => {
    const { login, take } = await world();
    const token = await login.issueAccessToken();
    expect(await statusOf(take(token))).toBe(200);
    const { headers, parameters, url } = login.requests.at(-1)!;
    const [id, secret] = Buffer.from(headers["authorization"]!.slice("Basic ".length), "base64").toString().split(":");
    expect([...new URLSearchParams(`id=${id}&secret=${secret}`)]).toEqual([
      ["id", introspection.clientId],
      ["secret", SECRET],
    ]);
    expect(parameters).toEqual({ token, token_type_hint: "access_token" });
    expect(url).not.toContain(token);
  });

  test("with a secret in the body", async () => {
    const posting = [{ ...clients[0]!, token_endpoint_auth_method: "client_secret_post" as const }];
    const { login, take } = await world(
      { introspection: { ...introspection, authentication: "client_secret_post" } },
      { clients: posting },
    );
    expect(await statusOf(take(await login.issueAccessToken()))).toBe(200);
    expect(login.requests.at(-1)).toMatchObject({ parameters: { client_id: "mcp server", client_secret: SECRET } });
  });

  test("with a key", async () => {
    const { privateKey, publicKey } = await generateKeyPair("ES256");
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: "k" }] };
    const keyed = [{ client_id: "mcp server", token_endpoint_auth_method: "private_key_jwt" as const, jwks }];
    const { login, take } = await world(
      { introspection: { clientId: "mcp server", privateKey: { key: privateKey, kid: "k" } } },
      { clients: keyed },
    );
    expect(await statusOf(take(await login.issueAccessToken()))).toBe(200);
    expect(login.requests.at(-1)?.parameters).toHaveProperty("client_assertion");
  });

  test("a server that the issuer refuses sends 503; the operator gets the reason, without a secret [fault O8 R10]", async () => {
    const { login, take } = await world({ introspection: { ...introspection, clientSecret: "canary-wrong" } });
    const token = await login.issueAccessToken();
    const refused = await take(token);
    expect(refused).toMatchObject({
      status: 503,
      reason: {
        cause: {
          message: expect.stringMatching(
            /introspection.*the issuer refuses this server \(status 401\).*option "introspection"/,
          ) as string,
        },
      },
    });
    const told =
      "status" in refused ? `${refused.reason?.stack} ${String(refused.reason?.cause)} ${JSON.stringify(refused)}` : "";
    expect(told).not.toContain("canary");
    expect(told).not.toContain(token);
  });
});

test.each([
  [400, "the issuer refuses this server (status 400)", 'Check the client in option "introspection".'],
  [401, "the issuer refuses this server (status 401)", 'Check the client in option "introspection".'],
  [403, "the issuer refuses this server (status 403)", 'Check the client in option "introspection".'],
  [500, "the response cannot be used (status 500)", "The operator of the authorization server must repair this."],
])("when the issuer responds with %i, the operator reads that %s", async (status, problem, remedy) => {
  const { login, take } = await world();
  const token = await login.issueAccessToken();
  login.settings.before = ({ endpoint }) => (endpoint === "introspect" ? status : undefined);
  expect(await take(token)).toMatchObject({ status: 503, reason: { cause: { hop: "introspection", problem, remedy } } });
});

describe("How often, and for how long", () => {
  test("each request asks, so that what was revoked is known at once", async () => {
    const { login, take, asked } = await world();
    const token = await login.issueAccessToken();
    expect(await statusOf(take(token))).toBe(200);
    expect(await statusOf(take(token))).toBe(200);
    login.settings.alterResponse = (answer, { endpoint }) => (endpoint === "introspect" ? { active: false } : answer);
    expect(await statusOf(take(token))).toBe(401);
    expect(asked()).toBe(3);
  });

  test("active tokens are cached for `cacheTtl`", async () => {
    const { login, take, asked } = await world({ cacheTtl: 10_000 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const token = await login.issueAccessToken();
    for (let i = 0; i < 3; i++) expect(await statusOf(take(token))).toBe(200);
    expect(asked()).toBe(1);
    vi.setSystemTime(Date.now() + 10_001);
    expect(await statusOf(take(token))).toBe(200);
    expect(asked()).toBe(2);
    for (let i = 0; i < 3; i++) expect(await statusOf(take("bad"))).toBe(401);
    expect(asked()).toBe(5);
  });

  test("requests with one token at the same time cause one introspection", async () => {
    const { login, take, asked } = await world();
    const token = await login.issueAccessToken();
    expect(await Promise.all(Array.from({ length: 50 }, () => statusOf(take(token))))).toEqual(Array(50).fill(200));
    expect(asked()).toBe(1);
    expect(login.requests.filter(({ endpoint }) => endpoint === "metadata")).toHaveLength(1);
  });

  test("at most 256 introspections run at a time; other requests get 503 with Retry-After [fault O8 rule R6]", async () => {
    const { login, take } = await world();
    await take(await login.issueAccessToken());
    const { opened: released, open: release } = gate();
    login.settings.before = () => released;
    const flood = Array.from({ length: 300 }, (_, index) => statusOf(take(`made-up-${index}`)));
    await new Promise(setImmediate);
    release();
    const statuses = await Promise.all(flood);
    expect([statuses.filter((status) => status === 401).length, statuses.filter((status) => status === 503).length]).toEqual([
      256, 44,
    ]);
    login.settings.before = undefined;
    expect(await statusOf(take(await login.issueAccessToken()))).toBe(200);
  });

  test.each([500, 404, 302])(
    "while an issuer responds with %i every request gets 503, and when the issuer is back requests are served [fault O8]",
    async (status) => {
      const { login, take } = await world();
      const token = await login.issueAccessToken();
      login.settings.before = ({ endpoint }) => (endpoint === "introspect" ? status : undefined);
      expect(await statusOf(take(token))).toBe(503);
      login.settings.before = undefined;
      expect(await statusOf(take(token))).toBe(200);
    },
  );

  test("while the issuer's metadata cannot be fetched every request is refused; then it works [fault O8]", async () => {
    const { login, take } = await world();
    const token = await login.issueAccessToken();
    login.settings.before = () => 500;
    expect(await statusOf(take(token))).toBe(503);
    login.settings.before = undefined;
    expect(await statusOf(take(token))).toBe(200);
  });

  test("a slow issuer has five seconds by default, or as long as it is given [fault O8]", async () => {
    const never: BearerOptions["fetch"] = (_url, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    const timeout = vi.spyOn(AbortSignal, "timeout");
    const auth = bearer({
      issuer: ISSUER,
      audience: AUDIENCE,
      introspection: { ...introspection, endpoint: `${ISSUER}/ask` },
      fetchTimeout: 30,
      fetch: never,
    });
    expect(
      await statusOf((async () => auth.authorize({ method: "GET", url: "/", header: (name) => bearing("t")[name] }))()),
    ).toBe(503);
    const { login } = await world();
    const byDefault = bearer({ issuer: ISSUER, audience: AUDIENCE, introspection, fetch: (url, init) => login.fetch(url, init) });
    await byDefault.authorize({ method: "GET", url: "/", header: (name) => bearing("t")[name] });
    expect(timeout.mock.calls.map(([ms]) => ms)).toEqual([30, 5_000, 5_000]);
  });
});

describe("bearer()", () => {
  const bad: Record<string, [Partial<BearerOptions>, RegExp]> = {
    "no secret": [{ introspection: { clientId: "a" } }, /"introspection" needs "clientId", and one of/],
    "no client": [{ introspection: { clientId: "", clientSecret: "s" } }, /"introspection" needs "clientId"/],
    "two issuers": [{ issuer: [ISSUER, "https://b.example"] }, /"introspection" goes with one issuer only/],
    "another way as well": [{ jwksUri: `${ISSUER}/jwks` }, /"introspection" and "jwksUri" exclude each other/],
    "algorithms, which it has none of": [{ algorithms: ["ES256"] }, /"algorithms" is for JWTs/],
    "O1 an endpoint that must not be asked": [
      { introspection: { ...introspection, endpoint: "http://10.0.0.1/ask" } },
      /introspection.*is not https/,
    ],
    "a time that is none": [{ cacheTtl: -1 }, /"cacheTtl" must be milliseconds/],
  };
  test.each(Object.keys(bad))("is refused when it is made: %s", (what) => {
    const [options, message] = bad[what]!;
    expect(() => bearer({ issuer: ISSUER, audience: AUDIENCE, introspection, ...options })).toThrow(message);
  });

  test("algorithms with shared secrets are refused [fault O8]", () => {
    for (const algorithm of ["HS256", "none", "RS1", "A128GCM"])
      expect(() => bearer({ issuer: ISSUER, audience: AUDIENCE, algorithms: [algorithm] })).toThrow(
        /"algorithms": ".*" is none of RS256/,
      );
  });
});
