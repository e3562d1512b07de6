/** A token of a caller, exchanged for one of the server's own: what is asked for, what counts, and what is refused. */
import { expect, onTestFinished, test, vi } from "vitest";
import { connect, type Client, type JsonObject } from "tenon";
import { AuthorizationError, bearerToken, tokenExchange, type AuthProvider, type TokenExchangeOptions } from "tenon/auth";
import { createFetchHandler } from "tenon/server";
import { testServer } from "../support/test-server.ts";
import { scriptedWeb, type ScriptedWeb } from "./scripted-web.ts";

const ISSUER = "https://as.example";
const SERVER = "https://mcp.example/mcp";
const CLIENT = { id: "gateway", secret: "s", method: "client_secret_post" } as const;
const TYPE = "urn:ietf:params:oauth:token-type:access_token";

/** An authorization server whose token endpoint answers with `response`. */
function issuing(response: JsonObject): ScriptedWeb {
  return scriptedWeb({
    "https://mcp.example/.well-known/oauth-protected-resource/mcp": {
      body: { resource: SERVER, authorization_servers: [ISSUER] },
    },
    [`${ISSUER}/.well-known/oauth-authorization-server`]: {
      body: {
        ...{ issuer: ISSUER, token_endpoint: `${ISSUER}/token`, authorization_endpoint: `${ISSUER}/authorize` },
        ...{ response_types_supported: ["code"], token_endpoint_auth_methods_supported: ["client_secret_post"] },
      },
    },
    [`${ISSUER}/token`]: { body: { token_type: "Bearer", ...response } },
  });
}

/** A client of a server that takes what `isTaken` says, and the tokens that it has sent. */
async function clientOf(auth: AuthProvider, isTaken: (token: string) => boolean): Promise<{ client: Client; sent: string[] }> {
  const server = testServer();
  server.tool("echo", {}, () => "echoed");
  const handler = createFetchHandler(server, { allowedHosts: ["mcp.example"] });
  const sent: string[] = [];
  const fetch = (async (url: string, init?: RequestInit) => {
    const request = new Request(url, init);
    const token = /^Bearer (.*)$/.exec(request.headers.get("authorization") ?? "")?.[1];
    if (token !== undefined) sent.push(token);
    return token !== undefined && isTaken(token) ? handler(request) : new Response("", { status: 401 });
  }) as typeof globalThis.fetch;
  const client = await connect({ url: SERVER, fetch, auth }, { revision: "2026-07-28" });
  onTestFinished(() => client.close());
  onTestFinished(() => handler.close());
  return { client, sent };
}

function exchanging(web: ScriptedWeb, more: Partial<TokenExchangeOptions> = {}): AuthProvider {
  return tokenExchange({ issuer: ISSUER, client: CLIENT, subjectToken: () => ({ token: "of-ada" }), fetch: web.fetch, ...more });
}

const asked = (web: ScriptedWeb): Record<string, string>[] =>
  web.asked.filter(({ url }) => url === `${ISSUER}/token`).map(({ body }) => Object.fromEntries(new URLSearchParams(body)));

const CREDENTIALS = { client_id: "gateway", client_secret: "s" };
const STANDARD = {
  ...CREDENTIALS,
  ...{ grant_type: "urn:ietf:params:oauth:grant-type:token-exchange", resource: SERVER },
  ...{ subject_token: "of-ada", subject_token_type: TYPE, requested_token_type: TYPE },
};

test.each<[string, Partial<TokenExchangeOptions>, Record<string, string>]>([
  ["as RFC 8693 says", {}, STANDARD],
  [
    "with an audience and a scope",
    { audience: "crm", scope: "read write" },
    { ...STANDARD, audience: "crm", scope: "read write" },
  ],
  [
    "with an actor",
    { actorToken: async () => Promise.resolve("own") },
    { ...STANDARD, actor_token: "own", actor_token_type: TYPE },
  ],
  [
    "on behalf of the caller",
    { protocol: "on-behalf-of", actorToken: () => "own" },
    {
      ...CREDENTIALS,
      ...{ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", resource: SERVER },
      ...{ assertion: "of-ada", requested_token_use: "on_behalf_of" },
    },
  ],
])("a token is asked for %s", async (_what, options, expected) => {
  const web = issuing({ access_token: "for-crm", refresh_token: "kept-by-nobody" });
  const { client, sent } = await clientOf(exchanging(web, options), (token) => token === "for-crm");
  expect((await client.callTool("echo")).text).toBe("echoed");
  expect(asked(web)).toEqual([expected]);
  expect(new Set(sent)).toEqual(new Set(["for-crm"]));
});

test("a token is used no longer than the caller's, and no longer than it lasts itself", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 1) });
  onTestFinished(() => void vi.useRealTimers());
  const HOUR = 3_600_000;
  for (const [expires_in, expiresAt, hours] of [
    [undefined, Date.now() + 2 * HOUR, 2],
    [3 * 3_600, Date.now() + 2 * HOUR, 2],
    [3_600, Date.now() + 2 * HOUR, 1],
    [3_600, undefined, 1],
  ] as const) {
    const start = Date.now();
    const web = issuing({ access_token: "for-crm", ...(expires_in !== undefined && { expires_in }) });
    const auth = exchanging(web, { subjectToken: () => ({ token: "of-ada", expiresAt }) });
    const { client } = await clientOf(auth, () => true);
    await client.callTool("echo");
    vi.setSystemTime(start + (hours * HOUR) / 2);
    await client.callTool("echo");
    expect(asked(web)).toHaveLength(1);
    vi.setSystemTime(start + hours * HOUR + 1);
    await client.callTool("echo");
    expect(asked(web)).toHaveLength(2);
    vi.setSystemTime(start);
  }
});

