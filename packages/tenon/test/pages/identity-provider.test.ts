/** Users who show at an identity provider (`oidc-provider`) that a page is theirs, on a server without a gateway. */
import { describe, expect, test } from "vitest";
import { connect, type Client, type McpServer } from "tenon";
import { anyOf, bearer } from "tenon/auth";
import { apiKeys } from "tenon/auth/keys";
import { memoryStores } from "tenon/stores/memory";
import { Browser, GATEWAY_CLIENT, identityProvider, type IdentityProvider } from "../gateway/company.ts";
import { closing } from "../support/matrix.ts";
import { freePort, PageBrowser, pageIn, SECRET, site, type PagesSite } from "./support.ts";

interface Company extends PagesSite {
  readonly provider: IdentityProvider;
  readonly errors: string[];
  /** A client of a user whose token is of that provider. */
  readonly as: (user: string, provider?: IdentityProvider) => Promise<Client>;
}

/** A server of a company, whose users log in at its provider. @param tokensOf the provider of the tokens. Default: the same */
async function company(
  tools: (server: McpServer) => void,
  tokensOf?: (redirect: string) => Promise<IdentityProvider>,
): Promise<Company> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const redirect = `http://127.0.0.1:${port}/ask/identity`;
  const provider = await identityProvider([redirect]);
  const tokens = (await tokensOf?.(redirect)) ?? provider;
  const errors: string[] = [];
  const { issuer } = provider;
  const at = await site(
    tools,
    {
      port,
      onError: (error) => void errors.push(String(error)),
      pages: { identify: undefined as never, identityProvider: { issuer, client: GATEWAY_CLIENT } },
    },
    { auth: bearer({ issuer: tokens.issuer, audience: url, cacheTtl: 0 }) },
  );
  const as = async (user: string): Promise<Client> =>
    closing(connect({ url, headers: { authorization: `Bearer ${await tokens.token(user, url)}` } }));
  return { ...at, provider, errors, as };
}

function addTools(server: McpServer, read: string[] = []): void {
  server.tool("key", {}, async (_input, ctx) => `${read.push(await ctx.secret("github", { message: "A token" }))} read`);
  server.tool("remove", { confirm: "Delete all?" }, () => "removed");
}

