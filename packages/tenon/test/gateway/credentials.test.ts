/** The credentials of a gateway at each of its servers: none, static, its own, and one for each caller by token exchange. */
import { createLocalJWKSet, decodeJwt, jwtVerify, type JSONWebKeySet } from "jose";
import { describe, expect, test } from "vitest";
import { connect, type ProtocolVersion } from "tenon";
import { bearerToken, clientCredentials } from "tenon/auth";
import { callerTokenExchange, createGateway, perCaller, type CallerAuth } from "tenon/gateway";
import {
  clientWith,
  companyGateway,
  companyServer,
  GATEWAY_CLIENT,
  identityProvider,
  JWT_BEARER,
  TOKEN_EXCHANGE,
  whoServer,
} from "./company.ts";

const FAMILIES: readonly ProtocolVersion[] = ["2025-11-25", "2026-07-28"];

describe.each(FAMILIES)("Clients of %s", (revision) => {
  describe.each(FAMILIES)("servers of %s", (behind) => {
    test("without credentials, with a header, with its own token: none sees the caller's [fault G8] [fault O9]", async () => {
      const idp = await identityProvider();
      const [open, fixed, own] = await Promise.all([
        companyServer(idp.issuer),
        companyServer(idp.issuer),
        companyServer(idp.issuer),
      ]);
      open.site.handle = (await companyServer(idp.issuer)).site.handle; // refuses, as it gets no token
      const constant = await idp.token("robot", fixed.url);
      const served = await companyGateway(idp.issuer, () => ({
        servers: {
          open: { url: open.url, revision: behind },
          fixed: { url: fixed.url, revision: behind, auth: bearerToken(constant) },
          own: {
            url: own.url,
            revision: behind,
            auth: clientCredentials({ issuer: idp.issuer, client: GATEWAY_CLIENT, scope: "read" }),
          },
        },
      }));
      const tokens = await Promise.all(["ada", "bob"].map((user) => idp.token(user, served.url)));
      for (const token of tokens) {
        const client = await clientWith(served.url, token, { revision });
        expect((await client.callTool("fixed__who")).text).toBe("robot by ide");
        expect((await client.callTool("own__who")).text).toBe("gateway by gateway");
        await expect(client.callTool("open__who")).rejects.toThrow('Server "open" is not available');
      }
      expect(fixed.tokens()).toEqual([constant]);
      expect(own.tokens()).toHaveLength(1);
      expect(idp.asked("client_credentials")).toEqual([expect.objectContaining({ resource: own.url, scope: "read" })]);
      const sent = JSON.stringify([open.site.seen, fixed.site.seen, own.site.seen, idp.site.seen]);
      for (const token of tokens) expect(sent).not.toContain(token);
    });

    test("each caller is itself behind the gateway, by a token of the server's audience [fault G8] [M1.4]", async () => {
      const idp = await identityProvider();
      const server = await companyServer(idp.issuer);
      const served = await companyGateway(idp.issuer, () => ({
        servers: { crm: { url: server.url, revision: behind, auth: exchangeAt(idp.issuer) } },
      }));
      const users = ["ada", "bob", "cy"];
      const tokens = await Promise.all(users.map((user) => idp.token(user, served.url)));
      const clients = await Promise.all(tokens.map((token) => clientWith(served.url, token, { revision })));
      for (let round = 0; round < 3; round++) {
        const answers = await Promise.all(clients.map((client) => client.callTool("crm__who")));
        expect(answers.map(({ text }) => text)).toEqual(users.map((user) => `${user} by gateway`));
      }
      const keys = createLocalJWKSet((await (await fetch(`${idp.issuer}/jwks`)).json()) as JSONWebKeySet);
      for (const token of server.tokens()) await jwtVerify(token, keys, { issuer: idp.issuer, audience: server.url });
      expect(
        server
          .tokens()
          .map((token) => decodeJwt(token).sub)
          .toSorted(),
      ).toEqual(users);
      expect(idp.asked(TOKEN_EXCHANGE)).toHaveLength(users.length);
      for (const token of tokens) expect(JSON.stringify(server.site.seen)).not.toContain(token);
    });
  });

  test("a token is got once for a principal with the same scopes, and again with others", async () => {
    const idp = await identityProvider();
    const server = await companyServer(idp.issuer);
    const auth = exchangeAt(idp.issuer);
    const served = await companyGateway(idp.issuer, () => ({ servers: { crm: { url: server.url, auth } } }));
    for (const scope of ["read", "read", "read write"]) {
      const client = await clientWith(served.url, await idp.token("ada", served.url, { scope }), { revision });
      expect((await client.callTool("crm__who")).text).toBe("ada by gateway");
    }
    expect(idp.asked(TOKEN_EXCHANGE)).toHaveLength(2);
    // Another program of the same user is another principal.
    const other = await clientWith(served.url, await idp.token("ada", served.url, { scope: "read", client: "chat" }), {
      revision,
    });
    expect((await other.callTool("crm__who")).text).toBe("ada by gateway");
    expect(idp.asked(TOKEN_EXCHANGE)).toHaveLength(3);
    expect(new Set(server.tokens()).size).toBe(3);
  });

  test("an exchange that is refused concerns its caller only, is named, and names no URL", async () => {
    const idp = await identityProvider();
    const server = await companyServer(idp.issuer);
    const served = await companyGateway(idp.issuer, () => ({
      servers: { crm: { url: server.url, auth: exchangeAt(idp.issuer) }, clock: whoServer("clock") },
    }));
    const ada = await clientWith(served.url, await idp.token("ada", served.url), { revision });
    expect((await ada.callTool("crm__who")).text).toBe("ada by gateway");
    idp.refuses = "invalid_target";
    const bob = await clientWith(served.url, await idp.token("bob", served.url), { revision });
    const refusal: unknown = await bob.callTool("crm__who").catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      code: -32603,
      data: { server: "crm", reason: "login", hop: "token", error: "invalid_target" },
    });
    expect(JSON.stringify(refusal) + String(refusal)).not.toContain("127.0.0.1");
    expect(served.reported.some(({ message }) => message.includes("invalid_target"))).toBe(true);
    expect((await bob.callTool("clock__who")).text).toBe("nobody by no client");
    expect((await bob.listTools()).tools.map(({ name }) => name)).not.toContain("crm__who");
    expect((await ada.callTool("crm__who")).text).toBe("ada by gateway");
    idp.refuses = undefined;
    expect((await bob.callTool("crm__who")).text).toBe("bob by gateway");
  });

  test("with the option share all, callers with their own credentials still have their own connections [fault G9]", async () => {
    const idp = await identityProvider();
    const server = await companyServer(idp.issuer);
    const served = await companyGateway(idp.issuer, () => ({
      servers: { crm: { url: server.url, revision: "2025-11-25", auth: exchangeAt(idp.issuer) } },
      share: "all",
    }));
    for (const user of ["ada", "bob"]) {
      const client = await clientWith(served.url, await idp.token(user, served.url), { revision });
      expect((await client.readResource("note://own")).contents).toMatchObject([{ text: `note of ${user}` }]);
    }
    const sessions = new Set(server.site.seen.flatMap(({ headers }) => headers["mcp-session-id"] ?? []));
    expect(sessions.size).toBe(2);
  });
});

