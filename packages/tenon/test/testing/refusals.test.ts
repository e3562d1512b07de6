// What the authorization server refuses: bad requests of each endpoint, each with an error of the RFC; and where it runs at all.
import { request as httpRequest } from "node:http";
import { describe, expect, test, vi } from "vitest";
import { createTestAuthorizationServer, startAuthorizationServer } from "tenon/testing";
import { authorizationUrl, CALLBACK, discover, post, register, start } from "./support.ts";

const VERIFIER = "v".repeat(43);

describe("registration", () => {
  test.each<[string, unknown, string]>([
    ["no JSON", "{", "invalid_client_metadata"],
    ["an array", [], "invalid_client_metadata"],
    ["null", null, "invalid_client_metadata"],
    ["no redirect URI", {}, "invalid_redirect_uri"],
    ["a redirect URI that is not a string", { redirect_uris: [1] }, "invalid_client_metadata"],
    ["redirect URIs that are not a list", { redirect_uris: CALLBACK }, "invalid_client_metadata"],
    ["too many redirect URIs", { redirect_uris: Array.from({ length: 21 }, () => CALLBACK) }, "invalid_client_metadata"],
    ["a script for a redirect URI", { redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
    ["a web application on this machine", { redirect_uris: [CALLBACK], application_type: "web" }, "invalid_redirect_uri"],
    ["an unknown application type", { redirect_uris: [CALLBACK], application_type: "x" }, "invalid_client_metadata"],
    ["an unknown grant", { redirect_uris: [CALLBACK], grant_types: ["implicit"] }, "invalid_client_metadata"],
    ["an unknown response type", { redirect_uris: [CALLBACK], response_types: ["token"] }, "invalid_client_metadata"],
    [
      "an unknown authentication method",
      { redirect_uris: [CALLBACK], token_endpoint_auth_method: "x" },
      "invalid_client_metadata",
    ],
    [
      "private_key_jwt without keys",
      { redirect_uris: [CALLBACK], token_endpoint_auth_method: "private_key_jwt" },
      "invalid_client_metadata",
    ],
    [
      "invalid keys",
      { redirect_uris: [CALLBACK], token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [1] } },
      "invalid_client_metadata",
    ],
    ["a name that is not a string", { redirect_uris: [CALLBACK], client_name: {} }, "invalid_client_metadata"],
    [
      "dpop_bound_access_tokens that is not a boolean",
      { redirect_uris: [CALLBACK], dpop_bound_access_tokens: "yes" },
      "invalid_client_metadata",
    ],
  ])("%s [M3.3]", async (_, body, error) => {
    const server = await start();
    const response = await fetch(`${server.issuer}/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error, error_description: expect.stringMatching(/./) });
  });

  test("another media type; a body beyond the limit; 20 redirect URIs are taken, unknown members dropped [M3.3]", async () => {
    const server = await start();
    const url = `${server.issuer}/register`;
    const metadata = { redirect_uris: Array.from({ length: 20 }, (_, index) => `http://127.0.0.1/${index}`), unknown: 1 };
    expect((await post(url, JSON.stringify(metadata), { "content-type": "text/plain" })).json["error"]).toBe(
      "invalid_client_metadata",
    );
    const registered = await post(url, JSON.stringify(metadata), { "content-type": "application/json; charset=utf-8" });
    expect(registered.status).toBe(201);
    expect(registered.json).not.toHaveProperty("unknown");
    const large = JSON.stringify({ ...metadata, client_name: "x".repeat(300_000) });
    const refused = await post(url, large, { "content-type": "application/json" });
    expect(refused.status).toBe(413);
  });
});

describe("authorization", () => {
  test.each<[string, Record<string, string | undefined>, string]>([
    ["another response type", { response_type: "token" }, "unsupported_response_type"],
    ["no response type", { response_type: undefined }, "invalid_request"],
    ["no PKCE [M4.1]", { code_challenge: undefined, code_challenge_method: undefined }, "invalid_request"],
    ["plain PKCE [M4.1]", { code_challenge_method: "plain" }, "invalid_request"],
    ["PKCE whose method is not named [M4.1]", { code_challenge_method: undefined }, "invalid_request"],
    ["an invalid challenge [M4.1]", { code_challenge: "short" }, "invalid_request"],
    ["another response mode", { response_mode: "fragment" }, "invalid_request"],
    ["an unknown scope", { scope: "read admin" }, "invalid_scope"],
    ["an invalid list of scopes", { scope: "read  write" }, "invalid_scope"],
    ["a resource with a fragment [M4.2]", { resource: "https://mcp.example/mcp#x" }, "invalid_target"],
    ["a resource that is not a URI [M4.2]", { resource: "mcp" }, "invalid_target"],
    ["an unknown resource [M4.2]", { resource: "https://other.example/" }, "invalid_target"],
  ])("%s: the client gets the error, with state and issuer", async (_, parameters, error) => {
    const server = await start({ scopes: ["read", "write"], resources: ["https://mcp.example/mcp"] });
    const as = await discover(server);
    const client = await register(as);
    const response = await fetch(await authorizationUrl(as, client, VERIFIER, parameters), { redirect: "manual" });
    const location = new URL(response.headers.get("location")!);
    expect(location.href.startsWith(`${CALLBACK}?`)).toBe(true);
    expect(Object.fromEntries(location.searchParams)).toEqual({
      error,
      error_description: expect.stringMatching(/./),
      state: "the state",
      iss: server.issuer,
    });
  });

  test.each<[string, Record<string, string | undefined>]>([
    ["an unknown client", { client_id: "nobody" }],
    ["no client", { client_id: undefined }],
    ["a redirect URI that was not registered [M4.5]", { redirect_uri: "https://evil.example/" }],
    ["an invalid redirect URI [M4.5]", { redirect_uri: "javascript:alert(1)" }],
  ])("%s: no redirect", async (_, parameters) => {
    const as = await discover(await start());
    const client = await register(as);
    const response = await fetch(await authorizationUrl(as, client, VERIFIER, parameters), { redirect: "manual" });
    expect({ status: response.status, location: response.headers.get("location") }).toEqual({ status: 400, location: null });
    expect(await response.json()).toMatchObject({ error: "invalid_request" });
  });

  test("a parameter that is sent twice is no request, in the query and in forms; a resource may be", async () => {
    const server = await start();
    const as = await discover(server);
    const client = await register(as);
    const url = await authorizationUrl(as, client, VERIFIER);
    const twice = await fetch(`${url.href}&client_id=${client.client_id}`, { redirect: "manual" });
    expect(await twice.json()).toMatchObject({
      error: "invalid_request",
      error_description: expect.stringContaining('"client_id"'),
    });
    const resources = await fetch(`${url.href}&resource=${encodeURIComponent("https://other.example/")}`, { redirect: "manual" });
    expect(new URL(resources.headers.get("location")!).searchParams.get("code")).toMatch(/./);
    const form = await post(as.token_endpoint!, "grant_type=refresh_token&grant_type=refresh_token");
    expect(form).toMatchObject({ status: 400, json: { error: "invalid_request" } });
  });
});

describe("forms", () => {
  const ENDPOINTS = ["token", "introspect", "revoke", "device_authorization"];

  test.each(ENDPOINTS)("/%s accepts forms only", async (endpoint) => {
    const server = await start();
    for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x"]) {
      const answer = await post(`${server.issuer}/${endpoint}`, '{"grant_type":"refresh_token"}', { "content-type": type });
      expect(answer).toMatchObject({ status: 400, json: { error: "invalid_request" } });
    }
  });

  test.each(["introspect", "revoke", "device_authorization"])("/%s refuses an unknown client", async (endpoint) => {
    const server = await start();
    for (const client of [{}, { client_id: "nobody" }, { client_id: "nobody", client_secret: "x" }] as Record<string, string>[]) {
      const answer = await post(`${server.issuer}/${endpoint}`, { token: "x", ...client });
      expect(answer).toMatchObject({ status: 401, json: { error: "invalid_client" } });
      expect(answer.headers.get("cache-control")).toBe("no-store");
    }
  });

  test("/token names what is missing, what it does not know, and what the client has not registered", async () => {
    const server = await start();
    const as = await discover(server);
    const client = await register(as);
    const errorOf = async (form: Record<string, string>): Promise<unknown> =>
      (await post(as.token_endpoint!, { client_id: client.client_id, ...form })).json;
    expect(await errorOf({})).toMatchObject({ error: "invalid_request", error_description: 'Parameter "grant_type" is missing' });
    expect(await errorOf({ grant_type: "password" })).toMatchObject({ error: "unsupported_grant_type" });
    expect(await errorOf({ grant_type: "client_credentials" })).toMatchObject({ error: "unauthorized_client" });
    expect(await errorOf({ grant_type: "refresh_token" })).toMatchObject({
      error_description: 'Parameter "refresh_token" is missing',
    });
    expect(await errorOf({ grant_type: "authorization_code", code: "x", code_verifier: "x" })).toMatchObject({
      error: "invalid_grant",
    });
    const proof = await post(as.token_endpoint!, { grant_type: "refresh_token", client_id: client.client_id }, { dpop: "x" });
    expect(proof).toMatchObject({ status: 400, json: { error: "invalid_dpop_proof" } });
    server.settings.grantTypes = ["authorization_code"];
    expect(await errorOf({ grant_type: "refresh_token" })).toMatchObject({ error: "unsupported_grant_type" });
    expect((await discover(server)).grant_types_supported).toEqual(["authorization_code"]);
  });

  test("random input never makes it fail: every response is an error of the RFC", async () => {
    const server = await start();
    const bytes = (): string => String.fromCharCode(...crypto.getRandomValues(new Uint8Array(64)));
    for (let i = 0; i < 100; i++) {
      const answer = await post(
        `${server.issuer}/token`,
        bytes(),
        i % 2 === 0 ? {} : { authorization: `Basic ${btoa(bytes())}` },
      );
      expect(answer.status).toBeLessThan(500);
      expect(answer.json["error"]).toMatch(/^[a-z_]+$/);
    }
  });
});

describe("where it runs", () => {
  test("d.2 no host but this machine", async () => {
    for (const host of ["0.0.0.0", "::", "192.168.0.1", "example.com", "127.0.0.1.example.com", ""]) {
      await expect(startAuthorizationServer({ host: host as "127.0.0.1" })).rejects.toThrow(
        /for tests and local work: "host" must be/,
      );
    }
    for (const issuer of ["https://login.example.de", "http://login.example", "http://192.168.0.1", "https://10.0.0.1"]) {
      await expect(createTestAuthorizationServer(issuer)).rejects.toThrow("for tests and local work");
    }
    for (const issuer of [
      "no URL",
      "https://login.example/",
      "https://login.example/a/",
      "https://login.example/a?b",
      "ftp://login.example",
    ]) {
      await expect(createTestAuthorizationServer(issuer)).rejects.toThrow(TypeError);
    }
    expect((await createTestAuthorizationServer("https://login.example/tenant")).issuer).toBe("https://login.example/tenant");
  });

  test.each(["127.0.0.1", "localhost", "::1"] as const)("d.2 on %s it listens on this machine's own address", async (host) => {
    const server = await start({ host });
    expect(new URL(server.issuer).hostname).toBe(host === "::1" ? "[::1]" : host);
    expect((await fetch(`${server.issuer}/jwks`)).status).toBe(200);
  });

  test("not in production", async () => {
    vi.stubEnv("NODE_ENV", "production");
    await expect(startAuthorizationServer()).rejects.toThrow("NODE_ENV is production");
    await expect(createTestAuthorizationServer("https://login.example")).rejects.toThrow("NODE_ENV is production");
  });

  test("a name that was rebound to this machine is refused, and so is a page of another origin [rule R1]", async () => {
    const server = await start();
    const { port } = new URL(server.issuer);
    const status = (headers: Record<string, string>): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        httpRequest({ host: "127.0.0.1", port, path: "/jwks", headers, agent: false }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on("error", reject)
          .end();
      });
    expect(await status({ host: "evil.example" })).toBe(421);
    expect(await status({ origin: "https://evil.example" })).toBe(403);
    expect(await status({ origin: "http://localhost:5173" })).toBe(200);
  });

  test("pages of this machine may talk to it as clients do", async () => {
    const server = await start();
    const origin = "http://localhost:5173";
    const preflight = await fetch(`${server.issuer}/token`, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "dpop" },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe(origin);
    expect(preflight.headers.get("access-control-allow-headers")).toContain("DPoP");
    const answer = await post(`${server.issuer}/token`, {}, { origin });
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
    expect((await post(`${server.issuer}/token`, {})).headers.get("access-control-allow-origin")).toBeNull();
  });

  test("an unknown option is named; a port that is taken is an error; closing twice is not", async () => {
    await expect(startAuthorizationServer({ lifetime: 1 } as object)).rejects.toThrow('has no option "lifetime"');
    const server = await start();
    await expect(startAuthorizationServer({ port: Number(new URL(server.issuer).port) })).rejects.toThrow("EADDRINUSE");
    await server.close();
    await server.close();
    await expect(fetch(server.issuer)).rejects.toThrow("fetch failed");
  });
});
