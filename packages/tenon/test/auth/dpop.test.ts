import type { IncomingMessage, ServerResponse } from "node:http";
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, EmbeddedJWK, jwtVerify, type JWTPayload } from "jose";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { connect } from "tenon";
import { clientCredentials, MemoryStore, type OAuthOptions } from "tenon/auth";
import { asked, authorizationServer, login, loginFailure, open, protect, type ProtectedServer } from "./support.ts";

const ALGORITHMS = ["ES256", "ES384", "ES512", "Ed25519", "PS256", "RS256"] as const;

/** The claims of a proof whose signature is good, and the key it was made with. */
async function proven(proof: string | undefined): Promise<{ claims: JWTPayload; key: string }> {
  expect(proof).toBeDefined();
  const { jwk, typ } = decodeProtectedHeader(proof!);
  expect(typ).toBe("dpop+jwt");
  for (const secret of ["d", "p", "q", "dp", "dq", "qi", "k"]) expect(jwk).not.toHaveProperty(secret);
  const { payload } = await jwtVerify(proof!, EmbeddedJWK, { clockTolerance: 600 });
  return { claims: payload, key: await calculateJwkThumbprint(jwk!) };
}

async function digest(text: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toString("base64url");
}

/** Requests to the MCP endpoint that came with a token. */
function presented({ sent }: ProtectedServer): ProtectedServer["sent"] {
  return sent.filter(({ authorization }) => authorization !== undefined);
}

describe("DPoP [requirement R4]", () => {
  test.each(ALGORITHMS)("a token bound to a key, and a fresh proof with each request (%s)", async (algorithm) => {
    const as = await authorizationServer();
    const server = await protect(as);
    const client = await open(server, { dpop: { algorithm } });
    await client.callTool("echo");
    await client.callTool("echo");
    const requests = presented(server);
    const [atIssuer] = asked(as, "token");
    const { claims, key } = await proven(atIssuer?.headers["dpop"]);
    expect(claims).toMatchObject({ htm: "POST", htu: `${as.issuer}/token` });
    expect(claims).not.toHaveProperty("ath");
    const names = new Set([claims.jti]);
    for (const { authorization, dpop, method } of requests) {
      const token = authorization!.replace("DPoP ", "");
      const proof = await proven(dpop);
      expect(authorization).toMatch(/^DPoP /);
      expect(proof.key).toBe(key);
      expect(proof.claims).toMatchObject({ htm: method, htu: server.url, ath: await digest(token) });
      expect((decodeJwt(token) as { cnf?: { jkt?: string } }).cnf?.jkt).toBe(key);
      names.add(proof.claims.jti);
    }
    expect(names.size).toBe(requests.length + 1);
    expect(asked(as, "register")[0]?.body).toMatchObject({ dpop_bound_access_tokens: true });
  });

  test("the key is kept beside the tokens, so that another process can use both", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    const store = new MemoryStore();
    await (await open(server, { store, dpop: true })).close();
    const again = await open(server, { store, dpop: true });
    server.guarding.expired.add(server.tokens()[0]!);
    await again.callTool("echo");
    const keys = await Promise.all(
      [...presented(server).map(({ dpop }) => dpop), ...asked(as, "token").map(({ headers }) => headers["dpop"])].map(proven),
    );
    expect(new Set(keys.map(({ key }) => key)).size).toBe(1);
    expect(asked(as, "token").map(({ parameters }) => parameters["grant_type"])).toEqual(["authorization_code", "refresh_token"]);
  });

  test("where the server's metadata requires it, without an option; never where the option says no", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    server.guarding.metadata!["dpop_bound_access_tokens_required"] = true;
    await open(server);
    expect(presented(server)[0]?.authorization).toMatch(/^DPoP /);
    const other = await protect(as);
    other.guarding.metadata!["dpop_bound_access_tokens_required"] = true;
    await open(other, { dpop: false });
    expect(presented(other)[0]?.authorization).toMatch(/^Bearer /);
  });

  test("an issuer that binds nothing is not used as if it had", async () => {
    const as = await authorizationServer();
    as.settings.alterResponse = (answer, { endpoint }) => (endpoint === "token" ? { ...answer, token_type: "Bearer" } : answer);
    const server = await protect(as);
    expect(await loginFailure(server, { dpop: true })).toMatchObject({
      hop: "token",
      remedy: expect.stringContaining('option "dpop"') as string,
    });
    expect(presented(server)).toEqual([]);
  });

  test("with every grant", async () => {
    const as = await authorizationServer({ clients: [{ client_id: "machine", client_secret: "s" }], dpop: "required" });
    const server = await protect(as);
    const auth = clientCredentials({ issuer: as.issuer, client: { id: "machine", secret: "s" }, dpop: true });
    await (await connect(server.url, { auth })).close();
    expect(presented(server)[0]?.authorization).toMatch(/^DPoP /);
  });

  test("more claims may be added, for a draft that wants the body's digest, and replace none [Z17]", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    const claims: NonNullable<Exclude<OAuthOptions["dpop"], boolean | undefined>["claims"]> = async ({ body }) => ({
      htm: "GET",
      jti: "the same",
      ...(body !== undefined && {
        content_digest: `sha-256=:${Buffer.from(await digest(body), "base64url").toString("base64")}:`,
      }),
    });
    const client = await open(server, { dpop: { claims } });
    await client.callTool("echo");
    for (const { dpop } of presented(server)) {
      expect((await proven(dpop)).claims).toMatchObject({
        htm: "POST",
        content_digest: expect.stringMatching(/^sha-256=:.{44}:$/) as string,
      });
    }
    expect(new Set(await Promise.all(presented(server).map(async ({ dpop }) => (await proven(dpop)).claims.jti))).size).toBe(
      presented(server).length,
    );
  });
});

