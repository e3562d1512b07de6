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
    expect((await new Browser("ada").visit(pageIn((await ada.callTool("remove")).text), "yes")).text).toContain("Thank you");
    expect((await ada.callTool("remove")).text).toBe("removed");
    expect((await ada.callTool("remove")).text).toContain("say yes first");
  });

  test("is not shown to another user, to one who denies the login, nor to a browser that did not begin it", async () => {
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
    const { origin, searchParams } = new URL(callback);
    const denies = new Browser("ada");
    await denies.visit(page, "");
    const denied = new URLSearchParams({ error: "access_denied", state: searchParams.get("state")! });
    expect((await denies.visit(`${origin}/ask/identity?${denied}`, "")).status).toBe(400);
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

test("a user with an API key is known by `identify`, by the issuer and the subject of the key, and no other user of a login has the page", async () => {
  const keys = apiKeys({ store: memoryStores().keyed, prefix: "issues" });
  const { endpoint } = await site(
    addTools,
    {
      pages: {
        identify: (request) => {
          const [, subject] = /user=(\w+)/.exec(request.header("cookie") ?? "") ?? [];
          return subject === undefined ? undefined : { issuer: "urn:tenon:keys:issues", subject };
        },
      },
    },
    { auth: keys },
  );
  const { key } = await keys.mint({ subject: "ada" });
  const ada = await closing(connect({ url: endpoint.url, headers: { authorization: `Bearer ${key}` } }));
  const page = pageIn((await ada.callTool("key")).text);
  expect((await new PageBrowser("mallory").open(page)).status).toBe(403);
  expect((await new PageBrowser("ada").answer(page, { choice: "yes", secret: SECRET })).status).toBe(200);
  expect((await ada.callTool("key")).text).toBe("1 read");
});
