/** What hostile browsers, links and servers do to the user's own login at a server behind the gateway. */
import type { RequestListener } from "node:http";
import { describe, expect, test } from "vitest";
import type { Client } from "tenon";
import { Browser, clientWith } from "./company.ts";
import { company, pageIn, person, type Company } from "./login-company.ts";

/** Takes a browser through a login until it is sent back to the gateway. Returns where to, before it has been there. */
async function callbackOf({ served }: Company, browser: Browser, page: string): Promise<string> {
  const consent = await browser.visit(page, "");
  const real = served.site.handle;
  served.site.handle = (request, response) => {
    if (request.url!.startsWith("/login/callback")) response.end("held up");
    else real(request, response);
  };
  const { url } = await browser.press(consent, "allow");
  served.site.handle = real;
  return url;
}

/** Answers as `real` does, with other claims in the ID tokens. The gateway gets them over TLS, so they need no signature. */
function changingIdTokens(real: RequestListener, claims: object): RequestListener {
  return (request, response) => {
    if (request.url !== "/token") return real(request, response);
    const end = response.end.bind(response) as (body: string) => typeof response;
    response.end = ((body: string) => {
      const { id_token, ...tokens } = JSON.parse(body) as { id_token: string };
      const [head, payload, signature] = id_token.split(".");
      const changed = { ...(JSON.parse(Buffer.from(payload!, "base64url").toString()) as object), ...claims };
      const token = [head, Buffer.from(JSON.stringify(changed)).toString("base64url"), signature].join(".");
      response.removeHeader("content-length");
      return end(JSON.stringify({ ...tokens, id_token: token }));
    }) as typeof response.end;
    real(request, response);
  };
}

