// Our client, our server and the test authorization server, with nothing between them but functions.
import { describe, expect, onTestFinished, test } from "vitest";
import { connect, SUPPORTED_PROTOCOL_VERSIONS, type Client } from "tenon";
import {
  bearer,
  clientCredentials,
  oauth,
  type AuthFetch,
  type AuthProvider,
  type BearerOptions,
  type Redirection,
} from "tenon/auth";
import type { Fetch } from "tenon/client";
import { createFetchHandler } from "tenon/server";
import { createTestAuthorizationServer, type TestAuthorizationServer } from "tenon/testing";
import { testServer } from "../support/test-server.ts";

const SERVER = "https://mcp.example/mcp";
const ISSUER = "https://login.example";

interface Stage {
  readonly as: TestAuthorizationServer;
  readonly user: Redirection;
  /** Everywhere there is. */
  readonly web: AuthFetch;
  readonly connect: (auth: AuthProvider, revision: (typeof SUPPORTED_PROTOCOL_VERSIONS)[number]) => Promise<Client>;
}

async function stage(guard: Partial<BearerOptions> = {}): Promise<Stage> {
  const as = await createTestAuthorizationServer(ISSUER, { clients: [{ client_id: "machine", client_secret: "s" }] });
  const mcp = testServer({ name: "protected" });
  mcp.tool("who", {}, (_, { auth }) => JSON.stringify({ subject: auth?.subject, client: auth?.clientId, scopes: auth?.scopes }));
  mcp.tool("write", { scopes: ["write"] }, () => "written");
  const handler = createFetchHandler(mcp, {
    allowedHosts: ["mcp.example"],
    auth: bearer({ issuer: ISSUER, audience: SERVER, scopes: ["read"], fetch: (url, init) => as.fetch(url, init), ...guard }),
  });
  const web: AuthFetch = (url, init) =>
    url.startsWith("https://mcp.example/") ? handler(new Request(url, init)) : as.fetch(url, init);
  const user: Redirection = {
    begin: () =>
      Promise.resolve({
        redirectUri: "http://127.0.0.1:7357/callback",
        visit: async (page) => new URL((await as.fetch(page)).headers.get("location")!),
        close: () => Promise.resolve(),
      }),
  };
  const fetch: Fetch = (url, { headers, ...init }) =>
    handler(new Request(url, { ...init, headers: { host: "mcp.example", ...headers } }));
  return {
    as,
    user,
    web,
    connect: async (auth, revision) => {
      const client = await connect({ url: SERVER, fetch, auth }, { revision });
      onTestFinished(() => client.close());
      return client;
    },
  };
}

/** Every way to speak that is not HTTP+SSE, which needs a server that offers it. */
const REVISIONS = SUPPORTED_PROTOCOL_VERSIONS.filter((revision) => revision !== "2024-11-05");

describe.each(REVISIONS)("on %s", (revision) => {
  test.each([
    ["a token for whoever has it", undefined],
    ["a bound token", { dpop: true }],
    ["a bound token, and nonces", { dpop: { nonce: true } }],
  ] as const)(
    "a user logs in, is known to the handler, and steps up for a tool that needs more: %s [M1.6 M5.2 requirement R4]",
    async (_, guard) => {
      const { as, user, web, connect: open } = await stage(guard);
      const client = await open(oauth({ redirection: user, fetch: web, ...(guard && { dpop: true }) }), revision);
      expect(JSON.parse((await client.callTool("who")).text)).toMatchObject({ subject: "user", scopes: ["read"] });
      expect((await client.callTool("write")).text).toBe("written");
      const scopes = as.requests.filter(({ endpoint }) => endpoint === "authorize").map(({ parameters }) => parameters["scope"]);
      expect(scopes).toEqual(["read", "read write"]);
      expect((await client.callTool("who")).text).toContain('"scopes":["read","write"]');
    },
  );

  test("a program of its own [requirement R1]", async () => {
    const { as, web, connect: open } = await stage();
    const auth = clientCredentials({ issuer: ISSUER, client: { id: "machine", secret: "s" }, fetch: web });
    const client = await open(auth, revision);
    expect((await client.callTool("who")).text).toContain('"client":"machine"');
    expect((await client.callTool("write")).text).toBe("written");
    expect(as.requests.filter(({ endpoint }) => endpoint === "token")).toHaveLength(2);
  });
});
