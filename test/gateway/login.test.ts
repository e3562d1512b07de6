/** The user's own login at a server behind the gateway, asked for in the middle of a call. */
import { describe, expect, onTestFinished, test } from "vitest";
import { connect, type Client, type ConnectOptions, type ProtocolVersion } from "tenon";
import { MemoryStore, type AuthStore } from "tenon/auth";
import { createGateway, userLogin } from "tenon/gateway";
import {
  Browser,
  clientWith,
  companyGateway,
  companyServer,
  identityProvider,
  site,
  whoServer,
  type CompanyServer,
  type IdentityProvider,
  type ServedGateway,
  type Site,
} from "./company.ts";

const FAMILIES: readonly ProtocolVersion[] = ["2025-11-25", "2026-07-28"];
const KEY = "a key that all nodes of the gateway have";

interface Company {
  /** The issuer of the callers' tokens. */
  readonly idp: IdentityProvider;
  /** The authorization server of the hub, which another company runs. */
  readonly foreign: IdentityProvider;
  readonly hub: CompanyServer;
  readonly served: ServedGateway;
  readonly store: AuthStore;
}

/** A gateway in front of a hub at which users log in. */
async function company({ behind, store = new MemoryStore() }: { behind?: ProtocolVersion; store?: AuthStore } = {}): Promise<Company> {
  const place = await site();
  const idp = await identityProvider([`${place.origin}/login/identity`]);
  const foreign = await identityProvider();
  const hub = await companyServer(foreign.issuer, whoServer("hub"));
  const served = await node({ idp, hub, store, place, ...(behind && { behind }) });
  return { idp, foreign, hub, served, store };
}

interface NodeOptions {
  readonly idp: IdentityProvider;
  readonly hub: CompanyServer;
  readonly store: AuthStore;
  readonly place: Site;
  readonly behind?: ProtocolVersion;
  /** The origin that browsers know. */
  readonly origin?: string;
}

function node({ idp, hub, store, place, behind, origin = place.origin }: NodeOptions): Promise<ServedGateway> {
  const client = { id: "gateway", secret: "gateway-secret" };
  return companyGateway(
    idp.issuer,
    () => ({
      servers: { hub: { url: hub.url, auth: userLogin(), ...(behind && { revision: behind }) }, clock: whoServer("clock") },
      logins: { url: `${origin}/login`, identityProvider: { issuer: idp.issuer, client } },
      loginStore: store,
      requestState: { keys: [KEY] },
    }),
    place,
  );
}

/** A client whose user opens the pages that it is asked to open. */
async function person(
  { idp, served }: Pick<Company, "idp" | "served">,
  user: string,
  options: ConnectOptions & { program?: string; browser?: Browser } = {},
): Promise<{ client: Client; pages: string[]; visits: Promise<unknown>[] }> {
  const { program = "ide", browser = new Browser(user), ...more } = options;
  const [pages, visits]: [string[], Promise<unknown>[]] = [[], []];
  const client = await clientWith(served.url, await idp.token(user, served.url, { client: program }), {
    onElicit: (question) => {
      if (question.mode !== "url") throw new Error("Not a page");
      pages.push(question.url);
      visits.push(browser.visit(question.url));
      return { action: "accept" };
    },
    elicitationModes: ["url"],
    ...more,
  });
  return { client, pages, visits };
}

/** The page in a text for a model. */
function pageIn(text: string): string {
  return /https?:\S+/.exec(text)![0];
}

