// Codes, access tokens and refresh tokens: each for one client, one server and one use.
import { generateKeyPair, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import {
  authorizeUrl,
  consentOf,
  FetchBrowser,
  isBack,
  logIn,
  redeem,
  REDIRECT,
  refresh,
  startOAuthSite,
  VERIFIER,
  webClient,
} from "./support.ts";

describe("codes and tokens", () => {
  test("a code that is used twice gives nothing the second time, and takes back what it gave", async () => {
    const site = await startOAuthSite();
    const client_id = await webClient(site);
    const code = (await logIn(site, new FetchBrowser(), { client_id })).get("code")!;
    const { body } = await redeem(site, client_id, code);
    expect((await redeem(site, client_id, code)).body["error"]).toBe("invalid_grant");
    expect((await refresh(site, client_id, body["refresh_token"])).body["error"]).toBe("invalid_grant");
  });

  test("a refresh token is used once; a second use takes back all that came of it", async () => {
    const site = await startOAuthSite();
    const client_id = await webClient(site);
    const { body } = await redeem(site, client_id, (await logIn(site, new FetchBrowser(), { client_id })).get("code")!);
    const next = await refresh(site, client_id, body["refresh_token"]);
    expect(next.body["refresh_token"]).not.toBe(body["refresh_token"]);
    expect((await refresh(site, client_id, body["refresh_token"])).body["error"]).toBe("invalid_grant");
    expect((await refresh(site, client_id, next.body["refresh_token"])).body["error"]).toBe("invalid_grant");
  });

  test("a client that revokes its refresh token cannot use it again", async () => {
    const site = await startOAuthSite();
    const client_id = await webClient(site);
    const { body } = await redeem(site, client_id, (await logIn(site, new FetchBrowser(), { client_id })).get("code")!);
    const form = new URLSearchParams({ client_id, token: String(body["refresh_token"]) });
    expect((await fetch(`${site.origin}/revoke`, { method: "POST", body: form })).status).toBe(200);
    expect((await refresh(site, client_id, body["refresh_token"])).body["error"]).toBe("invalid_grant");
  });

  test("a code is for its client, its verifier and its redirect URI", async () => {
    const site = await startOAuthSite();
    const [client_id, other] = [await webClient(site, { redirect_uris: [REDIRECT, `${REDIRECT}2`] }), await webClient(site)];
    const code = (await logIn(site, new FetchBrowser(), { client_id })).get("code")!;
    const wrong = [
      { client_id: other },
      { code_verifier: `${VERIFIER}x` },
      { redirect_uri: `${REDIRECT}2` },
      { code_verifier: "" },
    ];
    for (const more of wrong) expect((await redeem(site, client_id, code, more)).status).toBe(400);
    expect((await redeem(site, client_id, code)).status).toBe(200);
  });

  test.each([
    { code_challenge: "" },
    { code_challenge_method: "plain" },
    { response_type: "token" },
    { response_type: "code id_token" },
  ])("an authorization request with %j is refused", async (more) => {
    const site = await startOAuthSite();
    const client_id = await webClient(site);
    const { url } = await new FetchBrowser().go(authorizeUrl(site, { client_id, redirect_uri: REDIRECT, ...more }), {
      until: isBack,
    });
    expect(new URL(url.replace("#", "?")).searchParams.get("error")).toMatch(/^(?:invalid_request|unsupported_response_type)$/);
  });

  test("a token is for one server, and no token is issued for another's", async () => {
    const [one, two] = ["http://127.0.0.1:1/one", "http://127.0.0.1:1/two"];
    const site = await startOAuthSite({ resource: [one, two] });
    const client_id = await webClient(site);
    const tokenFor = async (resource: string): Promise<string> => {
      const code = (await logIn(site, new FetchBrowser(), { client_id, resource })).get("code")!;
      return String((await redeem(site, client_id, code, { resource })).body["access_token"]);
    };
    const status = async (resource: string, token: string): Promise<number> => {
      const header = (name: string): string | undefined => (name === "authorization" ? `Bearer ${token}` : undefined);
      const verdict = await site.login.protect({ resource }).authorize({ method: "POST", url: "/mcp", header });
      return "status" in verdict ? verdict.status : 200;
    };
    const token = await tokenFor(one);
    expect([await status(one, token), await status(two, token)]).toEqual([200, 401]);
    for (const more of [{ resource: "https://evil.example/mcp" }, {}]) {
      const { page } = await consentOf(site, client_id, more);
      expect(new URL(page.url).searchParams.get("error")).toBe("invalid_target");
    }
    const code = (await logIn(site, new FetchBrowser(), { client_id, resource: one })).get("code")!;
    expect((await redeem(site, client_id, code, { resource: two })).body["error"]).toBe("invalid_target");
  });

  test("a token that this server did not sign is refused, and the provider's token is in none of its own", async () => {
    const site = await startOAuthSite();
    const client_id = await webClient(site);
    const { body } = await redeem(site, client_id, (await logIn(site, new FetchBrowser(), { client_id })).get("code")!);
    const { privateKey } = await generateKeyPair("ES256");
    const forged = await new SignJWT({ scope: "notes:read", client_id })
      .setProtectedHeader({ alg: "ES256", typ: "at+jwt" })
      .setIssuer(site.origin)
      .setAudience(site.url)
      .setSubject("ada")
      .setExpirationTime("5m")
      .sign(privateKey);
    const post = async (token: string): Promise<number> =>
      (await fetch(site.url, { method: "POST", headers: { authorization: `Bearer ${token}` } })).status;
    expect(await post(forged)).toBe(401);
    expect(await post(site.upstream.tokens[0]!)).toBe(401);
    expect(await post(String(body["access_token"]))).not.toBe(401);
    const shown = JSON.stringify(body) + Buffer.from(String(body["access_token"]).split(".")[1]!, "base64url").toString();
    for (const secret of [...site.upstream.tokens, "ada"]) expect(shown).not.toContain(secret);
  });

  test("scopes that are unknown are left out; none that is known is an error", async () => {
    const site = await startOAuthSite();
    const client_id = await webClient(site);
    const code = (await logIn(site, new FetchBrowser(), { client_id, scope: "openid admin notes:write offline_access" })).get(
      "code",
    )!;
    expect((await redeem(site, client_id, code)).body["scope"]).toBe("notes:write");
    for (const scope of ["openid admin", "offline_access", "openid offline_access"]) {
      const { page } = await consentOf(site, client_id, { scope });
      expect([scope, new URL(page.url).searchParams.get("error")]).toEqual([scope, "invalid_scope"]);
    }
  });
});
