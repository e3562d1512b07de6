import fc from "fast-check";
import { exportJWK, generateKeyPair, SignJWT, type JWTHeaderParameters, type JWTPayload } from "jose";
import * as oauth from "oauth4webapi";
import { expect, test } from "vitest";
import { checkDpopProof, DPOP_MAX_AGE, DpopProofError, type DpopRequest } from "./dpop-proof.ts";

const NOW = Date.UTC(2026, 0, 1);
const URL_ = "https://mcp.example/mcp";
const keys = await generateKeyPair("ES256", { extractable: true });
const jwk = await exportJWK(keys.publicKey);

/** A proof that is good but for what is changed. */
function proof(claims: JWTPayload = {}, header: Partial<JWTHeaderParameters> = {}, key = keys.privateKey): Promise<string> {
  const payload = { jti: "1", htm: "POST", htu: URL_, iat: NOW / 1_000, ...claims };
  return new SignJWT(payload).setProtectedHeader({ typ: "dpop+jwt", alg: "ES256", jwk, ...header }).sign(key);
}

async function check(text: string, changes: Partial<DpopRequest> = {}): Promise<unknown> {
  return checkDpopProof({ proof: text, method: "POST", url: URL_, now: NOW, ...changes }).catch((error: unknown) => error);
}

test("a good proof gives the key's thumbprint, its name and its nonce [requirement R4]", async () => {
  expect(await check(await proof({ nonce: "n" }))).toEqual({
    thumbprint: expect.stringMatching(/^[\w-]{43}$/),
    jti: "1",
    nonce: "n",
    expires: NOW + DPOP_MAX_AGE,
  });
  expect(await check(await proof(), { url: `${URL_}?a=1#b` })).toMatchObject({ jti: "1" });
  expect(await check(await proof({ htu: "HTTPS://MCP.example:443/mcp" }))).toMatchObject({ jti: "1" });
});

test.each<[string, JWTPayload, Partial<DpopRequest>]>([
  ["htm", { htm: "GET" }, {}],
  ["htm", { htm: undefined as never }, {}],
  ["htu", { htu: "https://mcp.example/other" }, {}],
  ["htu", { htu: "http://mcp.example/mcp" }, {}],
  ["htu", { htu: "mcp" }, {}],
  ["jti", { jti: "" }, {}],
  ["jti", { jti: "x".repeat(257) }, {}],
  ["iat", { iat: (NOW - DPOP_MAX_AGE) / 1_000 - 1 }, {}],
  ["iat", { iat: (NOW + DPOP_MAX_AGE) / 1_000 + 1 }, {}],
  ["nonce", { nonce: 1 }, {}],
  ["ath", {}, { accessToken: "token" }],
  ["ath", { ath: "wrong" }, { accessToken: "token" }],
])("a proof with another %s does not count: %j [requirement R4]", async (member, claims, changes) => {
  const error = await check(await proof(claims), changes);
  expect(error).toBeInstanceOf(DpopProofError);
  expect((error as Error).message).toContain(`"${member}"`);
});

test("a proof of 8192 characters counts, and no longer one", async () => {
  const empty = (await proof({ pad: "" })).length;
  const ofLength = async (length: number): Promise<string> => {
    // Base64 has lengths that no text gives; another member of the header moves them.
    for (const kid of ["", "a", "ab"]) {
      const estimate = Math.floor(((length - empty) * 3) / 4);
      for (let size = estimate - 20; size <= estimate; size++) {
        const text = await proof({ pad: "x".repeat(size) }, { kid });
        if (text.length === length) return text;
      }
    }
    throw new Error(`No proof has ${length} characters`);
  };
  expect(await check(await ofLength(8_192))).toMatchObject({ jti: "1" });
  expect(await check(await ofLength(8_193))).toMatchObject({ message: "it is longer than 8192 characters" });
});

test("a clock that is five minutes off is no reason to refuse [requirement R4]", async () => {
  for (const ms of [-DPOP_MAX_AGE, DPOP_MAX_AGE])
    expect(await check(await proof(), { now: NOW + ms })).toMatchObject({ jti: "1" });
});

test("only a JWT of the right type counts, signed with the public key in it [requirement R4]", async () => {
  const other = await generateKeyPair("ES256");
  const secret = new TextEncoder().encode("0123456789abcdef0123456789abcdef");
  const { privateKey } = keys;
  const bad = [
    await proof({}, { typ: "JWT" }),
    await proof({}, {}, other.privateKey),
    await proof({}, { jwk: await exportJWK(privateKey) }),
    await proof({}, { jwk: undefined as never }),
    await new SignJWT({ jti: "1" })
      .setProtectedHeader({ typ: "dpop+jwt", alg: "HS256", jwk: { kty: "oct", k: "AA" } as never })
      .sign(secret),
    `${btoa(JSON.stringify({ typ: "dpop+jwt", alg: "none", jwk }))}.e30.`,
    "x".repeat(10_000),
  ];
  for (const text of bad) expect(await check(text)).toBeInstanceOf(DpopProofError);
  await fc.assert(fc.asyncProperty(fc.string(), async (text) => (await check(text)) instanceof DpopProofError));
});

test.each(["ES256", "RS256", "PS256", "Ed25519"])(
  "the proofs of an independent client count, signed with %s [requirement R4]",
  async (algorithm) => {
    const handle = oauth.DPoP({}, await oauth.generateKeyPair(algorithm));
    let text = "";
    const capture = (_: string, { headers }: { headers: Record<string, string> }): Promise<Response> => {
      text = headers["dpop"]!;
      return Promise.resolve(new Response());
    };
    const options = { DPoP: handle, [oauth.customFetch]: capture };
    await oauth.protectedResourceRequest("token", "POST", new URL(URL_), new Headers(), null, options);
    const now = Date.now();
    expect(await check(text, { accessToken: "token", now })).toMatchObject({ thumbprint: await handle.calculateThumbprint() });
    expect(await check(text, { accessToken: "another", now })).toBeInstanceOf(DpopProofError);
  },
);
