// Tokens that are bound to a key: taken from whoever has the key, and from nobody else.
import { request as httpRequest } from "node:http";
import * as fc from "fast-check";
import { base64url, exportJWK, generateKeyPair, SignJWT, type JWK, type JWTPayload } from "jose";
import { afterEach, describe, expect, test, vi } from "vitest";
import { decide, guarding, jwk, keys, proof, sha256, TOKEN, verdict, type Asked, type Changes } from "./proofs.ts";
import {
  AUDIENCE,
  challengesOf,
  initialize,
  METADATA_URL,
  mirrored,
  protect,
  REVISIONS,
  said,
  statelessBody,
} from "./support.ts";

const ALGS = "ES256 ES384 ES512 RS256 PS256 EdDSA Ed25519";

afterEach(() => void vi.useRealTimers());

describe.each(REVISIONS)("%s", (revision) => {
  test("a bound token with a fresh proof for each request is taken, in sessions too [requirement R4]", async () => {
    const http = await protect({ auth: guarding() });
    const signed = async (): Promise<Record<string, string>> => ({ authorization: `DPoP ${TOKEN}`, dpop: await proof() });
    if (revision === "2026-07-28")
      return expect(JSON.parse(said(await http.post("tools/call", { name: "who" }, await signed())))).toMatchObject({
        auth: { subject: "ann" },
      });
    const opened = await http.raw({ body: initialize(revision), headers: await signed() });
    const session = { "mcp-session-id": String(opened.headers["mcp-session-id"]), "mcp-protocol-version": revision };
    const body = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "who" } };
    const used = await signed();
    expect(
      (await http.raw({ headers: { ...session, ...used }, body: { jsonrpc: "2.0", method: "notifications/initialized" } }))
        .status,
    ).toBe(202);
    const again = await http.raw({ headers: { ...session, ...used }, body });
    expect([again.status, challengesOf(again)]).toEqual([401, expect.stringContaining('DPoP error="invalid_dpop_proof"')]);
    expect(JSON.parse(said(await http.raw({ headers: { ...session, ...(await signed()) }, body })))).toMatchObject({
      auth: { subject: "ann" },
    });
    const ending = { authorization: `DPoP ${TOKEN}`, dpop: await proof({ claims: { htm: "DELETE" } }) };
    expect((await http.raw({ method: "DELETE", headers: { ...session, ...(await signed()) } })).status).toBe(401);
    expect((await http.raw({ method: "DELETE", headers: { ...session, ...ending } })).status).toBe(204);
  });
});

describe("the challenge and the metadata [requirement R4]", () => {
  test("say that proofs are taken, and how they may be signed", async () => {
    const http = await protect({ auth: guarding() });
    const answer = await http.post("tools/list");
    expect(challengesOf(answer)).toBe(
      `Bearer resource_metadata="${METADATA_URL}", DPoP resource_metadata="${METADATA_URL}", algs="${ALGS}"`,
    );
    expect(guarding().metadata?.document).toMatchObject({ dpop_signing_alg_values_supported: ALGS.split(" ") });
    expect(guarding().metadata?.document).not.toHaveProperty("dpop_bound_access_tokens_required");
  });

  test("the metadata says so if only bound tokens are accepted", async () => {
    const auth = guarding({ required: true });
    const http = await protect({ auth });
    expect(challengesOf(await http.post("tools/list"))).toBe(`DPoP resource_metadata="${METADATA_URL}", algs="${ALGS}"`);
    expect(auth.metadata?.document).toMatchObject({ dpop_bound_access_tokens_required: true });
  });

  test("of a bound token that lacks scopes is DPoP's [M1.6]", async () => {
    const http = await protect({ auth: guarding() }, (server) => void server.tool("more", { scopes: ["admin"] }, () => ""));
    const params = { name: "more", arguments: {} };
    const answer = await http.post("tools/call", params, { authorization: `DPoP ${TOKEN}`, dpop: await proof() });
    expect(answer.status).toBe(403);
    expect(challengesOf(answer)).toMatch(/^DPoP error="insufficient_scope".*scope="admin".*, Bearer resource_metadata/);
  });
});

