// Clients log in through the authorization server, at both kinds of providers: Tenon's client, and the official one.
import { expect, onTestFinished, test } from "vitest";
import { connect } from "tenon";
import { oauth } from "tenon/auth";
import { FetchBrowser, freePort, startOAuthSite, startSite, user, type Visit } from "./support.ts";
import { openIdUpstream } from "./upstreams.ts";

test("a user of a plain OAuth provider logs in, and the client gets tokens of this server", async () => {
  const site = await startOAuthSite({ claims: ({ claims }) => ({ name: claims["login"] ?? null }) });
  const seen: Visit[] = [];
  const client = await connect(site.url, { auth: oauth({ open: user(new FetchBrowser(), seen) }) });
  onTestFinished(() => client.close());
  const { claims, subject } = JSON.parse((await client.callTool("whoami")).text) as { claims: Record<string, unknown>; subject: string };
  expect(claims).toMatchObject({ iss: site.origin, aud: site.url, scope: "notes:read", name: "ada" });
  expect(subject).toMatch(/^[\w-]{43}$/);
  expect(seen).toHaveLength(1);
  expect(site.errors).toEqual([]);
});

test("a user of an OpenID provider logs in", async () => {
  const port = await freePort();
  const provider = await openIdUpstream(`http://127.0.0.1:${port}/callback`);
  const site = await startSite(provider, { port });
  const client = await connect(site.url, { auth: oauth({ open: user() }) });
  onTestFinished(() => client.close());
  expect((await client.callTool("whoami")).text).toContain('"scopes":["notes:read"]');
  expect(site.errors).toEqual([]);
});