describe("nonces [requirement R4 M5.4]", () => {
  /** A server that takes no proof without its nonce, which is another after so many requests. */
  function demanding(server: ProtectedServer, every: number): { refused: () => number } {
    let number = 1;
    let taken = 0;
    let refused = 0;
    server.guarding.instead = (request: IncomingMessage, response: ServerResponse) => {
      const { dpop, authorization } = request.headers;
      if (request.url !== "/mcp" || authorization === undefined) return false;
      const { nonce } = decodeJwt(String(dpop));
      if (nonce === `nonce ${number}`) {
        if (++taken % every === 0) response.setHeader("dpop-nonce", `nonce ${++number}`);
        return false;
      }
      refused++;
      response.writeHead(401, { "www-authenticate": 'DPoP error="use_dpop_nonce"', "dpop-nonce": `nonce ${number}` }).end();
      return true;
    };
    return { refused: () => refused };
  }

  test("of the issuer and of the server are obeyed, once each, and the call keeps its body", async () => {
    const as = await authorizationServer({ dpopNonces: true });
    const server = await protect(as);
    const { refused } = demanding(server, 1_000);
    const client = await open(server, { dpop: true });
    expect((await client.callTool("echo", { text: "é" })).text).toBe('{"text":"é"}');
    expect(refused()).toBe(1);
    expect(asked(as, "token").map(({ status }) => status)).toEqual([400, 200]);
    expect(asked(as, "authorize")).toHaveLength(1);
  });

  test("a new one that comes with a response is used at once: nothing is sent twice", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    const { refused } = demanding(server, 1);
    const client = await open(server, { dpop: true });
    for (let call = 0; call < 5; call++) await client.callTool("echo");
    expect(refused()).toBe(1);
  });

  test("one that is never right ends the call", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    let number = 0;
    server.guarding.instead = (request, response) => {
      if (request.url !== "/mcp" || request.headers.authorization === undefined) return false;
      response.writeHead(401, { "www-authenticate": 'DPoP error="use_dpop_nonce"', "dpop-nonce": `nonce ${++number}` }).end();
      return true;
    };
    expect(await loginFailure(server, { dpop: true })).toMatchObject({ hop: "access" });
    expect(number).toBeLessThanOrEqual(6);
    expect(asked(as, "authorize").length).toBeLessThanOrEqual(2);
  });

  test("the request that ends a session is signed with a new proof too", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    const client = await connect(server.url, { auth: login({ dpop: true }), revision: "2025-11-25" });
    await client.callTool("echo");
    demanding(server, 1_000);
    await client.close();
    const ends = presented(server).filter(({ method }) => method === "DELETE");
    expect(ends.map(({ status }) => status)).toEqual([401, 204]);
  });
});

describe("clocks [requirement R4]", () => {
  test.each([-6, 6])("a server whose clock is %d minutes off says so, and is believed", async (minutes) => {
    const as = await authorizationServer();
    const server = await protect(as);
    const client = await open(server, { dpop: true });
    const skew = minutes * 60_000;
    server.guarding.instead = (request, response) => {
      const { dpop } = request.headers;
      if (request.url !== "/mcp" || dpop === undefined) return false;
      const now = Date.now() + skew;
      if (Math.abs(now - decodeJwt(String(dpop)).iat! * 1000) <= 5 * 60_000) return false;
      response.writeHead(401, { "www-authenticate": 'DPoP error="invalid_dpop_proof"', date: new Date(now).toUTCString() }).end();
      return true;
    };
    expect((await client.callTool("echo", { a: 1 })).text).toBe('{"a":1}');
    await client.callTool("echo");
    expect(server.sent.filter(({ dpop, status }) => dpop !== undefined && status === 401)).toHaveLength(1);
    expect(asked(as, "token")).toHaveLength(1);
  });

  test("the local clock is five minutes off", async () => {
    for (const minutes of [-5, 5]) {
      const now = Date.now();
      const as = await authorizationServer({ clock: () => now });
      const server = await protect(as);
      vi.useFakeTimers({ toFake: ["Date"], now: now + minutes * 60_000 });
      onTestFinished(() => void vi.useRealTimers());
      await open(server, { dpop: true });
      expect(asked(as, "authorize")).toHaveLength(1);
      vi.useRealTimers();
    }
  });
});
