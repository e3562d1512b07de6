// Clients that anyone can make: floods of them, and documents that they publish.
import { describe, expect, test } from "vitest";
import { memoryStores } from "tenon/stores/memory";
import { VirtualClock } from "../support/virtual-clock.ts";
import {
  consentOf,
  FetchBrowser,
  isBack,
  isConsent,
  logIn,
  redeem,
  REDIRECT,
  register,
  startOAuthSite,
  tokenRequest,
  webClient,
} from "./support.ts";

test("a browser of another origin may register, and asks before", async () => {
  const site = await startOAuthSite();
  const asked = await fetch(`${site.origin}/register`, {
    method: "OPTIONS",
    headers: { origin: "https://app.example.com", "access-control-request-method": "POST" },
  });
  expect([asked.status, await asked.text()]).toEqual([204, ""]);
  expect(Object.fromEntries(asked.headers)).toMatchObject({
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "POST",
    "access-control-allow-headers": "content-type",
  });
  const { status } = await register(site, { redirect_uris: [REDIRECT] });
  expect(status).toBe(201);
});

test("a login whose store has failed ends on a page that shows nothing of it, and the operator learns why", async () => {
  const { keyed } = memoryStores();
  let isDown = false;
  const failing = new Proxy(keyed, {
    get: (target, name: keyof typeof keyed) => {
      const method = target[name];
      if (typeof method !== "function") return method;
      return (...args: unknown[]) => {
        if (isDown) throw new Error("redis://:hunter2@store.example");
        return (method as (...all: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  const site = await startOAuthSite({ stores: { keyed: failing }, secret: new Uint8Array(32) });
  const { browser, page } = await consentOf(site, await webClient(site));
  isDown = true;
  const { status, html, headers } = await browser.go(page.url);
  expect([status, html.includes("This login cannot continue"), html.includes("Try again later")]).toEqual([500, true, true]);
  expect(html).not.toContain("hunter2");
  expect(headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(String(site.errors[0])).toContain("hunter2");
});

describe("floods", () => {
  test("registrations of one address are limited, and those of others are not", async () => {
    const site = await startOAuthSite({ clientAddress: "x-forwarded-for", limits: { registrationsPerHour: 3 } });
    const from = async (address: string): Promise<Response> =>
      fetch(`${site.origin}/register`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-forwarded-for": `203.0.113.9, ${address}` },
        body: JSON.stringify({ redirect_uris: [REDIRECT], token_endpoint_auth_method: "none" }),
      });
    const statuses = await Promise.all([1, 2, 3, 4, 5].map(async () => (await from("198.51.100.1")).status));
    expect(statuses.sort()).toEqual([201, 201, 201, 429, 429]);
    expect((await from("198.51.100.1")).headers.get("retry-after")).toBe("3600");
    expect((await from("198.51.100.2")).status).toBe(201);
  });

  test("clients without a user are dropped after a day, and make room", async () => {
    const clock = new VirtualClock();
    const site = await startOAuthSite({
      stores: memoryStores({ clock }),
      secret: new Uint8Array(32),
      limits: { clients: 2, registrationsPerHour: 100 },
    });
    const used = await webClient(site);
    await logIn(site, new FetchBrowser(), { client_id: used });
    const unused = await webClient(site);
    const { status, body } = await register(site, { redirect_uris: [REDIRECT] });
    expect({ status, text: body.error_description }).toMatchObject({
      status: 400,
      text: expect.stringContaining("too many clients") as string,
    });
    await clock.advance(24 * 60 * 60_000);
    expect((await register(site, { redirect_uris: [REDIRECT] })).status).toBe(201);
    const known = async (client_id: string): Promise<boolean> => isConsent((await consentOf(site, client_id)).page);
    expect([await known(used), await known(unused)]).toEqual([true, false]);
  });

  test("logins of one address are limited", async () => {
    const site = await startOAuthSite({ limits: { loginsPerMinute: 2 } });
    const client_id = await webClient(site);
    const statuses = [];
    for (let times = 0; times < 3; times++) statuses.push((await consentOf(site, client_id)).page.status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  test("a registration that is too long or is no JSON is refused", async () => {
    const site = await startOAuthSite();
    const post = async (body: string): Promise<number> =>
      (await fetch(`${site.origin}/register`, { method: "POST", headers: { "content-type": "application/json" }, body })).status;
    expect(await post(JSON.stringify({ redirect_uris: [REDIRECT], client_name: "x".repeat(60_000) }))).toBe(400);
    expect(await post("[")).toBe(400);
    expect((await register(site, { redirect_uris: [REDIRECT], client_name: "x".repeat(201) })).body.error).toBe(
      "invalid_client_metadata",
    );
    expect((await register(site, { redirect_uris: Array.from({ length: 21 }, (_, n) => `${REDIRECT}${n}`) })).status).toBe(400);
  });
});

describe("metadata documents of clients", () => {
  const ID = "https://client.example.com/app.json";
  const document = { client_id: ID, client_name: "App", redirect_uris: [REDIRECT], token_endpoint_auth_method: "none" };

  test("a client whose id is the URL of its document logs in, and the page names the host", async () => {
    const fetched: string[] = [];
    const site = await startOAuthSite({
      fetching: { allowLoopback: true, fetch: serving(fetched, () => Response.json(document)) },
    });
    const { browser, page } = await consentOf(site, ID);
    expect(page.html).toContain("published by <strong>client.example.com</strong>");
    const code = new URL((await browser.decide(page, "allow", { until: isBack })).url).searchParams.get("code")!;
    expect((await redeem(site, ID, code)).status).toBe(200);
    expect(fetched).toEqual([ID]);
  });

  test.each([
    "https://127.0.0.1/app.json",
    "https://[::1]/app.json",
    "https://169.254.169.254/latest/meta-data",
    "https://10.0.0.1/app.json",
    "https://[::ffff:10.0.0.1]/app.json",
    "https://intranet/app.json",
    "https://db.internal/app.json",
    "https://localhost/app.json",
    "https://client.example.com:22/app.json",
    "https://user:pass@client.example.com/app.json",
    "https://client.example.com/a/../app.json",
    "http://client.example.com/app.json",
  ])("%s is not fetched", async (client_id) => {
    const fetched: string[] = [];
    const site = await startOAuthSite({
      fetching: { allowLoopback: false, fetch: serving(fetched, () => Response.json(document)) },
    });
    expect((await consentOf(site, client_id)).page.status).toBe(400);
    expect(fetched).toEqual([]);
  });

  test.each([
    ["redirects", () => new Response(null, { status: 302, headers: { location: "https://client.example.com/other.json" } })],
    ["is of another client", () => Response.json({ ...document, client_id: `${ID}?other` })],
    ["has a secret", () => Response.json({ ...document, client_secret: "s" })],
    ["is longer than 256 KiB", () => Response.json({ ...document, padding: "x".repeat(300_000) })],
    ["is a page", () => new Response("<p>Hello", { headers: { "content-type": "text/html" } })],
    ["has a redirect URI that runs", () => Response.json({ ...document, redirect_uris: ["javascript:alert(1)"] })],
    ["names another redirect URI", () => Response.json({ ...document, redirect_uris: ["https://evil.example/cb"] })],
  ])("a document that %s makes no client", async (_what, respond) => {
    const fetched: string[] = [];
    const site = await startOAuthSite({ fetching: { allowLoopback: true, fetch: serving(fetched, respond) } });
    const { page } = await consentOf(site, ID);
    expect({ status: page.status, isConsent: isConsent(page) }).toEqual({ status: 400, isConsent: false });
    expect([...new Set(fetched)]).toEqual([ID]);
  });

  test("documents that are fetched for one address are limited, at each endpoint", async () => {
    const fetched: string[] = [];
    const fetching = { allowLoopback: true, fetch: serving(fetched, () => new Response(null, { status: 404 })) };
    const site = await startOAuthSite({ fetching, limits: { documentsPerMinute: 4 } });
    for (let n = 0; n < 4; n++) await consentOf(site, `${ID}?${n}`);
    for (let n = 0; n < 4; n++) await redeem(site, `${ID}?token${n}`, "code");
    expect(fetched).toHaveLength(4);
  });

  test("so are the keys of clients, which are fetched again while there are none", async () => {
    const fetched: string[] = [];
    const fetching = { allowLoopback: true, fetch: serving(fetched, () => new Response("<p>A victim</p>", { status: 404 })) };
    const site = await startOAuthSite({ fetching, limits: { documentsPerMinute: 4 } });
    const keys = { token_endpoint_auth_method: "private_key_jwt", jwks_uri: "https://victim.example.com/" };
    const { body } = await register(site, { redirect_uris: [REDIRECT], ...keys });
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = {
      iss: body.client_id,
      sub: body.client_id,
      aud: site.origin,
      jti: "1",
      exp: Math.floor(Date.now() / 1_000) + 60,
    };
    const client_assertion = `${part({ alg: "ES256", kid: "1" })}.${part(claims)}.${"A".repeat(86)}`;
    for (let n = 0; n < 8; n++) {
      const response = await fetch(`${site.origin}/token`, {
        method: "POST",
        body: new URLSearchParams({
          grant_type: "authorization_code",
          code: "x",
          client_assertion,
          client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        }),
      });
      expect(response.status).toBe(401);
      await response.body?.cancel();
    }
    expect(fetched).toEqual(Array.from({ length: 4 }, () => keys.jwks_uri));
  });
});

/** A web in which one function answers for all clients; the provider of the test is where it is. */
function serving(fetched: string[], respond: () => Response): typeof fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (url.startsWith("http://127.0.0.1")) return fetch(url, init);
    fetched.push(url);
    return respond();
  };
}

test("the URLs of the metadata are those of the issuer, whatever the request says", async () => {
  const site = await startOAuthSite();
  const headers = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https", forwarded: "host=evil.example" };
  const text = await (await fetch(`${site.origin}/.well-known/oauth-authorization-server`, { headers })).text();
  expect(text).not.toContain("evil.example");
  const metadata = JSON.parse(text) as Record<string, unknown>;
  expect(metadata).toMatchObject({
    issuer: site.origin,
    authorization_endpoint: `${site.origin}/authorize`,
    token_endpoint: `${site.origin}/token`,
    code_challenge_methods_supported: ["S256"],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
    scopes_supported: ["notes:read", "notes:write", "offline_access"],
  });
});

test("a token request needs a grant, and nothing else is served", async () => {
  const site = await startOAuthSite();
  expect((await tokenRequest(site, { grant_type: "password", username: "ada", password: "x" })).status).toBe(400);
  for (const path of [
    "/request",
    "/me",
    "/device/auth",
    "/introspection",
    "/session/end",
    "/interaction/abc",
    "/consent/",
    "/register/x",
  ]) {
    expect((await fetch(site.origin + path)).status, path).toBe(404);
  }
});
