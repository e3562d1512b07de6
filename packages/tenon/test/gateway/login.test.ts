/** The user's own login at a server behind the gateway, asked for in the middle of a call. */
import { describe, expect, onTestFinished, test } from "vitest";
import { connect, type ProtocolVersion } from "tenon";
import { MemoryStore } from "tenon/auth";
import { createGateway, userLogin } from "tenon/gateway";
import { Browser, clientWith, companyServer, companyGateway, identityProvider, site, whoServer } from "./company.ts";
import { company, node, pageIn, person } from "./login-company.ts";

const FAMILIES: readonly ProtocolVersion[] = ["2025-11-25", "2026-07-28"];

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
      const callers = [
        ...new Set(all.served.site.seen.flatMap(({ headers }) => headers.authorization?.replace("Bearer ", "") ?? [])),
      ];
      for (const token of callers) expect(JSON.stringify([all.hub.site.seen, all.foreign.site.seen])).not.toContain(token);
    },
  );

  test("a client that opens no pages sees a tool for the login, gets the page in words, hears that lists changed", async () => {
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

  test.each(["idp", "foreign"] as const)(
    "a user who cancels the login at the %s reads that, and logs in by the next call",
    async (which) => {
      const all = await company();
      const client = await clientWith(all.served.url, await all.idp.token("ada", all.served.url), { revision });
      const page = async (): Promise<string> => pageIn((await client.callTool("hub__log_in")).text!);
      const browser = new Browser("ada");
      browser.cancelsAt = all[which].issuer;
      const cancelled = await browser.visit(await page());
      expect([cancelled.status, cancelled.text.includes("The login was cancelled or refused")]).toEqual([403, true]);
      browser.cancelsAt = undefined;
      expect((await browser.visit(await page())).text).toContain("You are logged in");
      expect((await client.callTool("hub__who")).text).toMatch(/^ada by /);
    },
  );

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
    const denying = await person(all, "ada", { revision, onElicit: () => ({ action: "accept", content: { logIn: false } }) });
    expect((await denying.client.callTool("hub__who")).text).toContain("nothing was called");
    expect(all.foreign.site.seen.filter(({ path }) => path.startsWith("/auth"))).toEqual([]);
    expect(all.hub.tokens()).toEqual([]);
  });

  test("a policy that denies destructive tools leaves the tool for the login", async () => {
    const foreign = await identityProvider();
    const hub = await companyServer(foreign.issuer, whoServer("hub"));
    const gateway = createGateway({
      servers: { hub: { url: hub.url, auth: userLogin() } },
      policy: ({ annotations }) => annotations["destructiveHint"] === false,
      loginStore: new MemoryStore(),
      readyTimeout: 60_000,
      onError: () => undefined,
    });
    onTestFinished(() => gateway.close());
    const client = await connect(gateway, { revision });
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["hub__log_in"]);
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

test.each(FAMILIES)(
  "two nodes with one store and one key: the page is served by another one than the call, %s",
  async (revision) => {
    const all = await company();
    const other = await node({
      idp: all.idp,
      hub: all.hub,
      store: all.store,
      place: await site(),
      origin: all.served.site.origin,
    });
    const { client, pages } = await person({ idp: all.idp, served: other }, "ada", { revision });
    expect((await client.callTool("hub__who")).text).toMatch(/^ada by /);
    expect(pages[0]).toContain(all.served.site.origin);
  },
);

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
    createGateway({
      servers: {},
      logins: { url: "https://gateway.example", identityProvider: { issuer: idp.issuer, client: client2 } },
    }),
  ).toThrow("with a path");
});
