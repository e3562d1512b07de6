// What attackers do to an authorization server in front of a provider that knows its users and asks them nothing.
import { describe, expect, test } from "vitest";
import { memoryStores } from "tenon/stores/memory";
import { VirtualClock } from "../support/virtual-clock.ts";
import {
  authorizeUrl,
  callbackOf,
  consentOf,
  FetchBrowser,
  isBack,
  isConsent,
  logIn,
  REDIRECT,
  register,
  startOAuthSite,
  webClient,
  type Visit,
} from "./support.ts";

describe("redirect URIs", () => {
  test.each([
    "https://app.example.com/callback/",
    "https://app.example.com/callback?next=1",
    "https://app.example.com/Callback",
    "https://app.example.com:8443/callback",
    "https://app.example.com.evil.example/callback",
    "https://evil.example/callback",
    "http://app.example.com/callback",
    "https://app.example.com@evil.example/callback",
    "https://app.example.com/callback#x",
    "//evil.example/callback",
    "javascript:alert(1)",
  ])("%s is not that of the client: a page, and no redirect", async (redirect_uri) => {
    const site = await startOAuthSite();
    const client_id = await webClient(site);
    for (const more of [{}, { response_type: "token" }, { code_challenge_method: "plain" }, { prompt: "none" }]) {
      const browser = new FetchBrowser();
      const { status, html, url } = await browser.go(authorizeUrl(site, { client_id, redirect_uri, ...more }));
      expect({ status, visited: browser.visited.length, at: new URL(url).origin }).toEqual({
        status: 400,
        visited: 1,
        at: site.origin,
      });
      expect(html).not.toContain("evil.example");
    }
  });

  test.each([
    ["javascript:alert(1)", {}],
    ["JavaScript:alert(1)", {}],
    ["data:text/html,x", {}],
    ["file:///etc/passwd", {}],
    ["ms-msdt:/id", {}],
    ["http://evil.example/cb", {}],
    ["http://127.0.0.1.evil.example/cb", {}],
    ["https://user:pass@app.example.com/cb", {}],
    ["https://app.example.com/cb#fragment", {}],
    ["https://app.example.com/c b", {}],
    ["/cb", {}],
    ["https://evil.example/cb", { redirectHosts: ["app.example.com"] }],
    ["cursor://anysphere/cb", { redirectSchemes: [] }],
  ])("a client with %s cannot register", async (uri, options) => {
    const site = await startOAuthSite(options);
    for (const uris of [[uri], [REDIRECT, uri]]) {
      for (const application_type of [undefined, "native", "web"]) {
        const { status, body } = await register(site, { redirect_uris: uris, ...(application_type && { application_type }) });
        expect({ status, error: body.error }).toEqual({ status: 400, error: "invalid_redirect_uri" });
      }
    }
  });

  test("a program on this computer may use any port, and no other path", async () => {
    const site = await startOAuthSite({ redirectSchemes: ["editor"] });
    const { body } = await register(site, { redirect_uris: ["http://127.0.0.1:1/cb", "editor://login"] });
    const at = async (redirect_uri: string): Promise<boolean> =>
      isConsent((await consentOf(site, body.client_id, { redirect_uri })).page);
    expect(await at("http://127.0.0.1:50123/cb")).toBe(true);
    expect(await at("editor://login")).toBe(true);
    for (const other of ["http://127.0.0.1:1/other", "http://localhost:1/cb", "http://evil.example/cb", "editor://evil"])
      expect(await at(other)).toBe(false);
  });
});

