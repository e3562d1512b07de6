// Clients log in through the authorization server, at both kinds of providers: Tenon's client, and the official one.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { connect, McpServer } from "tenon";
import { MemoryStore, oauth, type OAuthProvider } from "tenon/auth";
import { createAuthorizationServer } from "tenon/authorization-server";
import { createGateway } from "tenon/gateway";
import { serveHttp } from "tenon/node";
import {
  authorizeUrl,
  FetchBrowser,
  isConsent,
  REDIRECT,
  reserve,
  startOAuthSite,
  startSite,
  user,
  webClient,
  type Visit,
} from "./support.ts";
import { oauthUpstream, openIdUpstream } from "./upstreams.ts";
import { freePort } from "../../../../scripts/free-port.mjs";

test("a user of a plain OAuth provider logs in, and the client gets tokens of this server", async () => {
  const site = await startOAuthSite({ claims: ({ claims }) => ({ name: claims["login"] ?? null }) });
  const seen: Visit[] = [];
  const client = await connect(site.url, { auth: oauth({ open: user(new FetchBrowser(), seen) }) });
  onTestFinished(() => client.close());
  const { claims, subject } = JSON.parse((await client.callTool("whoami")).text) as {
    claims: Record<string, unknown>;
    subject: string;
  };
  expect(claims).toMatchObject({ iss: site.origin, aud: site.url, scope: "notes:read", name: "ada" });
  expect(subject).toMatch(/^[\w-]{43}$/);
  expect(seen).toHaveLength(1);
  expect(site.errors).toEqual([]);
});

test("a user of an OpenID provider logs in", async () => {
  const reserved = await reserve();
  const site = await startSite(reserved, await openIdUpstream(`${reserved.origin}/callback`));
  const client = await connect(site.url, { auth: oauth({ open: user() }) });
  onTestFinished(() => client.close());
  expect((await client.callTool("whoami")).text).toContain('"scopes":["notes:read"]');
  expect(site.errors).toEqual([]);
});

test.each(["1", "2"])(
  "the official client of version %s logs in, and refreshes its token",
  async (version) => {
    const site = await startOAuthSite();
    const program = fileURLToPath(new URL("fixtures/official-client.mjs", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [program, version, site.url], { timeout: 100_000 });
    expect(JSON.parse(stdout)).toEqual({ scopes: ["notes:read"], isRotated: true });
    expect(site.upstream.logins).toHaveLength(1);
  },
  120_000,
);

test("a client that needs more asks again, and the user sees what is added", async () => {
  const site = await startOAuthSite();
  const seen: Visit[] = [];
  const client = await connect(site.url, { auth: oauth({ open: user(new FetchBrowser(), seen) }) });
  onTestFinished(() => client.close());
  expect((await client.callTool("write")).text).toBe("written");
  expect(seen.map(({ html }) => html.includes("Change your notes"))).toEqual([false, true]);
  expect(site.upstream.logins).toHaveLength(1);
});

describe.each(["2025-11-25", "2026-07-28"] as const)("%s", (revision) => {
  test("a client that kept its tokens does not ask its user again", async () => {
    const site = await startOAuthSite();
    const [store, seen] = [new MemoryStore(), [] as Visit[]];
    const auth = (): OAuthProvider => oauth({ store, open: user(new FetchBrowser(), seen) });
    for (let times = 0; times < 2; times++) {
      const client = await connect(site.url, { auth: auth(), revision });
      expect((await client.callTool("whoami")).text).toContain("notes:read");
      await client.close();
    }
    expect(seen).toHaveLength(1);
  });
});

test("a browser keeps its cookie when it looks at the page again, and gets one if it has none", async () => {
  const site = await startOAuthSite();
  const page = { client_id: await webClient(site), redirect_uri: REDIRECT, scope: "notes:read" };
  const [browser, other] = [new FetchBrowser(), new FetchBrowser()];
  const ownCookies = ({ headers }: Visit): string[] => headers.getSetCookie().filter((line) => line.startsWith("tenon-login="));
  const first = await browser.go(authorizeUrl(site, page));
  expect([isConsent(first), ownCookies(first).length]).toEqual([true, 1]);
  const again = await browser.go(first.url);
  expect([isConsent(again), ownCookies(again)]).toEqual([true, []]);
  expect(ownCookies(await browser.go(authorizeUrl(site, page)))).toEqual([]);
  expect(ownCookies(await other.go(authorizeUrl(site, page)))).toHaveLength(1);
});

test("serveHttp() serves the pages beside a server, and beside a gateway", async () => {
  const clock = new McpServer({ name: "clock", version: "1.0.0" });
  clock.tool("now", {}, () => "noon");
  const gateway = createGateway({ readyTimeout: 60_000, servers: { clock } });
  const { endpoint, origin } = await onFreePort(async (port) => {
    const at = `http://127.0.0.1:${port}`;
    const { provider } = await oauthUpstream(`${at}/callback`);
    const [scopes, allowUser] = [{ use: "Use the tools" }, (): boolean => true];
    const login = await createAuthorizationServer({ issuer: at, resource: `${at}/mcp`, scopes, provider, allowUser });
    return { endpoint: await serveHttp(gateway, { port, auth: login.protect({ scopes: ["use"] }) }), origin: at };
  });
  onTestFinished(async () => {
    await endpoint.close();
    await gateway.close();
  });
  const client = await connect(endpoint.url, { auth: oauth({ open: user() }) });
  onTestFinished(() => client.close());
  expect((await client.callTool("clock__now")).text).toBe("noon");
  expect((await fetch(`${origin}/other`)).status).toBe(404);
});

/** Starts something on a port that was free a moment ago, and again if another program was faster. */
async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await start(await freePort());
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    }
  }
}

test("an issuer with a path shares its origin with other things", async () => {
  const reserved = await reserve();
  const { origin } = reserved;
  const upstream = await oauthUpstream(`${origin}/login/callback`);
  const site = await startSite(reserved, upstream.provider, { issuer: `${origin}/login` });
  const client = await connect(site.url, { auth: oauth({ open: user() }) });
  onTestFinished(() => client.close());
  expect(JSON.parse((await client.callTool("whoami")).text)).toMatchObject({ claims: { iss: `${origin}/login` } });
  expect((await fetch(`${origin}/authorize`)).status).toBe(404);
});