describe.each(FAMILIES)("Clients of %s", (revision) => {
  test.each(FAMILIES)(
    "servers of %s: the first call asks for the login, and goes on by itself; two users never meet [fault G9]",
    async (behind) => {
      const all = await company({ behind });
      const people = await Promise.all(["ada", "bob"].map((user) => person(all, user, { revision })));
      const answers = await Promise.all(people.map(({ client }) => client.callTool("hub__who")));
      expect(answers.map(({ text }) => text!.split(" by ")[0])).toEqual(["ada", "bob"]);
      for (const { pages, visits } of people) {
        expect(pages).toHaveLength(1);
        expect(await visits[0]).toMatchObject({ status: 200, text: expect.stringContaining("You are logged in") as string });
      }
      for (const [at, user] of ["ada", "bob"].entries()) {
        const { client, pages } = people[at]!;
        expect((await client.readResource("note://own")).contents).toMatchObject([{ text: `note of ${user}` }]);
        expect((await client.getPrompt("hub__greet")).messages[0]).toMatchObject({ content: { text: `greet ${user}` } });
        expect((await client.listTools()).tools.map(({ name }) => name)).toContain("hub__who");
        expect(pages).toHaveLength(1);
      }
      expect(all.foreign.asked("authorization_code")).toHaveLength(2);
      expect(all.hub.tokens()).toHaveLength(2);
      const tokens = JSON.stringify(all.idp.site.seen.map(({ headers }) => headers.authorization));
      for (const token of all.hub.tokens()) expect(tokens).not.toContain(token);
      // The callers' own tokens go nowhere.
      const callers = [...new Set(all.served.site.seen.flatMap(({ headers }) => headers.authorization?.replace("Bearer ", "") ?? []))];
      for (const token of callers) expect(JSON.stringify([all.hub.site.seen, all.foreign.site.seen])).not.toContain(token);
    },
  );

  test("a client that opens no pages sees a tool for the login, gets the page in words, and hears that the lists have changed", async () => {
    const all = await company();
    const client = await clientWith(all.served.url, await all.idp.token("ada", all.served.url), { revision });
    const names = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names()).toEqual(["clock__who", "clock__count", "clock__write", "hub__log_in"]);
    const changes = await client.listen({ tools: true });
    const before = all.foreign.site.seen.length;
    for (const tool of ["hub__log_in", "hub__who"]) {
      const asked = await client.callTool(tool);
      expect(asked.isError).toBe(true);
      expect(asked.text).toContain('log in to "hub" first');
    }
    // Neither lists nor calls have begun anything at the other authorization server.
    expect(all.foreign.site.seen.slice(before).filter(({ path }) => !path.startsWith("/.well-known/"))).toEqual([]);
    const { text } = await client.callTool("hub__log_in");
    expect((await new Browser("ada").visit(pageIn(text!))).status).toBe(200);
    for await (const change of changes) {
      expect(change).toEqual({ kind: "tools" });
      break;
    }
    expect((await client.callTool("hub__log_in")).text).toContain("is logged in");
    expect(await names()).toContain("hub__who");
    expect(await names()).not.toContain("hub__log_in");
    expect((await client.callTool("hub__who")).text).toMatch(/^ada by /);
    await expect(client.getPrompt("hub__missing")).rejects.toMatchObject({ code: -32602 });
  });

  test("a call that needs more scopes asks for all of them, and goes on [M5.2]", async () => {
    const all = await company();
    const { client, pages } = await person(all, "ada", { revision });
    expect((await client.callTool("hub__who")).text).toMatch(/^ada by /);
    expect((await client.callTool("hub__write")).text).toBe("written by ada");
    expect(pages).toHaveLength(2);
    const scopes = all.foreign.site.seen
      .filter(({ path }) => path.startsWith("/auth?"))
      .map(({ path }) => new URLSearchParams(path.split("?")[1]).get("scope"));
    expect(scopes[0]).not.toContain("write");
    expect(scopes[1]!.split(" ")).toEqual(expect.arrayContaining(["read", "write"]));
    expect((await client.callTool("hub__who")).text).toMatch(/^ada by /);
  });

  test("a user who says no on the page, or to the question, gets no call", async () => {
    const all = await company();
    const browser = new Browser("ada");
    const refusing = await person(all, "ada", {
      revision,
      onElicit: (question) => {
        void browser.visit(question.mode === "url" ? question.url : "", "deny");
        return { action: "accept" };
      },
    });
    const refused = await refusing.client.callTool("hub__who");
    expect(refused).toMatchObject({ isError: true });
    expect(refused.text).toContain("nothing was called");
    const declining = await person(all, "ada", { revision, onElicit: () => ({ action: "decline" }) });
    expect((await declining.client.callTool("hub__who")).text).toContain("nothing was called");
    expect(all.foreign.site.seen.filter(({ path }) => path.startsWith("/auth"))).toEqual([]);
    expect(all.hub.tokens()).toEqual([]);
  });

  test("a user of this machine logs in with the system's browser, and stays logged in", async () => {
    const foreign = await identityProvider();
    const hub = await companyServer(foreign.issuer, whoServer("hub"));
    const browser = new Browser("ada");
    const opened: string[] = [];
    const open = async (url: URL): Promise<void> => {
      opened.push(url.href);
      await browser.visit(url.href);
    };
    const gateway = createGateway({
      servers: { hub: { url: hub.url, auth: userLogin({ open }) } },
      loginStore: new MemoryStore(),
      readyTimeout: 60_000,
      onError: () => undefined,
    });
    onTestFinished(() => gateway.close());
    const client = await connect(gateway, { revision });
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["hub__log_in"]);
    expect(opened).toEqual([]);
    expect((await client.callTool("hub__who")).text).toMatch(/^ada by /);
    expect((await client.callTool("hub__who")).text).toMatch(/^ada by /);
    expect(opened).toHaveLength(1);
  });
});

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
    for (const other of [browser, new Browser("ada"), new Browser("mallory")]) expect((await other.visit(callback)).status).toBe(400);
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

  test("a server whose metadata leads into the network, or to a page of another kind, gets no login [fault O1 fault O3]", async () => {
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

test("programs of one user log in one by one, and the page of logins ends them [M1.8]", async () => {
  const all = await company();
  for (const program of ["ide", "chat"]) {
    const { client, pages } = await person(all, "ada", { program });
    expect((await client.callTool("hub__who")).text).toMatch(/^ada by /);
    expect(pages).toHaveLength(1);
  }
  const browser = new Browser("ada");
  const list = await browser.visit(`${all.served.site.origin}/login`, "");
  expect(list.text).toContain("<strong>hub</strong> by <code>ide</code>");
  expect(list.text).toContain("<code>chat</code>");
  const after = await browser.press(list, "logout");
  expect(after.text.match(/<li>/g) ?? []).toHaveLength(0);
  expect(all.foreign.site.seen.filter(({ path }) => path === "/token/revocation").length).toBeGreaterThan(0);
  const { client, pages } = await person(all, "ada");
  expect((await client.callTool("hub__who")).text).toMatch(/^ada by /);
  expect(pages).toHaveLength(1);
  // Another user sees none of it.
  expect((await new Browser("bob").visit(`${all.served.site.origin}/login`, "")).text).toContain("You have none");
});

test.each(FAMILIES)("two nodes with one store and one key: the page is served by another one than the call, %s", async (revision) => {
  const all = await company();
  const other = await node({ idp: all.idp, hub: all.hub, store: all.store, place: await site(), origin: all.served.site.origin });
  const { client, pages } = await person({ idp: all.idp, served: other }, "ada", { revision });
  expect((await client.callTool("hub__who")).text).toMatch(/^ada by /);
  expect(pages[0]).toContain(all.served.site.origin);
});

test("without pages, or without a user, a call says what is missing", async () => {
  const place = await site();
  const idp = await identityProvider([`${place.origin}/login/identity`]);
  const hub = await companyServer((await identityProvider()).issuer, whoServer("hub"));
  const served = await companyGateway(idp.issuer, () => ({ servers: { hub: { url: hub.url, auth: userLogin() } } }), place);
  const client = await clientWith(served.url, await idp.token("ada", served.url));
  await expect(client.callTool("hub__who")).rejects.toThrow('this gateway has no pages for it (option "logins")');
  const client2 = { id: "gateway", secret: "gateway-secret" };
  expect(() =>
    createGateway({
      servers: {},
      logins: { url: "http://gateway.example/login", identityProvider: { issuer: idp.issuer, client: client2 } },
    }),
  ).toThrow("logins.url");
  expect(() =>
    createGateway({ servers: {}, logins: { url: "https://gateway.example", identityProvider: { issuer: idp.issuer, client: client2 } } }),
  ).toThrow("with a path");
});
