// Access tokens that are JWTs: what they must say, when, and signed by whom.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as fc from "fast-check";
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, type JWK } from "jose";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { JsonObject } from "tenon";
import { bearer, type BearerOptions } from "tenon/auth";
import { startAuthorizationServer } from "tenon/testing";
import { AUDIENCE, challengesOf, protect, REVISIONS, said } from "./support.ts";
import { ISSUER, MINUTE, reasonOf, statusOf, taking, timeStandsStill, world } from "./tokens.ts";

afterEach(() => void vi.useRealTimers());

describe.each(REVISIONS)("%s", (revision) => {
  test("a token of a real authorization server opens the endpoint, over sockets all the way [M1.4 M1.9]", async () => {
    await using login = await startAuthorizationServer({ subject: "ann", path: "/tenant1" });
    const http = await protect({ auth: bearer({ issuer: login.issuer, audience: AUDIENCE }) });
    const token = await login.issueAccessToken({ clientId: "app", audience: AUDIENCE, scopes: ["read", "write"] });
    const { auth } = JSON.parse(said(await http.call(revision, token, "who"))) as { auth: JsonObject };
    expect(auth).toMatchObject({
      issuer: login.issuer,
      subject: "ann",
      clientId: "app",
      scopes: ["read", "write"],
      claims: { aud: AUDIENCE },
    });
    expect(http.errors).toEqual([]);
    const refused = await http.call(revision, await login.issueAccessToken({ audience: "https://other.example" }), "who");
    expect([refused.status, challengesOf(refused)]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
  });
});

describe("what a token says [fault O8 R14]", () => {
  const claims: Record<string, [JsonObject, string]> = {
    "another audience": [{ aud: "https://other.example/mcp" }, "401 Access token refused: it was issued for another audience"],
    "no audience": [{ aud: undefined }, "401 Access token refused: it names no audience"],
    "an audience that is no text": [{ aud: 7 }, "401 Access token refused: it names no audience"],
    "the audience within another": [{ aud: `${AUDIENCE}/evil` }, "401 Access token refused: it was issued for another audience"],
    "another issuer": [{ iss: "https://evil.example" }, "401 Access token refused: its issuer is not accepted"],
    "an issuer with a path more": [{ iss: `${ISSUER}/x` }, "401 Access token refused: its issuer is not accepted"],
    "no issuer": [{ iss: undefined }, "401 Access token refused: its issuer is not accepted"],
    "no expiry": [{ exp: undefined }, '401 Access token refused: missing required "exp" claim'],
    "an expiry that is no number": [{ exp: "tomorrow" }, '401 Access token refused: "exp" claim must be a number'],
    "neither subject nor client": [{ sub: undefined }, "401 Access token refused: it names neither a subject nor a client"],
    "a key it is bound to": [{ cnf: { jkt: "abc" } }, "401 Access token refused: it is bound to a key"],
  };
  test.each(Object.keys(claims))("refused: %s", async (what) => {
    const [changes, reason] = claims[what]!;
    const { login, take } = await world();
    expect(await reasonOf(take(await login.issueAccessToken({ claims: changes })))).toMatch(reason);
  });

  const taken: Record<string, JsonObject> = {
    "one audience of several": { aud: ["https://other.example", AUDIENCE] },
    "Z18 the audience with a slash": { aud: `${AUDIENCE}/` },
    "the issuer with a slash": { iss: `${ISSUER}/` },
    "a client instead of a subject": { sub: undefined, client_id: "robot" },
  };
  test.each(Object.keys(taken))("taken: %s", async (what) => {
    const { login, take } = await world();
    expect(await statusOf(take(await login.issueAccessToken({ claims: taken[what]! })))).toBe(200);
  });

  test.each([
    [{ scope: "read write" }, ["read", "write"]],
    [{ scope: ["read", "write", 7] }, ["read", "write"]],
    [{ scp: "read" }, ["read"]],
    [{ scp: ["read"] }, ["read"]],
    [{ scope: { read: true } }, []],
    [{ scope: "read  write\n" }, ["read"]],
  ])("scopes of %j are %j", async (claims, scopes) => {
    const { login, take } = await world();
    expect(await take(await login.issueAccessToken({ claims }))).toMatchObject({ auth: { scopes } });
  });

  test.each([
    ["azp", "client of azp"],
    ["client_id", "client"],
  ])("the client is in %s", async (claim, name) => {
    // oxfmt-ignore
    const { login, take } = await world();
    expect(await take(await login.issueAccessToken({ claims: { client_id: undefined, [claim]: name } }))).toMatchObject({
      auth: { clientId: name },
    });
  });
});

describe("time [fault O8]", () => {
  test("the clocks of issuer and server may differ by a minute", async () => {
    const { login, take } = await world();
    timeStandsStill();
    expect(await statusOf(take(await login.issueAccessToken({ lifetime: -58_000 })))).toBe(200);
    expect(await reasonOf(take(await login.issueAccessToken({ lifetime: -62_000 })))).toBe(
      '401 Access token refused: "exp" claim timestamp check failed',
    );
    const soon = (ms: number): JsonObject => ({ nbf: Math.floor((Date.now() + ms) / 1_000) });
    expect(await statusOf(take(await login.issueAccessToken({ claims: soon(58_000) })))).toBe(200);
    expect(await reasonOf(take(await login.issueAccessToken({ claims: soon(62_000) })))).toBe(
      '401 Access token refused: "nbf" claim timestamp check failed',
    );
  });

  test.each([5 * MINUTE, -5 * MINUTE])(
    "clocks that differ by five minutes (%i ms) are no tolerance, unless the operator says so",
    async (skew) => {
      const strict = await world();
      const tolerant = await world({ clockTolerance: 5 * MINUTE + 2_000 });
      for (const { login, take } of [strict, tolerant]) {
        // Issued by a clock that goes wrong: good from now on, for four minutes.
        const now = Math.floor((Date.now() + skew) / 1_000);
        const token = await login.issueAccessToken({ claims: { iat: now, nbf: now, exp: now + 240 } });
        expect(await statusOf(take(token))).toBe(take === strict.take ? 401 : 200);
      }
    },
  );

  test("a token is accepted until it expires, even if an earlier result is cached", async () => {
    const { login, take } = await world({ clockTolerance: 0 });
    timeStandsStill();
    const token = await login.issueAccessToken({ lifetime: 30_000 });
    expect(await statusOf(take(token))).toBe(200);
    vi.advanceTimersByTime(28_000);
    expect(await statusOf(take(token))).toBe(200);
    vi.advanceTimersByTime(3_000);
    expect(await statusOf(take(token))).toBe(401);
  });
});

describe("signatures [fault O8]", () => {
  /** One an algorithm for all tests, because an RSA pair takes a fifth of a second to make. */
  const pairs = new Map<string, ReturnType<typeof generateKeyPair>>();
  function pairFor(alg: string): ReturnType<typeof generateKeyPair> {
    const pair = pairs.get(alg) ?? generateKeyPair(alg, { extractable: true });
    pairs.set(alg, pair);
    return pair;
  }

  /** An issuer of this test's own, which publishes what it is told. */
  async function issuer(publish: (jwk: JWK) => JWK[] = (jwk) => [jwk], alg = "RS256", options: Partial<BearerOptions> = {}) {
    const { privateKey, publicKey } = await pairFor(alg);
    const jwk = { ...(await exportJWK(publicKey)), kid: "k1", alg, use: "sig" };
    const fetch = (url: string): Promise<Response> =>
      Promise.resolve(
        Response.json(url.endsWith("/jwks") ? { keys: publish(jwk) } : { issuer: ISSUER, jwks_uri: `${ISSUER}/jwks` }),
      );
    const auth = bearer({ issuer: ISSUER, audience: AUDIENCE, fetch, ...options });
    const take = taking(auth);
    return { take, privateKey, publicKey, jwk };
  }
  const jwt = (header: Record<string, unknown> = {}, claims: JsonObject = {}): SignJWT =>
    new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: "ann", ...claims })
      .setExpirationTime("5m")
      .setProtectedHeader({ alg: "RS256", kid: "k1", typ: "at+jwt", ...header });

  test("a token of its own key is taken", async () => {
    const { take, privateKey } = await issuer();
    expect(await statusOf(take(await jwt().sign(privateKey)))).toBe(200);
  });

  test.each(["at+jwt", "AT+JWT", "application/at+jwt", "JWT", undefined])('"typ" %s is an access token', async (typ) => {
    const { take, privateKey } = await issuer();
    expect(await statusOf(take(await jwt({ typ }).sign(privateKey)))).toBe(200);
  });

  test.each(["dpop+jwt", "oauth-id-jag+jwt", "logout+jwt", "secevent+jwt", "token-introspection+jwt", "at+jwtx", ""])(
    '"typ" %s is something else',
    async (typ) => {
      const { take, privateKey } = await issuer();
      expect(await statusOf(take(await jwt({ typ }).sign(privateKey)))).toBe(401);
    },
  );

  test("alg none, in any spelling, with or without a signature", async () => {
    const { take, privateKey } = await issuer();
    const [, payload, signature] = (await jwt().sign(privateKey)).split(".");
    for (const alg of ["none", "None", "NONE", "nOnE", ""]) {
      const header = Buffer.from(JSON.stringify({ alg, kid: "k1", typ: "at+jwt" })).toString("base64url");
      for (const end of ["", signature]) expect(await statusOf(take(`${header}.${payload}.${end}`))).toBe(401);
    }
  });

  test("a secret made of the public key is no key", async () => {
    const { take, publicKey, jwk } = await issuer();
    for (const secret of [await exportSPKI(publicKey), JSON.stringify(jwk), jwk.n!]) {
      const token = await jwt({ alg: "HS256" }).sign(new TextEncoder().encode(secret));
      expect(await reasonOf(take(token))).toBe('401 Access token refused: "alg" (Algorithm) Header Parameter value not allowed');
    }
  });

  test("a secret the issuer publishes is no key", async () => {
    const k = Buffer.from("0123456789abcdef0123456789abcdef").toString("base64url");
    const { take } = await issuer(() => [{ kty: "oct", k, kid: "k1", alg: "HS256" }]);
    expect(await statusOf(take(await jwt({ alg: "HS256" }).sign(Buffer.from(k, "base64url"))))).toBe(401);
  });

  test("an algorithm that is not among those allowed", async () => {
    const { take, privateKey } = await issuer(undefined, "RS256", { algorithms: ["ES256", "PS256"] });
    expect(await statusOf(take(await jwt().sign(privateKey)))).toBe(401);
    expect(await statusOf(take(await jwt({ alg: "PS256" }).sign((await pairFor("PS256")).privateKey)))).toBe(401);
  });

  test.each(["RS256", "RS512", "PS256", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"])("%s is taken", async (alg) => {
    const { take, privateKey } = await issuer(undefined, alg);
    expect(await reasonOf(take(await jwt({ alg }).sign(privateKey)))).toBe("taken");
  });

  test("keys that a token brings along, or points to, are not looked at [R12]", async () => {
    const { take } = await issuer();
    const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
    const jwk = await exportJWK(publicKey);
    let asked = 0;
    const trap = createServer((_request, response) => {
      asked++;
      response.setHeader("content-type", "application/json").end(JSON.stringify({ keys: [{ ...jwk, kid: "evil" }] }));
    });
    await new Promise<void>((resolve) => trap.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void trap.close());
    const url = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/jwks`;
    for (const header of [
      { jwk },
      { jku: url, kid: "evil" },
      { x5u: url, kid: "evil" },
      { jwk, kid: undefined },
      { kid: "../../jwks" },
    ]) {
      expect(await statusOf(take(await jwt(header).sign(privateKey)))).toBe(401);
    }
    expect(asked).toBe(0);
  });

  test("a header that must be understood and is not", async () => {
    const { take, privateKey } = await issuer();
    const token = new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: "ann" }).setExpirationTime("5m");
    token.setProtectedHeader({ alg: "RS256", kid: "k1", crit: ["x"], x: 1 });
    expect(await statusOf(take(await token.sign(privateKey, { crit: { x: true } })))).toBe(401);
  });

  test("a key for encryption, and one that is too short, sign nothing", async () => {
    const encrypting = await issuer((jwk) => [{ ...jwk, use: "enc" }]);
    expect(await statusOf(encrypting.take(await jwt().sign(encrypting.privateKey)))).toBe(401);
    const other = await issuer((jwk) => [{ ...jwk, alg: "PS256" }]);
    expect(await statusOf(other.take(await jwt().sign(other.privateKey)))).toBe(401);
  });

  test("two keys that both fit, and a token that does not say which", async () => {
    const { take, privateKey } = await issuer((jwk) => [jwk, { ...jwk, kid: "k2" }]);
    expect(await statusOf(take(await jwt({ kid: undefined }).sign(privateKey)))).toBe(401);
    expect(await statusOf(take(await jwt().sign(privateKey)))).toBe(200);
  });

  test("property: no token that was changed in any way is taken", async () => {
    const { take, privateKey } = await issuer(undefined, "ES256");
    const token = await jwt({ alg: "ES256" }).sign(privateKey);
    expect(await statusOf(take(token))).toBe(200);
    const at = fc.nat(token.length - 1);
    const change = fc.oneof(
      fc
        .tuple(at, fc.constantFrom(..."ABCXYZabcxyz0189-_.=~+/"))
        .map(([i, char]) => token.slice(0, i) + char + token.slice(i + 1)),
      at.map((i) => token.slice(0, i)),
      at.map((i) => token.slice(0, i) + token.slice(i + 1)),
      fc.tuple(at, fc.base64String()).map(([i, more]) => token.slice(0, i) + more + token.slice(i)),
      fc.constant(token).map((whole) => whole.split(".").reverse().join(".")),
    );
    await fc.assert(
      fc.asyncProperty(change, async (changed) => {
        // The last character of a signature may have bits that mean nothing: base64 is not canonical there.
        fc.pre(changed !== token && changed.slice(0, -1) !== token.slice(0, -1));
        const status = await statusOf(take(changed));
        expect([400, 401]).toContain(status);
      }),
      { numRuns: 500 },
    );
  });

  test("property: any text as a token is refused, and never with an internal error", async () => {
    const { take } = await issuer();
    const part = fc.oneof(fc.string(), fc.json().map((text) => Buffer.from(text).toString("base64url"))); // oxfmt-ignore
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        expect([400, 401]).toContain(await statusOf(take(parts.join("."))));
      }),
      { numRuns: 500 },
    );
  });
});
