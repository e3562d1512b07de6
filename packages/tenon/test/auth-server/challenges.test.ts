// How requests without a good token are refused: on every method, path and revision, before anything of them is read.
import { connect } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { bearer, type BearerOptions, type TokenVerifier } from "tenon/auth";
import { createFetchHandler } from "tenon/server";
import type { HttpOptions } from "tenon/server";
import {
  AUDIENCE,
  authorizer,
  bearing,
  challengesOf,
  initialize,
  ISSUER,
  METADATA_URL,
  mirrored,
  protect,
  REVISIONS,
  said,
  server,
  statelessBody,
  TOKENS,
} from "./support.ts";
import { reasonOf, taking } from "./tokens.ts";

const METADATA = `resource_metadata="${METADATA_URL}"`;

describe.each(REVISIONS)("%s", (revision) => {
  test("without a token: 401 with a challenge that names metadata and scopes, and nothing has run [M1.2 M1.3 M1.5]", async () => {
    const http = await protect({ auth: authorizer({ scopes: ["read"] }) });
    const answer = await http.call(revision, undefined, "who");
    expect(answer.status).toBe(401);
    expect(challengesOf(answer)).toBe(`Bearer ${METADATA}, scope="read"`);
    expect(http.calls).toEqual([]);
    expect(http.errors).toEqual([]);
  });

  test("with an unknown token: 401 and invalid_token; the operator gets the reason, without the token [M1.4 M1.5]", async () => {
    const http = await protect();
    const answer = await http.call(revision, "canary-4711", "who");
    expect(answer.status).toBe(401);
    expect(challengesOf(answer)).toBe(`Bearer error="invalid_token", ${METADATA}`);
    expect(answer.text).not.toMatch(/verifier|canary/);
    expect(http.calls).toEqual([]);
    expect(http.errors.map(String)).toEqual(["AccessRefusedError: Access token refused: the verifier does not take it"]);
  });

  test("a request with a valid token is served [M1.4]", async () => {
    const http = await protect();
    expect(JSON.parse(said(await http.call(revision, "ann", "who")))).toMatchObject({ auth: { subject: "ann" } });
    expect(http.errors).toEqual([]);
  });

  test("a session is no authentication: each of its requests needs a token [M1.5 E4.6]", async () => {
    if (revision === "2026-07-28") return expect((await (await protect()).post("ping")).status).toBe(401);
    const http = await protect();
    const opened = await http.raw({ body: initialize(revision), headers: bearing("ann") });
    const headers = { "mcp-session-id": String(opened.headers["mcp-session-id"]), "mcp-protocol-version": revision };
    const body = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "who" } };
    expect((await http.raw({ headers, body })).status).toBe(401);
    expect((await http.raw({ headers, method: "GET" })).status).toBe(401);
    expect((await http.raw({ headers, method: "DELETE" })).status).toBe(401);
    expect((await http.raw({ headers: { ...headers, ...bearing("ann") }, body })).status).toBe(200);
  });
});