describe("who may use which token how [requirement R4]", () => {
  test.each([
    ["a bound token as Bearer", true, { scheme: "Bearer" }, "401 invalid_token"],
    ["a bound token as Bearer, with a proof", true, { scheme: "Bearer", proof: "good" }, "401 invalid_token"],
    ["an ordinary token as Bearer", true, { scheme: "Bearer", token: "free" }, "200"],
    ["an ordinary token as DPoP", true, { token: "free", proof: "good" }, "401 invalid_token"],
    ["a token of another key", true, { token: "bound-to-another", proof: "good" }, "401 invalid_token"],
    ["a token that is bound to a certificate as well", true, { token: "bound-twice", proof: "good" }, "401 invalid_token"],
    ["a token that is bound to a certificate", true, { token: "bound-otherwise", proof: "good" }, "401 invalid_token"],
    ["a token that is bound to nothing", true, { token: "bound-to-nothing", proof: "good" }, "401 invalid_token"],
    ["a token nobody knows", true, { token: "made-up", proof: "good" }, "401 invalid_token"],
    ["no proof", true, {}, "401 invalid_dpop_proof"],
    [
      "an ordinary token where bound ones are required",
      { required: true },
      { scheme: "Bearer", token: "free" },
      "401 invalid_token",
    ],
    ["a bound token where they are required", { required: true }, { proof: "good" }, "200"],
    ["a bound token where none is taken", false, { proof: "good" }, "401 "],
    ["a bound token as Bearer where none is taken", false, { scheme: "Bearer" }, "401 "],
    ["the scheme in another case", true, { scheme: "dPoP", proof: "good" }, "200"],
  ] as const)("%s", async (_what, dpop, asked: Asked, expected) => {
    const shown = asked.proof === undefined ? undefined : await proof({ token: asked.token ?? TOKEN });
    expect(await verdict(decide(guarding(dpop), { ...asked, proof: shown }))).toBe(expected);
  });

  test("two proofs in one request are refused", async () => {
    const http = await protect({ auth: guarding() });
    const proofs = [await proof(), await proof()];
    const params = {};
    const status = await new Promise<number>((resolve, reject) => {
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...mirrored("tools/list", params),
        authorization: `DPoP ${TOKEN}`,
        dpop: proofs,
      };
      const request = httpRequest(
        { port: http.port, host: "127.0.0.1", method: "POST", path: "/mcp", headers, agent: false },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      );
      request.on("error", reject);
      request.end(JSON.stringify(statelessBody("tools/list", params)));
    });
    expect(status).toBe(401);
  });
});

describe("hostile proofs [requirement R4]", () => {
  const now = Math.floor(Date.now() / 1_000);
  const wrong: Record<string, () => Promise<Changes> | Changes> = {
    "another method": () => ({ claims: { htm: "GET" } }),
    "the method in another case": () => ({ claims: { htm: "post" } }),
    "another path": () => ({ claims: { htu: "https://mcp.example/other" } }),
    "another host": () => ({ claims: { htu: "https://evil.example/mcp" } }),
    "another scheme": () => ({ claims: { htu: "http://mcp.example/mcp" } }),
    "another port": () => ({ claims: { htu: "https://mcp.example:8443/mcp" } }),
    "a longer path": () => ({ claims: { htu: `${AUDIENCE}/x` } }),
    "a URL that is none": () => ({ claims: { htu: "mcp" } }),
    "no URL": () => ({ claims: { htu: undefined as never } }),
    "an URL in a list": () => ({ claims: { htu: [AUDIENCE] as never } }),
    "six minutes ago": () => ({ claims: { iat: now - 360 } }),
    "in six minutes": () => ({ claims: { iat: now + 360 } }),
    "no time": () => ({ claims: { iat: undefined as never } }),
    "a time that is text": () => ({ claims: { iat: String(now) as never } }),
    "a time without end": () => ({ claims: { iat: 1e308 } }),
    "another token": () => ({ token: "other" }),
    "no token": () => ({ claims: { ath: undefined as never } }),
    "the token itself": () => ({ claims: { ath: TOKEN } }),
    "no name": () => ({ claims: { jti: undefined as never } }),
    "an empty name": () => ({ claims: { jti: "" } }),
    "a name of a kilobyte": () => ({ claims: { jti: "x".repeat(1_024) } }),
    "another type": () => ({ header: { typ: "JWT" } }),
    "no type": () => ({ header: { typ: undefined } }),
    "no key": () => ({ header: { jwk: undefined } }),
    "a private key": async () => ({ header: { jwk: await exportJWK(keys.privateKey) } }),
    "a key that is not the one it was signed with": async () => ({ key: (await generateKeyPair("ES256")).privateKey }),
    "a key id instead of a key": () => ({ header: { jwk: undefined, kid: "k", jku: "https://evil.example/jwks" } }),
    "what must be understood and is not": () => ({ header: { crit: ["exp"], exp: 1 } }),
  };
  test.each(Object.keys(wrong))("invalid_dpop_proof: %s", async (what) => {
    const changes = await wrong[what]!();
    const shown = await proof(changes).catch(() => "none.of.these");
    expect(await verdict(decide(guarding(), { proof: shown }))).toBe("401 invalid_dpop_proof");
  });

  test("of a key of one's own are as good as any, and the token is not", async () => {
    const own = await generateKeyPair("ES256", { extractable: true });
    const shown = await proof({ key: own.privateKey, header: { jwk: await exportJWK(own.publicKey) } });
    expect(await verdict(decide(guarding(), { proof: shown }))).toBe("401 invalid_token");
  });

  test("signed with a secret, or not at all", async () => {
    const oct: JWK = { kty: "oct", k: base64url.encode("0123456789abcdef0123456789abcdef") };
    const secret = new TextEncoder().encode("0123456789abcdef0123456789abcdef");
    const [, payload] = (await proof()).split(".");
    const header = (alg: string, key: JWK = jwk): string => base64url.encode(JSON.stringify({ typ: "dpop+jwt", alg, jwk: key }));
    const bad = [
      await new SignJWT({ jti: "a", htm: "POST", htu: AUDIENCE, iat: now, ath: await sha256(TOKEN) })
        .setProtectedHeader({ typ: "dpop+jwt", alg: "HS256", jwk: oct })
        .sign(secret),
      `${header("none")}.${payload}.`,
      `${header("HS256", oct)}.${payload}.${base64url.encode("x".repeat(32))}`,
    ];
    for (const shown of bad) expect(await verdict(decide(guarding(), { proof: shown }))).toBe("401 invalid_dpop_proof");
  });

  test.each([" ", "\t", "=", "==", "\n"])("a signature with %j in it is another one", async (space) => {
    const good = await proof();
    for (const changed of [`${good.slice(0, -20)}${space}${good.slice(-20)}`, good + space]) {
      expect(await verdict(decide(guarding(), { proof: changed }))).toBe("401 invalid_dpop_proof");
    }
  });

  test("property: a proof that was changed in any way does not count", async () => {
    const auth = guarding();
    const good = await proof();
    const at = fc.nat(good.length - 2);
    const change = fc.oneof(
      fc.tuple(at, fc.constantFrom(..."ABCXYZabcxyz0189-_.=,; ")).map(([i, char]) => good.slice(0, i) + char + good.slice(i + 1)),
      at.map((i) => good.slice(0, i)),
      fc.tuple(at, fc.string()).map(([i, more]) => good.slice(0, i) + more + good.slice(i)),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(change, async (changed) => {
        fc.pre(changed !== good && !(changed.length === good.length && changed.slice(0, -1) === good.slice(0, -1)));
        expect(await verdict(decide(auth, { proof: changed }))).toMatch(/^401 invalid_(?:dpop_proof|token)$/);
      }),
      { numRuns: 300 },
    );
    expect(await verdict(decide(auth, { proof: good }))).toBe("200");
  });

  test("property: no other claims make a good proof of one that is signed well", async () => {
    const auth = guarding();
    const name = fc.constantFrom("htm", "htu", "iat", "ath", "jti");
    await fc.assert(
      fc.asyncProperty(name, fc.jsonValue(), async (claim, value) => {
        const text = claim === "jti" && typeof value === "string" && value !== "" && value.length <= 256;
        const near = claim === "iat" && typeof value === "number" && Math.abs(value - now) < 1_000;
        fc.pre(!text && !near && !(claim === "htm" && value === "POST"));
        expect(await verdict(decide(auth, { proof: await proof({ claims: { [claim]: value } as JWTPayload }) }))).toBe(
          "401 invalid_dpop_proof",
        );
      }),
      { numRuns: 200 },
    );
  });

  test("the client gets no reason, and the operator's report has no token and no proof [R11 fault O10]", async () => {
    const http = await protect({ auth: guarding() });
    const shown = await proof({ claims: { htm: "GET" } });
    const answer = await http.post("tools/list", {}, { authorization: `DPoP ${TOKEN}`, dpop: shown });
    expect(answer.text).not.toMatch(/htm|method/);
    const told = http.errors.map((error) => `${error.stack}`).join();
    expect(told).toContain('DPoP proof refused: its "htm" is another method');
    for (const secret of [TOKEN, shown]) expect(told).not.toContain(secret);
  });
});

