/**
 * A hostile authorization server that sends its user on to an honest one, to be given the code that the honest one issues (RFC
 * 9700 section
 * 4.4). The honest one does not send `iss`, so only the redirect URI tells the two apart.
 */
import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { RunningAuthorizationServer } from "tenon/testing";
import { AuthorizationRequiredError, MemoryStore, oauth, type OAuthProvider, type Redirection } from "tenon/auth";
import { asked, authorization, authorizationServer, login, protect, type ProtectedServer } from "./support.ts";
import { scriptedWeb } from "./scripted-web.ts";

const DOCUMENT = "https://app.example/client.json";
const SEGMENT = /\/callback\/[\w-]{22}$/;

/** An authorization server that neither promises `iss` nor sends it. */
async function withoutIss(documents: readonly string[] = ["http://127.0.0.1/callback"]): Promise<RunningAuthorizationServer> {
  const body = { client_id: DOCUMENT, client_name: "App", redirect_uris: documents };
  const as = await authorizationServer({ documents: { fetch: scriptedWeb({ [DOCUMENT]: { body } }).fetch } });
  as.settings.alterRedirect = (parameters) => parameters.delete("iss");
  as.settings.alterResponse = (response, { endpoint }) =>
    endpoint === "metadata" ? { ...response, authorization_response_iss_parameter_supported: undefined } : response;
  return as;
}

/** Listens on a free port of this machine. */
async function listening(server: Server): Promise<{ origin: string; close: () => void }> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}

/**
 * Makes an authorization server send its users on to another one, as that server's client, to the redirect URI that `to` makes.
 */
async function turnHostile(
  hostile: RunningAuthorizationServer,
  honest: RunningAuthorizationServer,
  to: (own: URL, atHonest: URL) => URL,
): Promise<void> {
  const page = createServer((request, response) => {
    const { searchParams: own } = new URL(request.url!, "http://127.0.0.1");
    const { client_id, redirect_uri, resource } = authorization(honest) as Record<string, string>;
    const challenge = createHash("sha256").update("the attacker's verifier, which only the attacker has").digest("base64url");
    const query = new URLSearchParams({
      response_type: "code",
      client_id: client_id!,
      redirect_uri: to(new URL(own.get("redirect_uri")!), new URL(redirect_uri!)).href,
      state: own.get("state")!,
      code_challenge: challenge,
      code_challenge_method: "S256",
      resource: resource!,
    });
    response.writeHead(302, { location: `${honest.issuer}/authorize?${query.toString()}` }).end();
  });
  const { origin } = await listening(page);
  const before = hostile.settings.alterResponse!;
  const authorization_endpoint = `${origin}/authorize`;
  hostile.settings.alterResponse = (response, request) => {
    const altered = before(response, request);
    return request.endpoint === "metadata" ? { ...altered, authorization_endpoint } : altered;
  };
}

/** A user's browser, and an error if it does not end at the page of the program. */
const open = async (page: URL, signal: AbortSignal): Promise<void> => {
  const { status, url } = await fetch(page, { signal });
  if (status !== 200) throw new Error(`The browser ended at ${url} with ${status}`);
};

const VARIANTS: readonly (readonly [string, (own: URL, atHonest: URL) => URL])[] = [
  ["that the login waits at", (own) => own],
  ["of the honest server", (own, atHonest) => new URL(atHonest.pathname, own)],
  ["for all", (own) => new URL("/callback", own)],
];

describe("a login that is sent on to another authorization server", () => {
  test.each(VARIANTS)("gives no code of that one away: the redirect URI %s", async (_, to) => {
    const [honest, hostile] = [await withoutIss(), await withoutIss()];
    const [good, evil] = [await protect(honest), await protect(hostile)];
    const auth = login({ open });
    await auth.login(good.url);
    await turnHostile(hostile, honest, to);
    await expect(auth.login(evil.url)).rejects.toMatchObject({ hop: "authorization" });
    expect(asked(hostile, "token")).toEqual([]);
    expect(await auth.status(good.url)).toMatchObject({ issuer: honest.issuer });
  });

  test.each(VARIANTS)(
    "nor of a client with a metadata document, which anyone may use anywhere: the redirect URI %s",
    async (_, to) => {
      const [honest, hostile] = [await withoutIss(), await withoutIss()];
      const [good, evil] = [await protect(honest), await protect(hostile)];
      const auth = login({ open, clientMetadataUrl: DOCUMENT });
      await auth.login(good.url);
      await turnHostile(hostile, honest, to);
      await expect(auth.login(evil.url)).rejects.toMatchObject({ hop: "authorization" });
      expect(asked(hostile, "token")).toEqual([]);
    },
  );

  test("a server that promises no `iss` and takes no registrations gets no login by a metadata document", async () => {
    const as = await withoutIss();
    const before = as.settings.alterResponse!;
    as.settings.alterResponse = (response, request) => {
      const { registration_endpoint: _, ...rest } = before(response, request)!;
      return request.endpoint === "metadata" ? rest : before(response, request);
    };
    const auth = login({ clientMetadataUrl: DOCUMENT });
    await expect(auth.login((await protect(as)).url)).rejects.toMatchObject({
      hop: "registration",
      remedy: expect.stringContaining('option "client"') as string,
    });
    expect(asked(as, "authorize")).toEqual([]);
  });
});