describe("Hostile browsers and servers", () => {
  /** The page of a login that a user's program was told. */
  async function asked(all: Company, user: string): Promise<{ client: Client; page: string }> {
    const client = await clientWith(all.served.url, await all.idp.token(user, all.served.url));
    return { client, page: pageIn((await client.callTool("hub__who")).text!) };
  }

  const logins = (all: Company): number => all.foreign.asked("authorization_code").length;

  test("a link that an attacker sends to another user logs no user in", async () => {
    const all = await company();
    const { client, page } = await asked(all, "mallory");
    const seen = await new Browser("ada").visit(page);
    expect(seen).toMatchObject({ status: 403, text: expect.stringContaining("This login is not yours") as string });
    expect(all.foreign.site.seen.filter(({ path }) => path.startsWith("/auth"))).toEqual([]);
    expect((await client.callTool("hub__who")).isError).toBe(true);
  });

  test("a callback in another browser, with a forged state, or for the second time changes nothing [fault O5]", async () => {
    const all = await company();
    const { page } = await asked(all, "ada");
    const browser = new Browser("ada");
    const consent = await browser.visit(page, "");
    expect(consent.text).toContain("hub");
    const done = await browser.press(consent, "allow");
    expect(done.status).toBe(200);
    const callback = browser.history.find((url) => url.includes("/login/callback"))!;
    expect(logins(all)).toBe(1);
    for (const other of [browser, new Browser("ada"), new Browser("mallory")])
      expect((await other.visit(callback)).status).toBe(400);
    const forged = new URL(callback);
    forged.searchParams.set("state", "forged");
    expect((await browser.visit(forged.href)).status).toBe(400);
    expect(logins(all)).toBe(1);
  });

  test("a browser in the middle of a login takes no callback of another login", async () => {
    const all = await company();
    const [first, second] = [new Browser("ada"), new Browser("ada")];
    const { page } = await asked(all, "ada");
    const consent = await first.visit(page, "");
    await first.press(consent, "allow");
    const callback = first.history.find((url) => url.includes("/login/callback"))!;
    const other = await asked(all, "bob");
    await second.visit(other.page, "");
    expect((await second.visit(callback)).status).toBe(400);
  });

  test("an attacker's callback in the browser of a user who is away to log in is refused; the user's login goes on", async () => {
    const all = await company();
    const [mallory, ada] = [new Browser("mallory"), new Browser("ada")];
    const foreign = await callbackOf(all, mallory, (await asked(all, "mallory")).page);
    const own = await callbackOf(all, ada, (await asked(all, "ada")).page);
    expect((await ada.visit(foreign)).status).toBe(400);
    expect(logins(all)).toBe(0);
    expect(await ada.visit(own)).toMatchObject({ status: 200, text: expect.stringContaining("You are logged in") as string });
    expect(logins(all)).toBe(1);
  });

  test("an ID token that is for another login lets no browser in", async () => {
    const all = await company();
    const { page } = await asked(all, "ada");
    const idp = all.idp.site;
    const real = idp.handle;
    for (const changed of [
      { nonce: "of another login" },
      { aud: "ide" },
      { aud: ["gateway", "ide"] },
      { iss: "https://evil.example" },
      { exp: 1 },
    ]) {
      idp.handle = changingIdTokens(real, changed);
      expect((await new Browser("ada").visit(page, "")).status).toBe(502);
    }
    idp.handle = real;
    expect((await new Browser("ada").visit(page, "")).text).toContain("wants to use");
  });

  test("a link is good for one login, and pages cannot be framed, cached or sent by another site", async () => {
    const all = await company();
    const { page } = await asked(all, "ada");
    const [one, two] = [new Browser("ada"), new Browser("ada")];
    const [mine, also] = [await one.visit(page, ""), await two.visit(page, "")];
    expect(mine.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(mine.headers.get("x-frame-options")).toBe("DENY");
    expect(mine.headers.get("cache-control")).toBe("no-store");
    const cookie = mine.headers.get("set-cookie")!;
    expect(cookie).toMatch(/HttpOnly; SameSite=Lax/);
    const action = `${all.served.site.origin}/login/consent`;
    const token = /name="token" value="([^"]*)"/.exec(mine.text)![1]!;
    const post = (headers: Record<string, string>, body: string): Promise<Response> =>
      fetch(action, {
        method: "POST",
        redirect: "manual",
        body,
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      });
    const sealed = cookie.split(";")[0]!;
    const good = `token=${token}&choice=allow`;
    expect((await post({ cookie: sealed, origin: "https://evil.example" }, good)).status).toBe(400);
    expect((await post({ cookie: sealed }, good)).status).toBe(400);
    expect((await post({ origin: all.served.site.origin }, good)).status).toBe(400);
    expect((await post({ cookie: sealed, origin: all.served.site.origin }, "token=guessed&choice=allow")).status).toBe(400);
    expect((await one.press(mine, "allow")).status).toBe(200);
    expect((await two.press(also, "allow")).status).toBe(400);
    expect(logins(all)).toBe(1);
  });

  test("no page goes where a request says, or repeats what it says", async () => {
    const all = await company();
    const { origin } = all.served.site;
    const evil = "https://evil.example/<script>alert(1)</script>";
    for (const path of [
      `/login/${encodeURIComponent(evil)}`,
      `/login/identity?state=${encodeURIComponent(evil)}`,
      `/login/callback?redirect_uri=${encodeURIComponent(evil)}&state=x`,
      `//evil.example/login/x`,
      `/login/consent?next=${encodeURIComponent(evil)}`,
    ]) {
      const response = await fetch(`${origin}${path}`, { redirect: "manual" });
      expect(response.headers.get("location") ?? "").not.toContain("evil.example");
      expect(await response.text()).not.toContain("evil.example");
      expect(response.status).toBeGreaterThanOrEqual(400);
    }
  });

  test("a request that is not of a browser gets a page too, with the headers of each page", async () => {
    const { served } = await company();
    const { status, headers } = await fetch(`${served.site.origin}/login`, { method: "PUT" });
    expect(status).toBe(405);
    expect(headers.get("allow")).toBe("GET");
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  });

  test("a server whose metadata leads into the network, or to no http page, gets no login [fault O1 fault O3]", async () => {
    const all = await company();
    const { page, client } = await asked(all, "ada");
    const hub = all.hub.site;
    const real = hub.handle;
    for (const issuer of ["http://169.254.169.254", "https://10.0.0.1", "javascript:alert(1)", "file:///etc/passwd"]) {
      hub.handle = (request, response) => {
        if (!(request.url ?? "").startsWith("/.well-known/")) return real(request, response);
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ resource: all.hub.url, authorization_servers: [issuer] }));
      };
      const seen = await new Browser("ada").visit(page);
      expect([400, 502]).toContain(seen.status);
      expect(seen.text).not.toContain(issuer);
    }
    hub.handle = real;
    expect((await client.callTool("hub__who")).isError).toBe(true);
    expect(all.served.reported.join()).toContain("169.254.169.254");
  });

  test("a token that the server does not take for itself is not sent again and again [fault O7]", async () => {
    const all = await company();
    const { client } = await person(all, "ada");
    expect((await client.callTool("hub__who")).text).toMatch(/^ada by /);
    const real = all.hub.site.handle;
    let refused = 0;
    all.hub.site.handle = (request, response) => {
      if ((request.url ?? "") !== "/mcp") return real(request, response);
      refused++;
      request.resume();
      response.writeHead(401, { "www-authenticate": 'Bearer error="invalid_token"' }).end();
    };
    const failed: unknown = await client.callTool("hub__who").catch((error: unknown) => error);
    expect(failed instanceof Error ? failed.message : JSON.stringify(failed)).toMatch(/log|authorization/i);
    expect(refused).toBeLessThan(12);
  });
});