describe("a page, by its user's login at the identity provider", () => {
  test("is shown after the login, and takes a key, which the next call has", async () => {
    const read: string[] = [];
    const { as, provider, errors } = await company((server) => addTools(server, read));
    const ada = await as("ada");
    const browser = new Browser("ada");
    const shown = await browser.visit(pageIn((await ada.callTool("key")).text), "");
    expect(shown.text).toContain("Your key for");
    expect(browser.history.some((url) => url.startsWith(provider.issuer))).toBe(true);
    expect((await browser.press(shown, "yes", { secret: SECRET })).text).toContain("Thank you");
    expect((await ada.callTool("key")).text).toBe("1 read");
    expect([read, errors]).toEqual([[SECRET], []]);
  });

  test("takes a yes, for one call", async () => {
    const { as } = await company(addTools);
    const ada = await as("ada");
    const browser = new Browser("ada");
    const shown = await browser.visit(pageIn((await ada.callTool("remove")).text), "");
    for (const words of ["Do you want this?", "Delete all?", "Yes, do this"]) expect(shown.text).toContain(words);
    const said = (await browser.press(shown, "yes")).text;
    for (const words of ["Thank you", "The program can go on."]) expect(said).toContain(words);
    expect((await ada.callTool("remove")).text).toBe("removed");
    expect((await ada.callTool("remove")).text).toContain("say yes first");
  });

  test("says that nothing was done after a no", async () => {
    const { as } = await company(addTools);
    const ada = await as("ada");
    const browser = new Browser("ada");
    const shown = await browser.visit(pageIn((await ada.callTool("remove")).text), "");
    const said = (await browser.press(shown, "no")).text;
    for (const words of ["You said no", "Nothing was done."]) expect(said).toContain(words);
    expect((await ada.callTool("remove")).text).not.toBe("removed");
  });

  test("says in plain words that a login was cancelled, and its link still works", async () => {
    const { as, provider } = await company(addTools);
    const ada = await as("ada");
    const page = pageIn((await ada.callTool("key")).text);
    const browser = new Browser("ada");
    browser.cancelsAt = provider.issuer;
    const cancelled = await browser.visit(page, "");
    expect([cancelled.status, cancelled.text.includes("The login was cancelled or refused")]).toEqual([403, true]);
    browser.cancelsAt = undefined;
    expect((await browser.press(await browser.visit(page, ""), "yes", { secret: SECRET })).status).toBe(200);
    expect((await ada.callTool("key")).text).toBe("1 read");
  });

  test.each([
    ["interaction_required", 403],
    ["login_required", 403],
    ["consent_required", 403],
    ["temporarily_unavailable", 503],
    ["server_error", 502],
    ["<script>", 502],
  ])("says that the login does not work when the provider answers %s", async (error, status) => {
    const { as } = await company(addTools);
    const page = pageIn((await (await as("ada")).callTool("key")).text);
    const browser = new Browser("ada");
    await browser.visit(page, "");
    const { origin, searchParams } = new URL(browser.history.find((url) => url.includes("/ask/identity?"))!);
    const again = new Browser("ada");
    const begun = await fetch(page, { redirect: "manual" });
    const state = new URL(begun.headers.get("location")!).searchParams.get("state")!;
    const cookie = begun.headers.getSetCookie()[0]!.split(";")[0]!;
    const callback = new URLSearchParams({ error, state, iss: searchParams.get("iss")! });
    const shown = await fetch(`${origin}/ask/identity?${callback}`, { headers: { cookie } });
    expect([shown.status, (await shown.text()).includes("<script>")]).toEqual([status, false]);
    expect((await again.visit(page, "")).status).toBe(200);
  });

  test("is not shown to another user, nor to a browser that did not begin the login", async () => {
    const { as } = await company(addTools);
    const ada = await as("ada");
    const page = pageIn((await ada.callTool("key")).text);
    const mallory = await new Browser("mallory").visit(page, "");
    expect([mallory.status, mallory.text.includes("<form")]).toEqual([403, false]);
    const victim = new Browser("ada");
    const back = victim.history;
    await victim.visit(page, "");
    const callback = back.find((url) => url.includes("/ask/identity?"))!;
    expect((await new Browser("mallory").visit(callback, "")).status).toBe(400);
    expect((await ada.callTool("key")).isError).toBe(true);
  });
});

describe("a user who cannot log in at the identity provider of the pages", () => {
  test("is refused at once, with the option that helps, if the token is of another issuer", async () => {
    const { as, errors } = await company(addTools, (redirect) => identityProvider([redirect]));
    const ada = await as("ada");
    const refused = await ada.callTool("key");
    expect([refused.isError, refused.text.includes("http")]).toEqual([true, false]);
    expect(errors.join()).toMatch(/cannot log in at the "identityProvider" of userPages\(\).*"identify"/);
    expect((await ada.callTool("remove")).text).toContain("this client cannot ask for it. Nothing was done.");
  });

  test("is refused at once, with the option that helps, if the user has an API key only", async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/mcp`;
    const { issuer, token } = await identityProvider([`http://127.0.0.1:${port}/ask/identity`]);
    const errors: string[] = [];
    const keys = apiKeys({ store: memoryStores().keyed, prefix: "issues" });
    await site(
      addTools,
      {
        port,
        onError: (error) => void errors.push(String(error)),
        pages: { identify: undefined as never, identityProvider: { issuer, client: GATEWAY_CLIENT } },
      },
      { auth: anyOf(bearer({ issuer, audience: url, cacheTtl: 0 }), keys) },
    );
    const { key } = await keys.mint({ subject: "ada" });
    const open = (credential: string): Promise<Client> =>
      closing(connect({ url, headers: { authorization: `Bearer ${credential}` } }));
    expect((await (await open(key)).callTool("key")).isError).toBe(true);
    expect(errors.join()).toContain("urn:tenon:keys:issues");
    expect(errors.join()).toContain('"identify"');
    expect((await (await open(await token("ada", url))).callTool("key")).text).toContain("Ask the user to open");
  });
});