test("the caller's token is sent to no authorization server but its own issuer", async () => {
  const [own, foreign] = [await identityProvider(), await identityProvider()];
  const server = await companyServer(foreign.issuer);
  const served = await companyGateway(own.issuer, () => ({
    servers: { crm: { url: server.url, auth: exchangeAt(foreign.issuer) } },
  }));
  const client = await clientWith(served.url, await own.token("ada", served.url));
  await expect(client.callTool("crm__who")).rejects.toMatchObject({ data: { server: "crm", reason: "login", hop: "token" } });
  expect(foreign.asked(TOKEN_EXCHANGE)).toEqual([]);
});

test("a server that names another authorization server gets no token, and that server no request [fault O6]", async () => {
  const [idp, evil] = [await identityProvider(), await identityProvider()];
  const server = await companyServer(evil.issuer);
  const served = await companyGateway(idp.issuer, () => ({
    servers: { crm: { url: server.url, auth: exchangeAt(idp.issuer) } },
  }));
  const client = await clientWith(served.url, await idp.token("ada", served.url));
  await expect(client.callTool("crm__who")).rejects.toMatchObject({ data: { hop: "protected resource metadata" } });
  expect(evil.site.seen).toEqual([]);
  expect(server.tokens()).toEqual([]);
});

test("an exchange as Microsoft Entra ID has it sends the caller's token as an assertion, on behalf of the caller", async () => {
  const idp = await identityProvider();
  const server = await companyServer(idp.issuer);
  const auth = callerTokenExchange({ issuer: idp.issuer, client: GATEWAY_CLIENT, scope: "read", protocol: "on-behalf-of" });
  const served = await companyGateway(idp.issuer, () => ({ servers: { crm: { url: server.url, auth } } }));
  const token = await idp.token("ada", served.url);
  expect((await (await clientWith(served.url, token)).callTool("crm__who")).text).toBe("ada by gateway");
  expect(idp.asked(JWT_BEARER)).toEqual([
    expect.objectContaining({ assertion: token, requested_token_use: "on_behalf_of", resource: server.url, scope: "read" }),
  ]);
  expect(idp.asked(TOKEN_EXCHANGE)).toEqual([]);
});