test("a token is not used after the caller's has expired, if no other one is to be had", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 1) });
  onTestFinished(() => void vi.useRealTimers());
  const expiresAt = Date.now() + 3_600_000;
  const subjectToken = (): { token: string; expiresAt: number } => {
    if (Date.now() >= expiresAt)
      throw new AuthorizationError({ hop: "token", url: ISSUER, problem: "it has expired", remedy: "Log in." });
    return { token: "of-ada", expiresAt };
  };
  const { client, sent } = await clientOf(exchanging(issuing({ access_token: "for-crm" }), { subjectToken }), () => true);
  await client.callTool("echo");
  const before = sent.length;
  vi.setSystemTime(expiresAt);
  await expect(client.callTool("echo")).rejects.toMatchObject({ problem: "it has expired" });
  expect(sent).toHaveLength(before);
});

test("the caller's own token is never sent to the server, also if the authorization server gives it back", async () => {
  const web = issuing({ access_token: "of-ada" });
  const seen: string[] = [];
  const opened = clientOf(exchanging(web), (token) => (seen.push(token), true));
  await expect(opened.then(({ client }) => client.callTool("echo"))).rejects.toMatchObject({
    hop: "token",
    url: `${ISSUER}/token`,
    problem: "it gave the caller's token back, which must not be sent to another server",
    remedy: "The operator of the authorization server must issue a token of its own for each server.",
  });
  expect(seen).toEqual([]);
});

test.each([
  [{ issuer: undefined }, TypeError, "issuer"],
  [{ client: undefined }, TypeError, "client"],
  [{ client: { id: "x" } }, TypeError, "client"],
  [{ protocol: "obo" }, RangeError, 'Option "protocol" must be "token-exchange" or "on-behalf-of", not "obo"'],
  [{ audiance: "x" }, TypeError, 'Did you mean "audience"?'],
])("tokenExchange() with %j is refused at once", (wrong, kind, message) => {
  const options = { issuer: ISSUER, client: CLIENT, subjectToken: () => ({ token: "t" }), ...wrong } as never;
  expect(() => tokenExchange(options)).toThrow(kind);
  expect(() => tokenExchange(options)).toThrow(message);
});

test("a function that gives another token is asked once more when a token is refused, and not again", async () => {
  let minted = 0;
  const { client, sent } = await clientOf(
    bearerToken(() => `t${++minted}`),
    (token) => token !== "t1",
  );
  expect((await client.callTool("echo")).text).toBe("echoed");
  expect(sent.slice(0, 2)).toEqual(["t1", "t2"]);
});

test("a function that gives the refused token again ends the call, and the server is not asked again", async () => {
  const given: string[] = [];
  const auth = bearerToken(() => (given.push("same"), "same"));
  const sent: string[] = [];
  const opened = clientOf(auth, (token) => (sent.push(token), false));
  await expect(opened.then(({ client }) => client.callTool("echo"))).rejects.toMatchObject({
    hop: "access",
    url: SERVER,
    problem: "the server refuses the token it was given",
    remedy: "Get a token that the server takes; one that is for another server, or has expired, is not.",
  });
  expect([sent, given]).toEqual([["same"], ["same", "same"]]);
});

test("an issuer whose metadata has no token endpoint is named, and nothing is sent to it", async () => {
  const web = scriptedWeb({
    "https://mcp.example/.well-known/oauth-protected-resource/mcp": {
      body: { resource: SERVER, authorization_servers: [ISSUER] },
    },
    [`${ISSUER}/.well-known/oauth-authorization-server`]: {
      body: { issuer: ISSUER, authorization_endpoint: `${ISSUER}/authorize`, response_types_supported: ["code"] },
    },
  });
  await expect(clientOf(exchanging(web), () => false)).rejects.toMatchObject({
    url: `${ISSUER}/.well-known/oauth-authorization-server`,
    problem: 'the metadata has no "token_endpoint"',
  });
  expect(asked(web)).toEqual([]);
});
