// Tokens that are bound to a key: taken from whoever has the key, and from nobody else, once per proof.
import { request as httpRequest } from "node:http";
import * as fc from "fast-check";
import { base64url, calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from "jose";
import { afterEach, describe, expect, test, vi } from "vitest";
import { MemoryStateStore } from "tenon/server";
import { bearer, type Authorized, type DpopServerOptions, type EndpointAuth, type Refusal, type VerifiedToken } from "tenon/auth";
import {
  AUDIENCE,
  authorizer,
  challengesOf,
  initialize,
  METADATA_URL,
  mirrored,
  protect,
  REVISIONS,
  said,
  statelessBody,
  TOKENS,
} from "./support.ts";

const ALGS = "ES256 ES384 ES512 RS256 PS256 EdDSA Ed25519";
const keys = await generateKeyPair("ES256", { extractable: true });
const jwk = await exportJWK(keys.publicKey);
const jkt = await calculateJwkThumbprint(jwk);
const TOKEN = "bound-token";
const bound: VerifiedToken = { ...TOKENS["ann"]!, claims: { cnf: { jkt } } };
const tokens: Record<string, VerifiedToken> = {
  [TOKEN]: bound,
  free: TOKENS["ann"]!,
  "bound-to-another": { ...bound, claims: { cnf: { jkt: "x".repeat(43) } } },
  "bound-twice": { ...bound, claims: { cnf: { jkt, "x5t#S256": "x" } } },
  "bound-otherwise": { ...bound, claims: { cnf: { "x5t#S256": "x" } } },
  "bound-to-nothing": { ...bound, claims: { cnf: {} } },
};

afterEach(() => void vi.useRealTimers());

const sha256 = async (text: string): Promise<string> =>
  base64url.encode(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));

interface Changes {
  readonly claims?: JWTPayload;
  readonly header?: Record<string, unknown>;
  readonly key?: CryptoKey;
  readonly token?: string;
}

/** A proof that is good but for what is changed. */
async function proof({ claims = {}, header = {}, key = keys.privateKey, token = TOKEN }: Changes = {}): Promise<string> {
  const payload = {
    jti: crypto.randomUUID(),
    htm: "POST",
    htu: AUDIENCE,
    iat: Math.floor(Date.now() / 1_000),
    ath: await sha256(token),
    ...claims,
  };
  return new SignJWT(payload).setProtectedHeader({ typ: "dpop+jwt", alg: "ES256", jwk, ...header }).sign(key);
}

const guarding = (dpop: boolean | DpopServerOptions = true): EndpointAuth => authorizer({ dpop }, tokens);

interface Asked {
  readonly proof?: string | undefined;
  readonly scheme?: string;
  readonly token?: string;
  readonly url?: string;
  readonly method?: string;
}

async function decide(
  auth: EndpointAuth,
  { proof: shown, scheme = "DPoP", token = TOKEN, url = "/mcp", method = "POST" }: Asked,
): Promise<Authorized | Refusal> {
  const headers: Record<string, string | undefined> = { authorization: `${scheme} ${token}`, dpop: shown };
  return auth.authorize({ method, url, header: (name) => headers[name] });
}

/** `200`, or the status and error of the refusal. */
async function verdict(decision: Promise<Authorized | Refusal>): Promise<string> {
  const decided = await decision;
  if (!("status" in decided)) return "200";
  return `${decided.status} ${/(?:^|,)DPoP error="(\w+)"/.exec(decided.headers.filter((_, index) => index % 2 === 1).join())?.[1] ?? ""}`;
}

