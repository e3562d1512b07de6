// The keys of an issuer: where they come from, when they are looked at again, and what happens while they cannot be had.
import { afterEach, describe, expect, test, vi } from "vitest";
import type { JsonObject } from "tenon";
import { bearer, type BearerOptions } from "tenon/auth";
import { createTestAuthorizationServer } from "tenon/testing";
import { AUDIENCE, bearing } from "./support.ts";
import { ISSUER, MINUTE, reasonOf, statusOf, taking, timeStandsStill, world } from "./tokens.ts";

afterEach(() => void vi.useRealTimers());

describe("Where the keys come from", () => {
  test("one look at the metadata and one at the keys, however many ask at once", async () => {
    const { login, take, fetched } = await world();
    const tokens = await Promise.all(
      Array.from({ length: 50 }, (_, index) => login.issueAccessToken({ subject: `user ${index}` })),
    );
    expect(await Promise.all(tokens.map((token) => statusOf(take(token))))).toEqual(tokens.map(() => 200));
    expect([fetched("metadata"), fetched("jwks")]).toEqual([1, 1]);
  });

  test.each(["https://login.example", "https://login.example/tenant1"])("the metadata of %s is found [M2.4]", async (issuer) => {
    const { login, take } = await world({}, issuer);
    expect(await statusOf(take(await login.issueAccessToken()))).toBe(200);
  });

  test("an OpenID provider is one too", async () => {
    const { login, take } = await world({}, "https://login.example/tenant1");
    login.settings.before = ({ url }) => (url.includes("oauth-authorization-server") ? 404 : undefined);
    expect(await reasonOf(take(await login.issueAccessToken()))).toBe("taken");
  });

  test("metadata that names another issuer is not used [M2.5]", async () => {
    const { login, take, fetched } = await world();
    login.settings.alterResponse = (answer, { endpoint }) =>
      endpoint === "metadata" ? { ...answer, issuer: "https://evil.example" } : answer;
    expect(await statusOf(take(await login.issueAccessToken()))).toBe(503);
    expect(fetched("jwks")).toBe(0);
  });

  test("the operator may name the place", async () => {
    const { login, take, fetched } = await world({ jwksUri: `${ISSUER}/keys` });
    const keys = await login.jwks();
    const fetch = vi.fn<(url: string) => Promise<Response>>(() => Promise.resolve(Response.json(keys)));
    const auth = bearer({ issuer: ISSUER, audience: AUDIENCE, jwksUri: `${ISSUER}/keys`, fetch });
    const token = await login.issueAccessToken();
    expect(await auth.authorize({ method: "GET", url: "/mcp", header: (name) => bearing(token)[name] })).toMatchObject({
      auth: { subject: "user" },
    });
    expect(fetch.mock.calls.map(([url]) => url)).toEqual([`${ISSUER}/keys`]);
    expect(fetched("metadata")).toBe(0);
    expect(await statusOf(take("x"))).toBe(401);
  });

  test.each([
    "http://login.example/jwks",
    "https://10.0.0.1/jwks",
    "https://169.254.169.254/jwks",
    "file:///etc/passwd",
    "https://a:b@login.example/jwks",
    "//jwks",
    7,
  ])("keys at %s are not fetched [fault O1 R12]", async (jwks_uri) => {
    const { login, take, fetched } = await world();
    login.settings.alterResponse = (answer, { endpoint }) => (endpoint === "metadata" ? { ...answer, jwks_uri } : answer);
    expect(await statusOf(take(await login.issueAccessToken()))).toBe(503);
    expect(fetched("jwks")).toBe(0);
  });

  test.each(["http://keys.example/jwks", "file:///keys", "https://192.168.0.1/keys"])(
    "%s as an option is refused at once [R12]",
    (jwksUri) => {
      expect(() => bearer({ issuer: ISSUER, audience: AUDIENCE, jwksUri })).toThrow(/keys/);
    },
  );

  const repair = "The operator of the authorization server must repair this.";
  test.each<[string, string, () => Response]>([
    ["it answers with status 404", repair, () => new Response(null, { status: 404 })],
    ["the response is not a set of at most 100 keys", repair, () => Response.json({})],
    [
      "the response is not a set of at most 100 keys",
      repair,
      () => Response.json({ keys: Array.from({ length: 101 }, () => ({})) }),
    ],
    ["the response is not a JSON Web Key Set", "Repair it there.", () => Response.json({ keys: [7] })],
  ])("the operator reads why keys cannot be used: %s", async (problem, remedy, respond) => {
    const { login, take } = await world({ jwksUri: `${ISSUER}/keys`, fetch: () => Promise.resolve(respond()) });
    const refused = await take(await login.issueAccessToken());
    const cause = { hop: "keys", url: `${ISSUER}/keys`, problem, remedy };
    expect(refused).toMatchObject({ status: 503, reason: { message: "Access tokens cannot be verified", cause } });
  });

  test("two issuers, each with its own keys", async () => {
    const a = await createTestAuthorizationServer("https://a.example", { defaultAudience: AUDIENCE });
    const b = await createTestAuthorizationServer("https://b.example", { defaultAudience: AUDIENCE });
    const fetch: BearerOptions["fetch"] = (url, init) => (url.startsWith("https://a.") ? a : b).fetch(url, init);
    const auth = bearer({ issuer: ["https://a.example", "https://b.example"], audience: AUDIENCE, fetch });
    const take = taking(auth);
    expect(await take(await a.issueAccessToken())).toMatchObject({ auth: { issuer: "https://a.example" } });
    expect(await take(await b.issueAccessToken())).toMatchObject({ auth: { issuer: "https://b.example" } });
    // What one of them signs in the name of the other counts for nothing.
    expect(await statusOf(take(await a.issueAccessToken({ claims: { iss: "https://b.example" } })))).toBe(401);
  });
});

