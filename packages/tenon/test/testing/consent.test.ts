// The page that asks the user: what it shows, what it takes, and that a real browser gets through it.
import * as oauth from "oauth4webapi";
import type { RunningAuthorizationServer } from "tenon/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen, sharedBrowser } from "../runtimes/browser.ts";
import { authorizationUrl, CALLBACK, discover, insecure, post, register, start, type Answered } from "./support.ts";

const VERIFIER = "v".repeat(43);

interface Shown {
  readonly server: RunningAuthorizationServer;
  readonly html: string;
  readonly headers: Headers;
  readonly consent: string;
  readonly cookie: string;
  readonly decide: (form: Record<string, string>, cookie?: string) => Promise<Answered>;
}

/** A page that was shown, and what answers it. */
async function show(parameters: Record<string, string> = {}, metadata: Partial<oauth.Client> = {}): Promise<Shown> {
  const server = await start({ consent: "page" });
  const as = await discover(server);
  const response = await fetch(await authorizationUrl(as, await register(as, metadata), VERIFIER, parameters));
  const html = await response.text();
  const cookie = response.headers.get("set-cookie")!.split(";", 1)[0]!;
  const consent = /name="consent" value="([\w-]+)"/.exec(html)![1]!;
  const decide = (form: Record<string, string>, sent = cookie): Promise<Answered> =>
    post(as.authorization_endpoint!, form, { cookie: sent });
  return { server, html, headers: response.headers, consent, cookie, decide };
}

describe("the page", () => {
  test("it says who asks for what, escaped, and cannot be framed or scripted [M6.1]", async () => {
    const { html, headers } = await show({ scope: "<b>read</b>" }, { client_name: `<script>alert("x")</script>&'` });
    expect(html).toContain("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;&#39;");
    expect(html).toContain("&lt;b&gt;read&lt;/b&gt;");
    expect(html).not.toMatch(/<script|<b>read/);
    expect(html).toContain(CALLBACK);
    const policy = headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self' http://127.0.0.1:7357");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("set-cookie")).toMatch(/; Path=\/authorize; HttpOnly; SameSite=Strict$/);
  });

  test("approving leads back with a code, refusing with an error; each decision counts once [M6.1]", async () => {
    const approved = await show();
    const first = await approved.decide({ consent: approved.consent, decision: "approve" });
    expect(first.status).toBe(303);
    expect(new URL(first.headers.get("location")!).searchParams.get("code")).toMatch(/^[\w-]{40,}$/);
    expect((await approved.decide({ consent: approved.consent, decision: "approve" })).status).toBe(403);
    const refused = await show();
    const second = await refused.decide({ consent: refused.consent, decision: "deny" });
    expect(new URL(second.headers.get("location")!).searchParams.get("error")).toBe("access_denied");
  });

  test("a form from another browser, of another page, or too late is refused [M6.1]", async () => {
    const mine = await show();
    const other = await show();
    for (const cookie of ["", "tenon-consent=guess", other.cookie]) {
      const again = await show();
      expect(await again.decide({ consent: again.consent, decision: "approve" }, cookie)).toMatchObject({
        status: 403,
        json: { error: "invalid_request" },
      });
    }
    expect((await mine.decide({ consent: "guess", decision: "approve" })).status).toBe(403);
    expect((await mine.decide({ decision: "approve" })).status).toBe(400);
    const device = await post(
      `${mine.server.issuer}/device`,
      { consent: mine.consent, decision: "approve" },
      { cookie: mine.cookie },
    );
    expect(device.status).toBe(403);
  });

  test("prompt=none shows no page, so nothing is granted", async () => {
    const server = await start({ consent: "page" });
    const as = await discover(server);
    const response = await fetch(await authorizationUrl(as, await register(as), VERIFIER, { prompt: "none" }), {
      redirect: "manual",
    });
    expect(new URL(response.headers.get("location")!).searchParams.get("error")).toBe("access_denied");
  });
});

describe("a real browser", () => {
  const browserFor = sharedBrowser();

  test("gets through the page and back to the client, which gets its tokens", async (context) => {
    const browser = browserFor(context);
    const server = await start({ consent: "page" });
    const callback = await listen((_, response) => response.writeHead(200, { "content-type": "text/plain" }).end("back"));
    const as = await discover(server);
    const client = await register(as, { redirect_uris: ["http://127.0.0.1/callback"] });
    const verifier = oauth.generateRandomCodeVerifier();
    const redirectUri = `${callback}/callback`;
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    await page.goto((await authorizationUrl(as, client, verifier, { redirect_uri: redirectUri })).href);
    await page.getByRole("button", { name: "Approve" }).click();
    await page.waitForURL(`${redirectUri}?*`);
    const parameters = oauth.validateAuthResponse(as, client, new URL(page.url()), "the state");
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      oauth.None(),
      parameters,
      redirectUri,
      verifier,
      insecure,
    );
    expect((await oauth.processAuthorizationCodeResponse(as, client, response)).access_token).toMatch(/^ey/);
  });

  test("types a device's code in and approves", async (context) => {
    const browser = browserFor(context);
    const server = await start({ consent: "page", devicePollInterval: 0 });
    const as = await discover(server);
    const client = await register(as, { grant_types: ["urn:ietf:params:oauth:grant-type:device_code"], redirect_uris: [] });
    const request = await oauth.deviceAuthorizationRequest(as, client, oauth.None(), { scope: "read" }, insecure);
    const codes = await oauth.processDeviceAuthorizationResponse(as, client, request);
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(codes.verification_uri);
    await page.getByLabel("Code of the device").fill(codes.user_code.toLowerCase());
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("heading", { name: "The device may go on" }).waitFor();
    const response = await oauth.deviceCodeGrantRequest(as, client, oauth.None(), codes.device_code, insecure);
    expect((await oauth.processDeviceCodeResponse(as, client, response)).scope).toBe("read");
  });
});