describe.each(REVISIONS)("%s", (revision) => {
  test("R4 a bound token with a fresh proof for each request is taken, in sessions too", async () => {
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
      (await http.raw({ headers: { ...session, ...used }, body: { jsonrpc: "2.0", method: "notifications/initialized" } })).status,
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

describe("R4 the challenge and the metadata", () => {
  test("say that proofs are taken, and how they may be signed", async () => {
    const http = await protect({ auth: guarding() });
    const answer = await http.post("tools/list");
    expect(challengesOf(answer)).toBe(
      `Bearer resource_metadata="${METADATA_URL}", DPoP resource_metadata="${METADATA_URL}", algs="${ALGS}"`,
    );
    expect(guarding().metadata?.document).toMatchObject({ dpop_signing_alg_values_supported: ALGS.split(" ") });
    expect(guarding().metadata?.document).not.toHaveProperty("dpop_bound_access_tokens_required");
  });

  test("say so where nothing else is taken", async () => {
    const auth = guarding({ required: true });
    const http = await protect({ auth });
    expect(challengesOf(await http.post("tools/list"))).toBe(`DPoP resource_metadata="${METADATA_URL}", algs="${ALGS}"`);
    expect(auth.metadata?.document).toMatchObject({ dpop_bound_access_tokens_required: true });
  });

  test("M1.6 of a bound token that lacks scopes is DPoP's", async () => {
    const http = await protect({ auth: guarding() }, (server) => void server.tool("more", { scopes: ["admin"] }, () => ""));
    const params = { name: "more", arguments: {} };
    const answer = await http.post("tools/call", params, { authorization: `DPoP ${TOKEN}`, dpop: await proof() });
    expect(answer.status).toBe(403);
    expect(challengesOf(answer)).toMatch(/^DPoP error="insufficient_scope".*scope="admin".*, Bearer resource_metadata/);
  });
});

describe("R4 who may use which token how", () => {
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
    ["an ordinary token where bound ones are required", { required: true }, { scheme: "Bearer", token: "free" }, "401 invalid_token"],
    ["a bound token where they are required", { required: true }, { proof: "good" }, "200"],
    ["a bound token where none is taken", false, { proof: "good" }, "401 "],
    ["a bound token as Bearer where none is taken", false, { scheme: "Bearer" }, "401 "],
    ["the scheme in another case", true, { scheme: "dPoP", proof: "good" }, "200"],
  ] as const)("%s", async (_what, dpop, asked: Asked, expected) => {
    const shown = asked.proof === undefined ? undefined : await proof({ token: asked.token ?? TOKEN });
    expect(await verdict(decide(guarding(dpop), { ...asked, proof: shown }))).toBe(expected);
  });

  test("two proofs in one request are none", async () => {
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

describe("R4 hostile proofs", () => {
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

  test("R11 O10 the client hears no reason, and the operator no token and no proof", async () => {
    const http = await protect({ auth: guarding() });
    const shown = await proof({ claims: { htm: "GET" } });
    const answer = await http.post("tools/list", {}, { authorization: `DPoP ${TOKEN}`, dpop: shown });
    expect(answer.text).not.toMatch(/htm|method/);
    const told = http.errors.map((error) => `${error.stack}`).join();
    expect(told).toContain('DPoP proof refused: its "htm" is another method');
    for (const secret of [TOKEN, shown]) expect(told).not.toContain(secret);
  });
});

describe("R4 time", () => {
  test.each([-299, 0, 299])("a clock that is %i seconds off is no reason to refuse", async (seconds) => {
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
    expect(await verdict(decide(auth, { proof: await proof({ claims: { jti: "once", iat: iat + 120 } }) }))).toBe("401 invalid_dpop_proof");
  });

  test("many at once with one proof: one of them", async () => {
    const auth = guarding();
    const shown = await proof();
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => verdict(decide(auth, { proof: shown }))));
    expect(verdicts.filter((one) => one === "200")).toHaveLength(1);
  });
});

describe("R4 R5 what is remembered", () => {
  test("is bounded: what is new is told to come back, and there is room again when it has been forgotten", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const auth = guarding({ maxProofs: 3 });
    for (let i = 0; i < 3; i++) expect(await verdict(decide(auth, { proof: await proof() }))).toBe("200");
    const full = await decide(auth, { proof: await proof() });
    expect(full).toMatchObject({
      status: 503,
      headers: ["Retry-After", "5"],
      reason: { cause: { message: expect.stringContaining('"dpop.maxProofs"') as string } },
    });
    vi.setSystemTime(Date.now() + 7 * 60_000);
    expect(await verdict(decide(auth, { proof: await proof() }))).toBe("200");
  });

  test("is nothing of proofs that were refused", async () => {
    const auth = guarding({ maxProofs: 1 });
    for (let i = 0; i < 20; i++)
      expect(await verdict(decide(auth, { proof: await proof({ claims: { htm: "GET" } }) }))).toBe("401 invalid_dpop_proof");
    for (let i = 0; i < 20; i++)
      expect(await verdict(decide(auth, { token: "made-up", proof: await proof({ token: "made-up" }) }))).toBe("401 invalid_token");
    expect(await verdict(decide(auth, { proof: await proof() }))).toBe("200");
  });

  test("may be shared by nodes, in any store of states", async () => {
    const store = new MemoryStateStore();
    const [one, other] = [guarding({ store }), guarding({ store })];
    const shown = await proof();
    expect(await verdict(decide(one, { proof: shown }))).toBe("200");
    expect(await verdict(decide(other, { proof: shown }))).toBe("401 invalid_dpop_proof");
  });

  test("R10 a store that does not answer lets nobody in", async () => {
    const auth = guarding({ store: { claim: () => Promise.reject(new Error("store down")) } });
    expect(await decide(auth, { proof: await proof() })).toMatchObject({ status: 503, reason: { cause: { message: "store down" } } });
  });
});

describe("R4 nonces", () => {
  const nonceOf = (decided: Authorized | Refusal): string | undefined => {
    const headers = decided.headers ?? [];
    const index = headers.indexOf("DPoP-Nonce");
    return index < 0 ? undefined : headers[index + 1];
  };

  test("a proof without one, or with one that was made up, is told which to use; and is good with it", async () => {
    const auth = guarding({ nonce: true });
    for (const nonce of [undefined, "", "made up", "A".repeat(24)]) {
      const refused = await decide(auth, { proof: await proof({ claims: { ...(nonce !== undefined && { nonce }) } }) });
      expect([await verdict(Promise.resolve(refused)), nonceOf(refused)]).toEqual([
        "401 use_dpop_nonce",
        expect.stringMatching(/^[\w-]{24}$/),
      ]);
    }
    const nonce = nonceOf(await decide(auth, { proof: await proof() }))!;
    const taken = await decide(auth, { proof: await proof({ claims: { nonce } }) });
    expect([await verdict(Promise.resolve(taken)), nonceOf(taken)]).toEqual(["200", undefined]);
  });

  test("one that runs out is still good for a while, and the response brings the next; then it is no more", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 });
    const auth = guarding({ nonce: { lifetime: 60_000 } });
    const nonce = nonceOf(await decide(auth, { proof: await proof() }))!;
    vi.setSystemTime(Date.now() + 61_000);
    const taken = await decide(auth, { proof: await proof({ claims: { nonce } }) });
    expect(await verdict(Promise.resolve(taken))).toBe("200");
    const next = nonceOf(taken)!;
    expect(next).not.toBe(nonce);
    vi.setSystemTime(Date.now() + 60_000);
    expect(await verdict(decide(auth, { proof: await proof({ claims: { nonce } }) }))).toBe("401 use_dpop_nonce");
    expect(await verdict(decide(auth, { proof: await proof({ claims: { nonce: next } }) }))).toBe("200");
  });

  test("nodes with the same secret take each other's, others do not", async () => {
    const secret = "0123456789abcdef0123456789abcdef";
    const [a, b, other] = [
      guarding({ nonce: { secret } }),
      guarding({ nonce: { secret: new TextEncoder().encode(secret) } }),
      guarding({ nonce: true }),
    ];
    const nonce = nonceOf(await decide(a, { proof: await proof() }))!;
    expect(await verdict(decide(b, { proof: await proof({ claims: { nonce } }) }))).toBe("200");
    expect(await verdict(decide(other, { proof: await proof({ claims: { nonce } }) }))).toBe("401 use_dpop_nonce");
  });

  test("the new nonce is a header of the response, which pages may read", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 });
    const http = await protect({ auth: guarding({ nonce: { lifetime: 60_000 } }), cors: { origins: ["https://app.example"] } });
    const send = async (claims: JWTPayload) =>
      http.post("tools/list", {}, { origin: "https://app.example", authorization: `DPoP ${TOKEN}`, dpop: await proof({ claims }) });
    const refused = await send({});
    const nonce = String(refused.headers["dpop-nonce"]);
    expect([refused.status, refused.headers["access-control-expose-headers"]]).toEqual([401, expect.stringContaining("DPoP-Nonce")]);
    expect((await send({ nonce })).headers["dpop-nonce"]).toBeUndefined();
    vi.setSystemTime(Date.now() + 61_000);
    const taken = await send({ nonce });
    expect([taken.status, taken.headers["dpop-nonce"]]).toEqual([200, expect.stringMatching(/^[\w-]{24}$/)]);
  });
});