describe("Keys that change, and issuers that do not respond", () => {
  test("a new key is found when a token names it", async () => {
    const { login, take, fetched } = await world();
    timeStandsStill();
    const before = await login.issueAccessToken();
    expect(await statusOf(take(before))).toBe(200);
    await login.rotateKeys();
    vi.advanceTimersByTime(61_000);
    expect(await statusOf(take(await login.issueAccessToken()))).toBe(200);
    expect(await statusOf(take(before))).toBe(200);
    expect(fetched("jwks")).toBe(2);
  });

  test("requests that come at once with a new key are all accepted, by one look", async () => {
    const { login, take, fetched } = await world();
    timeStandsStill();
    expect(await statusOf(take(await login.issueAccessToken()))).toBe(200);
    await login.rotateKeys();
    vi.advanceTimersByTime(61_000);
    const tokens = await Promise.all(["ann", "bob", "cem"].map((subject) => login.issueAccessToken({ subject })));
    expect(await Promise.all(tokens.map((token) => statusOf(take(token))))).toEqual([200, 200, 200]);
    expect(fetched("jwks")).toBe(2);
  });

  test("ten thousand made-up key ids lead to the issuer once a minute [fault O8]", async () => {
    const { login, take, fetched } = await world();
    timeStandsStill();
    expect(await statusOf(take(await login.issueAccessToken()))).toBe(200);
    const [, payload, signature] = (await login.issueAccessToken()).split(".");
    const flood = async (): Promise<void> => {
      for (let i = 0; i < 10_000; i++) {
        const header = Buffer.from(JSON.stringify({ alg: "ES256", kid: `made up ${i}` })).toString("base64url");
        expect(await statusOf(take(`${header}.${payload}.${signature}`))).toBe(401);
      }
    };
    await flood();
    expect(fetched("jwks")).toBe(1);
    vi.advanceTimersByTime(61_000);
    await flood();
    expect(fetched("jwks")).toBe(2);
    expect(fetched("metadata")).toBe(2);
  });

  test("keys are fetched again by the first request after ten minutes, and not before", async () => {
    const { login, take, fetched } = await world({ cacheTtl: 0 });
    timeStandsStill();
    const token = await login.issueAccessToken();
    expect(await statusOf(take(token))).toBe(200);
    vi.advanceTimersByTime(10 * MINUTE);
    expect(await statusOf(take(token))).toBe(200);
    expect(fetched("jwks")).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await statusOf(take(token))).toBe(200);
    await expect.poll(() => fetched("jwks")).toBe(2);
  });

  test("a key that was withdrawn is forgotten within a quarter of an hour", async () => {
    const { login, take } = await world();
    timeStandsStill();
    const token = await login.issueAccessToken();
    expect(await statusOf(take(token))).toBe(200);
    await login.rotateKeys({ withdraw: true });
    let last = 200;
    for (let minutes = 0; minutes < 15 && last === 200; minutes++) {
      vi.advanceTimersByTime(MINUTE);
      last = await statusOf(take(token));
      await new Promise(setImmediate);
    }
    expect(last).toBe(401);
  });

  test("without keys every request is refused: 503, one try in five seconds, and then it works [fault O8]", async () => {
    const { login, take, auth, fetched } = await world();
    timeStandsStill();
    login.settings.before = () => 500;
    const token = await login.issueAccessToken();
    const refused = await take(token);
    expect(refused).toMatchObject({ status: 503, headers: ["Retry-After", "5"] });
    expect("status" in refused && refused.reason?.cause).toMatchObject({ name: "AuthorizationError" });
    for (let i = 0; i < 100; i++) expect(await statusOf(take(token))).toBe(503);
    expect(fetched("metadata")).toBe(1);
    login.settings.before = undefined;
    vi.advanceTimersByTime(5_000);
    expect(await statusOf(take(token))).toBe(200);
    expect(auth.metadata?.document).toBeDefined();
  });

  test("keys count for an hour where the issuer cannot be reached, and no longer", async () => {
    const { login, take } = await world();
    timeStandsStill();
    const token = await login.issueAccessToken({ lifetime: 24 * 60 * MINUTE });
    expect(await statusOf(take(token))).toBe(200);
    login.settings.before = () => 500;
    for (let minutes = 0; minutes < 60; minutes += 2) {
      expect(await statusOf(take(token))).toBe(200);
      vi.advanceTimersByTime(2 * MINUTE);
    }
    vi.advanceTimersByTime(MINUTE);
    expect(await statusOf(take(token))).toBe(503);
    login.settings.before = undefined;
    vi.advanceTimersByTime(MINUTE);
    expect(await statusOf(take(token))).toBe(200);
  });

  const answers: Record<string, unknown> = {
    "no set": {},
    "a set of text": { keys: "none" },
    "a set of nothing": { keys: [null, 7] },
    "more keys than any issuer has": { keys: Array.from({ length: 101 }, () => ({ kty: "EC" })) },
    "a set that is huge": { keys: [], more: "x".repeat(300 * 1024) },
  };
  test.each(Object.keys(answers))("keys that are %s are none: 503 [fault O2 rule R6]", async (what) => {
    const { login, take } = await world();
    login.settings.alterResponse = (answer, { endpoint }) => (endpoint === "jwks" ? (answers[what] as JsonObject) : answer);
    expect(await statusOf(take(await login.issueAccessToken()))).toBe(503);
  });

  test.each([201, 404, 500])(
    "keys that come with the status %i are not used, and the reason names the step that failed",
    async (status) => {
      const { login } = await world();
      const keys = await login.jwks();
      const fetch: BearerOptions["fetch"] = (url, init) =>
        url.endsWith("/jwks") ? Promise.resolve(Response.json(keys, { status })) : login.fetch(url, init);
      const refused = await taking(bearer({ issuer: ISSUER, audience: AUDIENCE, fetch }))(await login.issueAccessToken());
      expect(refused).toMatchObject({ status: 503, reason: { cause: { hop: "keys" } } });
    },
  );

  test.each(["jwks_uri", "introspection_endpoint"])(
    "metadata without a %s: the reason names what is missing and where",
    async (member) => {
      const introspection = { clientId: "c", clientSecret: "s" };
      const { login, take } = await world(member === "jwks_uri" ? {} : { introspection });
      login.settings.alterResponse = (answer, { endpoint }) =>
        endpoint === "metadata" ? { ...answer, [member]: undefined } : answer;
      const refused = await take(await login.issueAccessToken());
      const cause = {
        hop: "authorization server metadata",
        problem: `it names no "${member}"`,
        url: expect.stringContaining(ISSUER) as string,
      };
      expect(refused).toMatchObject({ status: 503, reason: { cause } });
    },
  );

  test("a request to an issuer that never responds ends after its timeout [fault O2 rule R6]", async () => {
    const { login } = await world();
    const fetch: NonNullable<BearerOptions["fetch"]> = (_url, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    const auth = bearer({ issuer: ISSUER, audience: AUDIENCE, fetchTimeout: 50, fetch });
    const token = await login.issueAccessToken();
    expect(
      await statusOf((async () => auth.authorize({ method: "GET", url: "/mcp", header: (name) => bearing(token)[name] }))()),
    ).toBe(503);
  });
});