test("a token that has expired is got again with the caller's newest token", async () => {
  const idp = await identityProvider();
  const server = await companyServer(idp.issuer);
  const served = await companyGateway(idp.issuer, () => ({
    servers: { crm: { url: server.url, auth: exchangeAt(idp.issuer) } },
  }));
  idp.lifetime = 1;
  const first = await idp.token("ada", served.url);
  const client = await clientWith(served.url, first);
  expect((await client.callTool("crm__who")).text).toBe("ada by gateway");
  const second = await idp.token("ada", served.url);
  const later = await clientWith(served.url, second);
  const isExchanged = async (): Promise<boolean> => {
    expect((await later.callTool("crm__who")).text).toBe("ada by gateway");
    return idp.asked(TOKEN_EXCHANGE).some(({ subject_token }) => subject_token === second);
  };
  await expect.poll(isExchanged, { timeout: 100_000 }).toBe(true);
  expect(idp.asked(TOKEN_EXCHANGE)[0]!["subject_token"]).toBe(first);
});

test("credentials of a vault, one for each caller, and none for a caller without a name", async () => {
  const idp = await identityProvider();
  const server = await companyServer(idp.issuer);
  const vault = new Map<string, string>();
  for (const user of ["ada", "bob"]) vault.set(user, await idp.token(`${user}-in-crm`, server.url));
  const auth: CallerAuth = perCaller((owner) => bearerToken(() => vault.get(owner.auth?.subject ?? "") ?? "none"));
  const served = await companyGateway(idp.issuer, () => ({ servers: { crm: { url: server.url, auth } } }));
  for (const user of ["ada", "bob"]) {
    const client = await clientWith(served.url, await idp.token(user, served.url));
    expect((await client.callTool("crm__who")).text).toBe(`${user}-in-crm by ide`);
  }
});

test("options that are wrong are refused when the gateway is made", () => {
  const issuer = "https://as.example";
  expect(() => callerTokenExchange({ issuer, client: { id: "g" } })).toThrow("needs a secret or a key");
  expect(() => callerTokenExchange({ issuer, client: GATEWAY_CLIENT, protocol: "saml" as never })).toThrow('"on-behalf-of"');
  expect(() => callerTokenExchange({ issuer, client: GATEWAY_CLIENT, account: "x" } as never)).toThrow("account");
  const auth = callerTokenExchange({ issuer, client: GATEWAY_CLIENT });
  expect(() => createGateway({ servers: { files: { target: { command: "x" }, auth } } })).toThrow(
    'gets its credentials by "env"',
  );
});

test("a client in the same process is one principal, and has no token to exchange", async () => {
  const idp = await identityProvider();
  const server = await companyServer(idp.issuer);
  const reported: Error[] = [];
  await using gateway = createGateway({
    readyTimeout: 60_000,
    servers: { crm: { url: server.url, auth: exchangeAt(idp.issuer) } },
    onError: (error) => void reported.push(error),
  });
  await using client = await connect(gateway);
  await expect(client.callTool("crm__who")).rejects.toMatchObject({ data: { server: "crm", reason: "login" } });
  expect(reported.join()).toContain("the caller has no token");
});

function exchangeAt(issuer: string): CallerAuth {
  return callerTokenExchange({ issuer, client: GATEWAY_CLIENT, scope: "read" });
}