describe("Behind proxies", () => {
  test("the URL of a proof is the resource, or its origin with the path that was asked for; no header changes it", async () => {
    const htu = (url: string): Promise<string> => proof({ claims: { htu: url } });
    const auth = bearer({
      issuer: "https://login.example",
      audience: "https://mcp.example/api/mcp",
      dpop: true,
      verify: () => ({ ...bound, audience: "https://mcp.example/api/mcp" }),
    });
    // The proxy took "/api" away.
    expect(await verdict(decide(auth, { url: "/mcp", proof: await htu("https://mcp.example/api/mcp") }))).toBe("200");
    expect(await verdict(decide(auth, { url: "/mcp", proof: await htu("https://mcp.example/mcp") }))).toBe("200");
    expect(await verdict(decide(auth, { url: "http://internal:3000/mcp?x=1", proof: await htu("https://mcp.example/mcp") }))).toBe("200");
    expect(await verdict(decide(auth, { url: "/mcp?x=1", proof: await htu("https://MCP.example:443/api/mcp?y#z") }))).toBe("200");
    expect(await verdict(decide(auth, { url: "/mcp", proof: await htu("http://internal:3000/mcp") }))).toBe("401 invalid_dpop_proof");
    expect(await verdict(decide(auth, { url: "/other", proof: await htu("https://mcp.example/mcp") }))).toBe("401 invalid_dpop_proof");
  });
});

test.each([
  [{ maxProofs: 0 }, /"dpop.maxProofs"/],
  [{ nonce: { secret: "short" } }, /"dpop.nonce.secret" must have 32 bytes/],
  [{ nonce: { lifetime: 0 } }, /"dpop.nonce.lifetime"/],
  [{ store: {} as never }, /"dpop.store" needs a method "claim"/],
])("options that are none are refused when it is made: %j", (dpop, message) => {
  expect(() => guarding(dpop)).toThrow(message);
});