describe("the consent page", () => {
  test("comes before the provider, for every client that this user has not allowed [M1.8]", async () => {
    const site = await startOAuthSite();
    const [first, second, browser] = [await webClient(site), await webClient(site), new FetchBrowser()];
    const asks = async (client_id: string, more: Record<string, string> = {}): Promise<boolean> =>
      isConsent(
        await browser.go(authorizeUrl(site, { client_id, redirect_uri: REDIRECT, scope: "notes:read", ...more }), {
          until: isBack,
        }),
      );
    expect(await asks(first)).toBe(true);
    expect(site.upstream.logins).toHaveLength(0); // the provider would have said yes at once
    await logIn(site, browser, { client_id: first, scope: "notes:read" });
    expect(site.upstream.logins).toHaveLength(1);
    expect(await asks(first)).toBe(false);
    expect(await asks(second)).toBe(true);
    expect(await asks(first, { scope: "notes:read notes:write" })).toBe(true);
    expect(await asks(first, { prompt: "consent" })).toBe(true);
    expect(site.upstream.logins).toHaveLength(1);
  });

  test("comes each time for a program on this computer, and for another redirect URI of a client", async () => {
    const site = await startOAuthSite();
    const other = "https://app.example.com/other";
    const { body } = await register(site, { redirect_uris: ["http://127.0.0.1:9/cb"] });
    const [local, web, browser] = [
      body.client_id,
      await webClient(site, { redirect_uris: [REDIRECT, other] }),
      new FetchBrowser(),
    ];
    for (let times = 0; times < 2; times++) {
      const page = await browser.go(authorizeUrl(site, { client_id: local, redirect_uri: "http://127.0.0.1:9/cb" }), {
        until: isBack,
      });
      expect(isConsent(page)).toBe(true);
      expect(page.html).toContain("this computer (127.0.0.1:9)");
      expect((await browser.decide(page, "allow", { until: isBack })).url).toContain("code=");
    }
    await logIn(site, browser, { client_id: web });
    expect(isConsent(await browser.go(authorizeUrl(site, { client_id: web, redirect_uri: other }), { until: isBack }))).toBe(
      true,
    );
  });

  test("shows text of a client as text, without what hides or reorders it", async () => {
    const site = await startOAuthSite();
    const client_name = `Claude</dd><script>alert(1)</script><img src=x onerror=alert(1)> \u202Eevil\u202C\u0000\u{E0041}"'`;
    const { page } = await consentOf(site, await webClient(site, { client_name, logo_uri: "https://evil.example/logo.png" }));
    expect(page.html).toContain("Claude&lt;/dd&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(page.html).not.toMatch(/<script|<img|\u202E|\u{E0041}|logo\.png/u);
    expect(page.html.includes("\0")).toBe(false);
    expect(page.html).toContain("No one has checked this name.");
    expect(page.html).toContain("<dd>app.example.com<small>https://app.example.com/callback</small></dd>");
  });

  test("cannot be framed, and loads nothing", async () => {
    const site = await startOAuthSite();
    const { headers } = (await consentOf(site, await webClient(site))).page;
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[^;]*; base-uri 'none'; frame-ancestors 'none'; form-action 'self' /,
    );
    for (const redirect_uri of ["https://evil;sandbox/cb", "https://a,sandbox/cb", "https://*/cb"]) {
      const { body } = await register(site, { redirect_uris: [redirect_uri], token_endpoint_auth_method: "none" });
      const shown = await new FetchBrowser().go(authorizeUrl(site, { client_id: body.client_id, redirect_uri }));
      expect(isConsent(shown)).toBe(true);
      expect(shown.headers.get("content-security-policy")).toMatch(/form-action 'self' https: http:\/\/127\.0\.0\.1:\d+$/);
    }
    const refused = await new FetchBrowser().go(authorizeUrl(site, { client_id: "unknown", redirect_uri: REDIRECT }));
    expect(refused.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  });

  test("takes a decision from its own form in the same browser only", async () => {
    const site = await startOAuthSite();
    const client_id = await webClient(site);
    const [{ browser, page }, attacker] = [await consentOf(site, client_id), await consentOf(site, client_id)];
    const proof = (visit: Visit): string => /name="proof" value="([^"]*)"/.exec(visit.html)![1]!;
    const post = async (fields: Record<string, string>, headers: Record<string, string> = {}, from = browser): Promise<number> =>
      (await from.go(page.url, { form: new URLSearchParams({ decision: "allow", ...fields }), headers, until: isBack })).status;
    expect(await post({})).toBe(403);
    expect(await post({ proof: "" })).toBe(403);
    expect(await post({ proof: proof(attacker.page) })).toBe(403);
    expect(await post({ proof: proof(page) }, { origin: "https://evil.example" })).toBe(403);
    expect(await post({ proof: proof(page) }, { origin: "null" })).toBe(403);
    expect(await post({ proof: proof(page) }, { "content-type": "text/plain" })).toBe(403);
    expect(await post({ proof: proof(page), padding: "x".repeat(9_000) })).toBe(403);
    expect(await post({ proof: proof(page) }, {}, attacker.browser)).toBe(400); // it has not begun this login
    expect(await post({ proof: proof(page), decision: "perhaps" })).toBe(400);
    expect(site.upstream.logins).toHaveLength(0);
    expect(await post({ proof: proof(page) })).toBe(0);
    expect(site.upstream.logins).toHaveLength(1);
  });

  test("a user who denies sends the client an error, and no one to the provider", async () => {
    const site = await startOAuthSite();
    const { browser, page } = await consentOf(site, await webClient(site));
    const { searchParams } = new URL((await browser.decide(page, "deny", { until: isBack })).url);
    expect(Object.fromEntries(searchParams)).toMatchObject({ error: "access_denied", state: "s1", iss: site.origin });
    expect(site.upstream.logins).toHaveLength(0);
  });
});