describe("time [requirement R4]", () => {
  test.each([-299, 0, 299])("a clock that is %i seconds off is no reason to refuse", async (seconds) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const iat = Math.floor(Date.now() / 1_000) + seconds;
    expect(await verdict(decide(guarding(), { proof: await proof({ claims: { iat } }) }))).toBe("200");
  });

  test("a proof counts once for as long as it could count, and the key of another may use the same name", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const auth = guarding();
    const ahead = await proof({ claims: { jti: "same", iat: Math.floor(Date.now() / 1_000) + 290 } });
    expect(await verdict(decide(auth, { proof: ahead }))).toBe("200");
    for (let minutes = 0; minutes < 12; minutes++) {
      expect(await verdict(decide(auth, { proof: ahead }))).toBe("401 invalid_dpop_proof");
      vi.setSystemTime(Date.now() + 60_000);
    }
    expect(await verdict(decide(auth, { proof: await proof({ claims: { jti: "same" } }) }))).toBe("200");
  });

  test("a name that was used counts no more with another time", async () => {
    const auth = guarding();
    const iat = Math.floor(Date.now() / 1_000);
    expect(await verdict(decide(auth, { proof: await proof({ claims: { jti: "once", iat } }) }))).toBe("200");
    expect(await verdict(decide(auth, { proof: await proof({ claims: { jti: "once", iat: iat + 120 } }) }))).toBe(
      "401 invalid_dpop_proof",
    );
  });

  test("many at once with one proof: one of them", async () => {
    const auth = guarding();
    const shown = await proof();
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => verdict(decide(auth, { proof: shown }))));
    expect(verdicts.filter((one) => one === "200")).toHaveLength(1);
  });
});