describe("a page of a server with both doors, `identityProvider` and `identify`", () => {
  interface TwoDoors {
    readonly provider: IdentityProvider;
    /** A client that brings a token, or an API key. */
    readonly open: (credential: string) => Promise<Client>;
    readonly token: (user: string) => Promise<string>;
    readonly key: (subject: string) => Promise<string>;
  }

  async function twoDoors(): Promise<TwoDoors> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/mcp`;
    const provider = await identityProvider([`http://127.0.0.1:${port}/ask/identity`]);
    const { issuer } = provider;
    const keys = apiKeys({ store: memoryStores().keyed, prefix: "issues" });
    await site(
      addTools,
      { port, pages: { identityProvider: { issuer, client: GATEWAY_CLIENT }, identify: keyUser } },
      { auth: anyOf(bearer({ issuer, audience: url, cacheTtl: 0 }), keys) },
    );
    return {
      provider,
      open: (credential) => closing(connect({ url, headers: { authorization: `Bearer ${credential}` } })),
      token: (user) => provider.token(user, url),
      key: async (subject) => (await keys.mint({ subject })).key,
    };
  }

  test("is shown to users of both, by the login or by the cookie of the site", async () => {
    const { open, token, key } = await twoDoors();
    const [byLogin, byKey] = [await open(await token("ada")), await open(await key("ada"))];
    const browser = new Browser("ada");
    const shown = await browser.visit(pageIn((await byLogin.callTool("key")).text), "");
    expect((await browser.press(shown, "yes", { secret: SECRET })).status).toBe(200);
    expect((await byLogin.callTool("key")).text).toBe("1 read");
    // Of another issuer, so another user: the secret of the one is not the secret of the other.
    const page = pageIn((await byKey.callTool("key")).text);
    expect((await new PageBrowser("ada").answer(page, { choice: "yes", secret: SECRET })).status).toBe(200);
    expect((await byKey.callTool("key")).text).toBe("2 read");
  });

  test("leads no other user in: another's cookie goes to the login, another's login and no cookie are refused", async () => {
    const { open, token, key, provider } = await twoDoors();
    const ofLogin = pageIn((await (await open(await token("ada"))).callTool("key")).text);
    const ofKey = pageIn((await (await open(await key("ada"))).callTool("key")).text);
    const sent = await new PageBrowser("ada").open(ofLogin); // ada of API keys, who is another user
    expect([sent.status, sent.headers.get("location")?.startsWith(provider.issuer)]).toEqual([303, true]);
    expect((await new Browser("mallory").visit(ofLogin, "")).status).toBe(403);
    expect((await new PageBrowser("mallory").open(ofKey)).status).toBe(403);
    expect((await new Browser("ada").visit(ofKey, "")).status).toBe(401); // a login says nothing about users of keys
  });

  test("takes no answer after the user of the site has changed", async () => {
    const { open, key } = await twoDoors();
    const page = pageIn((await (await open(await key("ada"))).callTool("key")).text);
    const browser = new PageBrowser("ada");
    const shown = await browser.open(page);
    browser.cookies.set("user", "mallory");
    expect((await browser.send(shown, { choice: "yes", secret: SECRET })).status).toBe(400);
  });
});

/** The user of a browser, by the cookie of the site: users with API keys only. */
function keyUser(request: { header(name: string): string | undefined }): { issuer: string; subject: string } | undefined {
  const [, subject] = /user=(\w+)/.exec(request.header("cookie") ?? "") ?? [];
  return subject === undefined ? undefined : { issuer: "urn:tenon:keys:issues", subject };
}

test("`identify` knows a user of an API key by its issuer and subject, and no other user of a login has the page", async () => {
  const keys = apiKeys({ store: memoryStores().keyed, prefix: "issues" });
  const { endpoint } = await site(addTools, { pages: { identify: keyUser } }, { auth: keys });
  const { key } = await keys.mint({ subject: "ada" });
  const ada = await closing(connect({ url: endpoint.url, headers: { authorization: `Bearer ${key}` } }));
  const page = pageIn((await ada.callTool("key")).text);
  expect((await new PageBrowser("mallory").open(page)).status).toBe(403);
  expect((await new PageBrowser("ada").answer(page, { choice: "yes", secret: SECRET })).status).toBe(200);
  expect((await ada.callTool("key")).text).toBe("1 read");
});