describe("the callback of the provider", () => {
  test("a login that one browser began is not finished by another [M1.8]", async () => {
    const site = await startOAuthSite();
    const client_id = await webClient(site);
    const { browser, page } = await consentOf(site, client_id); // the attacker agrees, and sends the provider's page to a victim
    const callback = await callbackOf(site, browser, page);
    const fresh = await new FetchBrowser().go(callback);
    expect([fresh.status, fresh.html.includes("another browser")]).toEqual([400, true]);
    const victim = await consentOf(site, client_id); // the victim has a login of its own under way
    expect((await victim.browser.go(callback)).status).toBe(400);
    expect(site.upstream.exchanges).toBe(0);
    expect((await browser.go(callback, { until: isBack })).url).toContain("code="); // and the one that began still can
  });

  test("is taken once", async () => {
    const site = await startOAuthSite();
    const { browser, page } = await consentOf(site, await webClient(site));
    const callback = await callbackOf(site, browser, page);
    const both = await Promise.all([browser.go(callback, { until: isBack }), browser.go(callback, { until: isBack })]);
    expect(both.map(({ status }) => status).sort()).toEqual([0, 400]);
    expect((await browser.go(callback)).status).toBe(400);
    expect(site.upstream.exchanges).toBe(1);
  });

  test.each([
    "",
    "?code=x",
    "?code=x&state=",
    "?code=x&state=AAAAAAAAAAAAAAAAAAAAAA",
    "?error=access_denied&state=<script>alert(1)</script>",
    "?state=a&state=b",
  ])("%s was not begun here: a constant page", async (query) => {
    const site = await startOAuthSite();
    const { browser } = await consentOf(site, await webClient(site));
    const { status, html } = await browser.go(`${site.origin}/callback${query}`);
    expect({ status, html: html.includes("alert") }).toEqual({ status: 400, html: false });
    expect(site.upstream.exchanges).toBe(0);
  });

  test("a response of another provider is refused before its code is used", async () => {
    const site = await startOAuthSite();
    const { browser, page } = await consentOf(site, await webClient(site));
    const callback = `${await callbackOf(site, browser, page)}&iss=${encodeURIComponent("https://evil.example")}`;
    expect((await browser.go(callback, { until: isBack })).url).toContain("error=access_denied");
    expect(site.upstream.exchanges).toBe(0);
    expect(site.errors).toHaveLength(1);
  });

  test("a code that the provider did not issue for this login gives nothing", async () => {
    const site = await startOAuthSite();
    const [one, two] = [await consentOf(site, await webClient(site)), await consentOf(site, await webClient(site))];
    const stolen = new URL(await callbackOf(site, two.browser, two.page)).searchParams.get("code")!;
    const callback = new URL(await callbackOf(site, one.browser, one.page));
    callback.searchParams.set("code", stolen); // the verifier is that of another login
    expect((await one.browser.go(callback.href, { until: isBack })).url).toContain("error=access_denied");
    expect(site.errors).toHaveLength(1);
  });

  test("a login that takes too long has expired", async () => {
    const clock = new VirtualClock();
    const site = await startOAuthSite({ stores: memoryStores({ clock }), secret: new Uint8Array(32) });
    const { browser, page } = await consentOf(site, await webClient(site));
    const callback = await callbackOf(site, browser, page);
    await clock.advance(10 * 60_000);
    expect((await browser.go(callback)).html).toContain("expired");
    expect(site.upstream.exchanges).toBe(0);
  });

  test.each(["", null, 1.5, 2 ** 60])(
    "a provider that names its user %j: no login, and an error for the operator",
    async (id) => {
      const site = await startOAuthSite();
      site.upstream.user = { id, login: "ada" };
      const parameters = await logIn(site, new FetchBrowser(), { client_id: await webClient(site) });
      expect(Object.fromEntries(parameters)).toMatchObject({ error: "access_denied", state: "s1" });
      expect(parameters.has("code")).toBe(false);
      expect(site.errors.map(String)).toEqual([expect.stringContaining('it did not name the user by "id"')]);
    },
  );

  test.each([
    ["the user at the provider", { user: undefined }],
    ["the operator", { user: { id: 8, login: "eve" } }],
  ])("%s refuses, and the client gets an error", async (_who, { user }) => {
    const site = await startOAuthSite({ allowUser: ({ claims }) => claims["login"] === "ada" });
    site.upstream.user = user;
    const parameters = await logIn(site, new FetchBrowser(), { client_id: await webClient(site) });
    expect(Object.fromEntries(parameters)).toMatchObject({ error: "access_denied", state: "s1" });
    expect(site.errors).toEqual([]);
  });
});