describe("every way in [R18]", () => {
  const ways = {
    "POST of a request": { body: statelessBody("tools/list") },
    "POST of a notification": { body: { jsonrpc: "2.0", method: "notifications/cancelled" } },
    "POST of a response": { body: { jsonrpc: "2.0", id: 1, result: {} } },
    "POST of a batch": { body: [statelessBody("tools/list")] },
    "POST of a handshake": { body: initialize("2025-11-25") },
    "POST of nonsense": { body: "{" },
    "POST of another media type": { body: "x", headers: { "content-type": "text/plain" } },
    "POST that takes nothing": { body: "{}", headers: { accept: "text/html" } },
    "POST of too much": { body: "x".repeat(5 * 2 ** 20) },
    "POST to HTTP+SSE": { path: "/mcp?sessionId=abc", body: statelessBody("tools/list") },
    GET: { method: "GET" },
    "GET to go on": { method: "GET", headers: { "last-event-id": "a.1", "mcp-session-id": "a" } },
    DELETE: { method: "DELETE", headers: { "mcp-session-id": "a" } },
    PUT: { method: "PUT" },
    OPTIONS: { method: "OPTIONS" },
    HEAD: { method: "HEAD" },
  };
  const setups: Record<string, HttpOptions> = {
    "with sessions": {},
    "without sessions": { sessions: false },
    "with HTTP+SSE": { httpSse: true },
  };

  describe.each(Object.keys(setups))("%s", (setup) => {
    test.each(Object.keys(ways))("%s without a token is 401 and nothing else [requirement Z4 M1.5]", async (way) => {
      const http = await protect(setups[setup]);
      const answer = await http.raw(ways[way as keyof typeof ways]);
      expect([answer.status, challengesOf(answer)]).toEqual([401, `Bearer ${METADATA}`]);
    });
  });

  test("a stranger's page or host is refused before the token is looked at [requirement Z4]", async () => {
    const verify = vi.fn<TokenVerifier>(() => TOKENS["ann"]);
    const http = await protect({ auth: authorizer({ verify }) });
    for (const [status, headers] of [
      [421, { host: "evil.example" }],
      [403, { origin: "https://evil.example" }],
    ] as const) {
      const answer = await http.raw({ body: initialize("2025-11-25"), headers: { ...headers, ...bearing("ann") } });
      expect([answer.status, answer.headers["www-authenticate"]]).toEqual([status, undefined]);
    }
    expect(verify).not.toHaveBeenCalled();
  });

  test("the body of a refused request is not waited for [M1.9 rule R5]", async () => {
    const http = await protect();
    const head = await new Promise<string>((resolve, reject) => {
      const socket = connect(http.port, "127.0.0.1", () => {
        socket.write(
          "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{",
        );
      });
      socket.on("error", reject);
      socket.once("data", (data) => {
        socket.destroy();
        resolve(data.toString());
      });
    });
    expect(head).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe("what cannot be read is 400 [M1.5]", () => {
  const malformed: Record<string, { path?: string; headers?: Record<string, string | string[]> }> = {
    "no token": { headers: { authorization: "Bearer" } },
    "a space for a token": { headers: { authorization: "Bearer  " } },
    "two tokens": { headers: { authorization: "Bearer a b" } },
    "a list": { headers: { authorization: "Bearer a, Bearer b" } },
    "two headers": { headers: { authorization: ["Bearer ann", "Bearer bob"] } },
    "two headers that are equal": { headers: { authorization: ["Bearer ann", "Bearer ann"] } },
    "two headers, the second another scheme": { headers: { authorization: ["Bearer ann", "Basic YTpi"] } },
    "characters no token has": { headers: { authorization: 'Bearer a"b' } },
    "no scheme": { headers: { authorization: "=" } },
    "an empty header": { headers: { authorization: "" } },
    "M4.6 a token in the URL": { path: "/mcp?access_token=ann" },
    "M4.6 a token in the URL beside the header": { path: "/mcp?a=1&access_token=ann", headers: bearing("ann") },
    "M4.6 a token in the URL under an escaped name": { path: "/mcp?%61ccess%5ftoken=ann", headers: bearing("ann") },
    "M4.6 an empty token in the URL": { path: "/mcp?ACCESS_TOKEN", headers: bearing("ann") },
  };
  test.each(Object.keys(malformed))("%s", async (what) => {
    const http = await protect();
    const answer = await http.raw({ body: statelessBody("tools/list"), ...malformed[what] });
    expect([answer.status, challengesOf(answer)]).toEqual([400, `Bearer error="invalid_request", ${METADATA}`]);
    expect(http.errors.map(String)).toEqual(["AccessRefusedError: Malformed credentials"]);
  });

  test("a token in the URL is refused, also beside a header whose token is valid [M4.6]", async () => {
    const http = await protect({ auth: authorizer({ cacheTtl: 60_000 }) });
    expect((await http.post("tools/list", {}, bearing("ann"))).status).toBe(200);
    const headers = { ...bearing("ann"), ...mirrored("tools/list", {}) };
    expect((await http.raw({ path: "/mcp?x=1", headers, body: statelessBody("tools/list") })).status).toBe(200);
    expect((await http.raw({ path: "/mcp?access_token=ann", headers, body: statelessBody("tools/list") })).status).toBe(400);
  });

  test.each(["Basic YTpi", "DPoP ann", "Negotiate", "bearerish ann", "Digest a=b"])(
    "another scheme is as good as none: 401 without an error (%s)",
    async (authorization) => {
      const http = await protect();
      const answer = await http.raw({ body: statelessBody("tools/list"), headers: { authorization } });
      expect([answer.status, challengesOf(answer)]).toEqual([401, `Bearer ${METADATA}`]);
    },
  );

  test("the name of the scheme is read in any case", async () => {
    const http = await protect();
    for (const scheme of ["bearer", "BEARER", "bEaReR"]) {
      expect((await http.post("tools/list", {}, { authorization: `${scheme} ann` })).status).toBe(200);
    }
  });
});

describe("createFetchHandler", () => {
  const handler = (): ((request: Request) => Promise<Response>) =>
    createFetchHandler(server({ calls: [], errors: [] }), { auth: authorizer() });
  const request = (headers: [string, string][], path = "/mcp"): Request =>
    new Request(`http://localhost${path}`, {
      method: "POST",
      headers: [["content-type", "application/json"], ["accept", "application/json, text/event-stream"], ...headers],
      body: JSON.stringify(statelessBody("tools/list")),
    });

  test("refuses and challenges as a socket does [M1.2]", async () => {
    const fetch = handler();
    const refused = await fetch(request([]));
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, `Bearer ${METADATA}`]);
    expect((await fetch(request([["authorization", "Bearer ann"]], "/mcp?access_token=ann"))).status).toBe(400);
    const two = await fetch(request([["authorization", "Bearer ann"], ["authorization", "Bearer bob"]])); // oxfmt-ignore
    expect(two.status).toBe(400);
    const version: [string, string][] = [["mcp-protocol-version", "2026-07-28"], ["mcp-method", "tools/list"]]; // oxfmt-ignore
    expect((await fetch(request([["authorization", "Bearer ann"], ...version]))).status).toBe(200);
  });

  test("a token of 100 KB is not looked at [fault O8]", async () => {
    expect((await handler()(request([["authorization", `Bearer ${"a".repeat(100_000)}`]]))).status).toBe(400);
  });
});

describe("A verifier", () => {
  test("that fails refuses every request, and the client keeps its token: 503 [R10]", async () => {
    for (const verify of [
      () => Promise.reject(new Error("database down: secret")),
      () => {
        throw new Error("database down: secret");
      },
    ]) {
      // oxfmt-ignore
      const http = await protect({ auth: authorizer({ verify }) });
      const answer = await http.call("2026-07-28", "ann", "who");
      expect([answer.status, answer.headers["retry-after"], answer.headers["www-authenticate"]]).toEqual([503, "5", undefined]);
      expect(answer.text).not.toContain("secret");
      expect(http.errors).toMatchObject([
        { message: "Access tokens cannot be verified", cause: { message: "database down: secret" } },
      ]);
    }
  });

  test("an authorizer that throws refuses every request: 500 [R10]", async () => {
    for (const authorize of [
      () => Promise.reject(new Error("secret")),
      () => {
        throw new Error("secret");
      },
    ]) {
      // oxfmt-ignore
      const http = await protect({ auth: { authorize, insufficientScope: () => ({ status: 403, headers: [], message: "" }) } });
      const answer = await http.call("2026-07-28", "ann", "who");
      expect([answer.status, answer.text.includes("secret")]).toEqual([500, false]);
      expect(http.errors).toMatchObject([{ message: "secret" }]);
    }
  });
});

const NOW = 1_800_000_000_000;

describe("what a verifier says of a token is held to issuer, audience, time and identity [R14]", () => {
  const good = TOKENS["ann"]!;
  const refused: Record<string, object> = {
    "no audience": { ...good, audience: undefined },
    "an empty audience": { ...good, audience: [] },
    "another audience": { ...good, audience: "https://mcp.example/other" },
    "the audience's origin": { ...good, audience: "https://mcp.example" },
    "a longer audience": { ...good, audience: `${AUDIENCE}x` },
    "the audience in another case": { ...good, audience: "https://mcp.example/MCP" },
    "others' audiences": { ...good, audience: ["https://a.example", "https://b.example"] },
    "another issuer": { ...good, issuer: "https://evil.example" },
    "an issuer with a path more": { ...good, issuer: `${ISSUER}/x` },
    nobody: { audience: AUDIENCE },
    "nobody with names": { audience: AUDIENCE, subject: "", clientId: "" },
    "it has expired": { ...good, expiresAt: Date.now() - 61_000 },
    "a time that is none": { ...good, expiresAt: Number.NaN },
    "a key it is bound to": { ...good, claims: { cnf: { jkt: "x" } } },
    "a certificate it is bound to": { ...good, claims: { cnf: { "x5t#S256": "x" } } },
  };
  test.each(Object.keys(refused))("%s", async (what) => {
    const verify = (): never => ({ issuer: ISSUER, ...refused[what] }) as never;
    const http = await protect({ auth: authorizer({ verify }) });
    const answer = await http.call("2026-07-28", "token", "who");
    expect([answer.status, challengesOf(answer)]).toEqual([401, `Bearer error="invalid_token", ${METADATA}`]);
    expect(http.errors[0]?.message).toMatch(/^Access token refused: its? /);
    expect(http.calls).toEqual([]);
  });

  const taken: Record<string, object> = {
    "the issuer with a slash at its end": { ...good, issuer: `${ISSUER}/` },
    "Z18 a slash at its end": { ...good, audience: `${AUDIENCE}/` },
    "one of several": { ...good, audience: ["https://a.example", AUDIENCE] },
    "an expiry within the tolerance": { ...good, expiresAt: Date.now() - 30_000 },
    "a client without a subject": { ...good, subject: undefined },
  };
  test.each<[string, object, string]>([
    ["expired 59 999 ms ago", { expiresAt: NOW - 59_999 }, "taken"],
    ["expired 60 000 ms ago", { expiresAt: NOW - 60_000 }, "401 Access token refused: it has expired"],
    ["is good in 60 s", { claims: { nbf: NOW / 1_000 + 60 } }, "taken"],
    ["is good in 61 s", { claims: { nbf: NOW / 1_000 + 61 } }, "401 Access token refused: it is not good yet"],
  ])("with the default tolerance, to the millisecond: a token that %s", async (_, claims, verdict) => {
    vi.useFakeTimers({ toFake: ["Date"], now: NOW });
    onTestFinished(() => void vi.useRealTimers());
    const take = taking(authorizer({ verify: () => ({ issuer: ISSUER, ...good, ...claims }) as never }));
    expect(await reasonOf(take("token"))).toContain(verdict);
  });

  test.each(Object.keys(taken))("taken: %s", async (what) => {
    const http = await protect({ auth: authorizer({ verify: () => ({ issuer: ISSUER, ...taken[what] }) as never }) });
    expect((await http.call("2026-07-28", "token", "who")).status).toBe(200);
  });
});

describe("bearer()", () => {
  const good: BearerOptions = { issuer: ISSUER, audience: AUDIENCE, verify: () => undefined };
  const bad: Record<string, [object, RegExp]> = {
    "R14 no audience": [{ audience: undefined }, /option "audience".*would open this one/],
    "R14 an empty audience": [{ audience: "" }, /option "audience"/],
    "R14 no audience in a list": [{ audience: [] }, /option "audience"/],
    "no issuer": [{ issuer: undefined }, /option "issuer"/],
    "an issuer that is no URL": [{ issuer: "login" }, /"issuer" must be an https URL.*"login"/],
    "an issuer over http": [{ issuer: "http://login.example" }, /"issuer" must be an https URL/],
    "an issuer with a query": [{ issuer: `${ISSUER}?a` }, /"issuer"/],
    "an audience that is no URL, without a resource": [{ audience: "api" }, /"audience" must be the URL clients use/],
    "a resource over http": [{ resource: "http://mcp.example/mcp" }, /"resource" must be https/],
    "a resource with a fragment": [{ resource: `${AUDIENCE}#a` }, /"resource" must be a URL without/],
    "a scope with a space": [{ scopes: ["a b"] }, /"scopes".*"a b"/],
    "a scope with a quote": [{ scopes: ['a"'] }, /"scopes"/],
    "scopes as one string": [{ scopes: "read" }, /"scopes"/],
    "M1.7 offline_access": [{ scopes: ["offline_access"] }, /"scopes".*offline_access/],
    "M1.7 offline_access in the metadata": [{ scopesSupported: ["read", "offline_access"] }, /"scopesSupported".*offline_access/],
    "a tolerance of an hour": [{ clockTolerance: 3_600_000 }, /"clockTolerance".*600000/],
    "a negative tolerance": [{ clockTolerance: -1 }, /"clockTolerance"/],
  };
  test.each(Object.keys(bad))("is refused when it is made: %s", (what) => {
    const [options, message] = bad[what]!;
    expect(() => bearer({ ...good, ...options })).toThrow(message);
  });

  test("an endpoint takes nothing else for its option", () => {
    const made = server({ calls: [], errors: [] });
    expect(() => createFetchHandler(made, { auth: {} as never })).toThrow(/"auth" must be an authorizer/);
    expect(() => createFetchHandler(made, { auth: "secret" as never })).toThrow(TypeError);
  });
});