describe("The cache of verified tokens", () => {
  test("are not verified again for a minute, each of them", async () => {
    const { login, auth, take } = await world();
    timeStandsStill();
    const token = await login.issueAccessToken();
    const first = await take(token);
    const again = (): unknown => auth.authorize({ method: "POST", url: "/mcp", header: (name) => bearing(token)[name] });
    expect(again()).toBe(first);
    vi.advanceTimersByTime(59_000);
    expect(again()).toBe(first);
    vi.advanceTimersByTime(2_000);
    expect(again()).toBeInstanceOf(Promise);
    expect(await again()).toEqual(first);
  });

  test("cacheTtl: 0 verifies each time", async () => {
    const { login, auth, take } = await world({ cacheTtl: 0 });
    const token = await login.issueAccessToken();
    await take(token);
    expect(auth.authorize({ method: "POST", url: "/mcp", header: (name) => bearing(token)[name] })).toBeInstanceOf(Promise);
  });

  test("are sent nowhere: what is asked of the issuer is the same for every token [fault O9 M1.4 M6.1]", async () => {
    const { login, take } = await world({ cacheTtl: 0 });
    const tokens = await Promise.all(["a", "b", "c"].map((subject) => login.issueAccessToken({ subject })));
    for (const token of [
      ...tokens,
      "canary.canary.canary",
      tokens[0]!.replace(/^[^.]+/, "eyJhbGciOiJFUzI1NiIsImtpZCI6ImNhbmFyeSJ9"),
    ])
      await take(token);
    const sent = JSON.stringify(login.requests);
    expect(login.requests.map(({ method, endpoint }) => `${method} ${endpoint}`)).toEqual(["GET metadata", "GET jwks"]);
    for (const secret of [...tokens.flatMap((token) => token.split(".")), "canary"]) expect(sent).not.toContain(secret);
  });

  test("no token is in the operator's reports [fault O10 R21]", async () => {
    const { login, take } = await world();
    const bad = [
      await login.issueAccessToken({ lifetime: -1e6 }),
      await login.issueAccessToken({ audience: "https://x.example" }),
      (await login.issueAccessToken()).slice(0, -3),
      "canary.canary.canary",
    ];
    for (const token of bad) {
      const refused = await take(token);
      const told =
        "status" in refused ? [refused.reason?.stack, JSON.stringify(refused), String(refused.reason?.cause)].join() : "taken";
      expect(told).toContain("Access token refused");
      for (const part of [token, ...token.split(".")]) expect(told).not.toContain(part);
    }
  });
});
