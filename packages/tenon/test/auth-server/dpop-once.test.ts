// What a server remembers of proofs, and what it gives out for them: each counts once, and with a nonce where it is to.
import type { JWTPayload } from "jose";
import { afterEach, describe, expect, test, vi } from "vitest";
import { MemoryStateStore } from "tenon/server";
import { bearer, type Authorized, type Refusal } from "tenon/auth";
import { bound, decide, guarding, proof, TOKEN, verdict, type Changes } from "./proofs.ts";
import { protect } from "./support.ts";

afterEach(() => void vi.useRealTimers());

describe("what is remembered [requirement R4 rule R5]", () => {
  test("is bounded: new proofs get a Retry-After, and there is room again when old ones have expired", async () => {
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
      expect(await verdict(decide(auth, { token: "made-up", proof: await proof({ token: "made-up" }) }))).toBe(
        "401 invalid_token",
      );
    expect(await verdict(decide(auth, { proof: await proof() }))).toBe("200");
  });

  test("may be shared by nodes, in any store of states", async () => {
    const store = new MemoryStateStore();
    const [one, other] = [guarding({ store }), guarding({ store })];
    const shown = await proof();
    expect(await verdict(decide(one, { proof: shown }))).toBe("200");
    expect(await verdict(decide(other, { proof: shown }))).toBe("401 invalid_dpop_proof");
  });

  test("if the store fails, every request is refused [R10]", async () => {
    const auth = guarding({ store: { claim: () => Promise.reject(new Error("store down")) } });
    expect(await decide(auth, { proof: await proof() })).toMatchObject({
      status: 503,
      reason: { cause: { message: "store down" } },
    });
  });
});

describe("nonces [requirement R4]", () => {
  const nonceOf = (decided: Authorized | Refusal): string | undefined => {
    const headers = decided.headers ?? [];
    const index = headers.indexOf("DPoP-Nonce");
    return index < 0 ? undefined : headers[index + 1];
  };

  test("a proof without one, or with one that was made up, gets a nonce, and is accepted with it", async () => {
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

  test("an expired nonce is accepted for a while and the response carries the next one; later it is refused", async () => {
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
      http.post(
        "tools/list",
        {},
        { origin: "https://app.example", authorization: "DPoP bound-token", dpop: await proof({ claims }) },
      );
    const refused = await send({});
    const nonce = String(refused.headers["dpop-nonce"]);
    expect([refused.status, refused.headers["access-control-expose-headers"]]).toEqual([
      401,
      expect.stringContaining("DPoP-Nonce"),
    ]);
    expect((await send({ nonce })).headers["dpop-nonce"]).toBeUndefined();
    vi.setSystemTime(Date.now() + 61_000);
    const taken = await send({ nonce });
    expect([taken.status, taken.headers["dpop-nonce"]]).toEqual([200, expect.stringMatching(/^[\w-]{24}$/)]);
  });
});

describe("what the operator reads", () => {
  test.each<[string, string | Changes | undefined, string?]>([
    ["there is none", undefined],
    ["the token is not bound to a key by its thumbprint alone", { token: "bound-twice" }, "bound-twice"],
    ["the token is bound to another key", { token: "bound-to-another" }, "bound-to-another"],
    ['its "jti" is missing or no short text', { claims: { jti: "" } }],
    ['its "htm" is another method', { claims: { htm: "GET" } }],
    ['its "htu" is another URL', { claims: { htu: "https://mcp.example/other" } }],
    ['its "iat" is more than 300 s away', { claims: { iat: 1 } }],
    ['its "nonce" is no text', { claims: { nonce: 1 } }],
    ['its "ath" is not the digest of the token', { token: "free" }],
    ["it is no JWT of type dpop+jwt that is signed with the public key in it", "made-up"],
    ["it was used before", { claims: { jti: "used" } }],
  ])("of a proof that is refused: %s", async (why, shown, token = TOKEN) => {
    const auth = guarding();
    await decide(auth, { proof: await proof({ claims: { jti: "used" } }) });
    const refused = await decide(auth, { token, proof: typeof shown === "object" ? await proof(shown) : shown });
    expect(refused).toMatchObject({ status: 401, reason: { message: `DPoP proof refused: ${why}` } });
  });

  test("of a proof that needs a nonce, whose client reads that as well", async () => {
    const refused = await decide(guarding({ nonce: true }), { proof: await proof() });
    expect(refused).toMatchObject({ reason: { message: "DPoP proof refused: it has no nonce, or an old one" } });
    const told = 'DPoP error="use_dpop_nonce", error_description="The proof must carry the nonce of this response"';
    expect(refused.headers?.[1]).toContain(told);
  });

  test.each([
    ["Bearer", TOKEN, true, "it is bound to a key, and none was shown"],
    ["Bearer", "free", { required: true }, "it is not bound to a key"],
  ])("of a token without a proof, as %s %s", async (scheme, token, options, why) => {
    const refused = await decide(guarding(options), { scheme, token });
    expect(refused).toMatchObject({ status: 401, reason: { message: `Access token refused: ${why}` } });
  });

  test("of a store that fails: the client reads only that it must wait", async () => {
    const auth = guarding({ store: { claim: () => Promise.reject(new Error("store down")) } });
    expect(await decide(auth, { proof: await proof() })).toMatchObject({
      message: "Access tokens cannot be checked at the moment",
      reason: { message: "DPoP proofs cannot be verified" },
    });
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
    expect(
      await verdict(decide(auth, { url: "http://internal:3000/mcp?x=1", proof: await htu("https://mcp.example/mcp") })),
    ).toBe("200");
    expect(await verdict(decide(auth, { url: "/mcp?x=1", proof: await htu("https://MCP.example:443/api/mcp?y#z") }))).toBe("200");
    expect(await verdict(decide(auth, { url: "/mcp", proof: await htu("http://internal:3000/mcp") }))).toBe(
      "401 invalid_dpop_proof",
    );
    expect(await verdict(decide(auth, { url: "/other", proof: await htu("https://mcp.example/mcp") }))).toBe(
      "401 invalid_dpop_proof",
    );
  });
});

test.each([
  [{ maxProofs: 0 }, /"dpop.maxProofs"/],
  [{ nonce: { secret: "short" } }, /"dpop.nonce.secret" must have 32 bytes/],
  [{ nonce: { lifetime: 0 } }, /"dpop.nonce.lifetime"/],
  [{ store: {} as never }, /"dpop.store" needs a method "claim"/],
])("options with wrong values are refused at construction: %j", (dpop, message) => {
  expect(() => guarding(dpop)).toThrow(message);
});