describe("the redirect URI of an issuer", () => {
  const pathOf = (as: RunningAuthorizationServer, index = 0): string =>
    new URL(authorization(as, index)["redirect_uri"] as string).pathname; // every authorization request names one

  test("is its own, and the same at each login", async () => {
    const [one, other] = [await authorizationServer(), await authorizationServer()];
    const [first, second] = [await protect(one), await protect(other)];
    const auth = login();
    for (const { url } of [first, second, first]) await auth.login(url);
    expect(pathOf(one)).toMatch(SEGMENT);
    expect(pathOf(one, 1)).toBe(pathOf(one));
    expect(pathOf(other)).toMatch(SEGMENT);
    expect(pathOf(other)).not.toBe(pathOf(one));
    const digest = createHash("sha256").update(one.issuer).digest("base64url");
    expect(pathOf(one)).toBe(`/callback/${digest.slice(0, 22)}`);
  });

  test("stays the registered one of a client that registered itself with one for all", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    const store = new MemoryStore();
    // One redirect URI for all issuers, at a port that is free.
    const free = await listening(createServer());
    free.close();
    const redirection: Redirection = {
      begin: async () => ({
        redirectUri: `${free.origin}/callback`,
        visit: async (page) => new URL((await fetch(page, { redirect: "manual" })).headers.get("location")!),
        close: async () => {},
      }),
    };
    await oauth({ store, redirection }).login(server.url);
    await login({ store }).login(server.url);
    expect(asked(as, "register")).toHaveLength(1);
    expect([pathOf(as), pathOf(as, 1)]).toEqual(["/callback", "/callback"]);
    expect(authorization(as, 1)["client_id"]).toBe(authorization(as)["client_id"]);
  });

  test("is the fixed one of a client that was given, or the issuer's own by the option", async () => {
    const as = await authorizationServer();
    const digest = createHash("sha256").update(as.issuer).digest("base64url").slice(0, 22);
    const given = async (path: string): Promise<string> => {
      const body = JSON.stringify({ redirect_uris: [`http://127.0.0.1${path}`], token_endpoint_auth_method: "none" });
      const registered = await fetch(`${as.issuer}/register`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      return ((await registered.json()) as { client_id: string }).client_id;
    };
    const [fixed, own] = [await given("/callback"), await given(`/callback/${digest}`)];
    const server = await protect(as);
    await login({ open, client: { id: fixed } }).login(server.url);
    await login({ open, client: { id: own }, ownCallback: true }).login(server.url);
    expect([pathOf(as), pathOf(as, 1)]).toEqual(["/callback", `/callback/${digest}`]);
  });
});

describe("a web host", () => {
  async function sentAway(server: ProtectedServer, auth: OAuthProvider): Promise<URL> {
    const error: unknown = await auth.login(server.url).catch((reason: unknown) => reason);
    if (!(error instanceof AuthorizationRequiredError))
      throw new Error(`Expected AuthorizationRequiredError, got ${String(error)}`);
    return new URL((await fetch(error.authorizationUrl, { redirect: "manual" })).headers.get("location")!);
  }

  test("takes users at one URL, or at the issuer's own by the option; on another path no code is sent on", async () => {
    const callbackUrl = "https://app.example/oauth/callback";
    const as = await authorizationServer();
    const server = await protect(as);
    const fixed = oauth({ callbackUrl });
    const own = oauth({ callbackUrl, ownCallback: true });
    const [one, other] = [await sentAway(server, fixed), await sentAway(server, own)];
    expect(one.pathname).toBe("/oauth/callback");
    expect(other.pathname).toMatch(/^\/oauth\/callback\/[\w-]{22}$/);
    const elsewhere = new URL(other);
    elsewhere.pathname = "/oauth/callback";
    await expect(own.finish(elsewhere)).rejects.toMatchObject({
      hop: "callback",
      message: expect.stringContaining("another path") as string,
    });
    expect(asked(as, "token")).toEqual([]);
    expect((await own.finish(other)).href).toBe(server.url);
    expect((await fixed.finish(one)).href).toBe(server.url);
  });
});
