// What holds for every authorization extension: it is optional, for HTTP only, adds nothing to the messages, goes together with
// others, and keeps the rules of every login.
import { expect, onTestFinished, test } from "vitest";
import { connect, type Client, type ConnectOptions } from "tenon";
import {
  bearerToken,
  clientCredentials,
  enterpriseManaged,
  workloadIdentity,
  type AuthProvider,
  type OAuthOptions,
} from "tenon/auth";
import { serveHttp } from "tenon/node";
import type { RunningAuthorizationServer } from "tenon/testing";
import { failureOf } from "../support/failure-of.ts";
import { asked, authorizationServer, protect, type ProtectedServer } from "./support.ts";
import { testServer } from "../support/test-server.ts";

/** A program that is authorized by an extension, and all servers that its credentials are for. */
interface Extension {
  readonly as: RunningAuthorizationServer;
  readonly all: readonly RunningAuthorizationServer[];
  readonly auth: (options?: OAuthOptions) => AuthProvider;
}

const EXTENSIONS: Readonly<Record<string, () => Promise<Extension>>> = {
  async "client credentials"() {
    const as = await authorizationServer({ clients: [{ client_id: "machine", client_secret: "s" }] });
    const client = { id: "machine", secret: "s" };
    return { as, all: [as], auth: (options) => clientCredentials({ issuer: as.issuer, client, ...options }) };
  },
  async "workload identity"() {
    const platform = await authorizationServer();
    const as = await authorizationServer({ workloadIssuers: [{ issuer: platform.issuer, jwks: () => platform.jwks() }] });
    const now = Date.now() / 1000;
    const claims = { iss: platform.issuer, sub: "spiffe://a/b", aud: `${as.issuer}/token`, iat: now, exp: now + 60, jti: "1" };
    const assertion = (): Promise<string> => platform.sign("JWT", { ...claims, jti: crypto.randomUUID() });
    return { as, all: [as, platform], auth: (options) => workloadIdentity({ issuer: as.issuer, assertion, ...options }) };
  },
  async "enterprise-managed authorization"() {
    const idp = await authorizationServer({
      clients: [{ client_id: "at-idp", client_secret: "i" }],
      idJagClientId: () => "at-as",
    });
    const as = await authorizationServer({
      clients: [{ client_id: "at-as", client_secret: "a" }],
      identityProviders: [{ issuer: idp.issuer, jwks: () => idp.jwks() }],
    });
    const claims = { iss: idp.issuer, sub: "worker", aud: "at-idp" };
    const subjectToken = (): Promise<string> => idp.sign("JWT", { ...claims, exp: Date.now() / 1000 + 60 });
    const identityProvider = { tokenEndpoint: `${idp.issuer}/token`, client: { id: "at-idp", secret: "i" }, subjectToken };
    const client = { id: "at-as", secret: "a" };
    return {
      as,
      all: [as, idp],
      auth: (options) => enterpriseManaged({ issuer: as.issuer, client, identityProvider, ...options }),
    };
  },
};
const ALL = Object.entries(EXTENSIONS);

async function opened(target: string, options: ConnectOptions): Promise<Client> {
  const client = await connect(target, options);
  onTestFinished(() => client.close());
  return client;
}

/** The requests of all servers of the extension. */
const requestsOf = ({ all }: Extension): unknown[] => all.flatMap(({ requests }) => requests);

/** The different messages that a server gets. */
function messagesOf(server: ProtectedServer): Set<string> {
  const messages = new Set<string>();
  server.guarding.instead = (request, _response, body) => {
    if (request.method === "POST") messages.add(body);
    return false;
  };
  return messages;
}

test.each(ALL)("%s: a server that wants no token causes no request for one [requirement R7]", async (_, create) => {
  const extension = await create();
  const open = testServer({ name: "open" });
  open.tool("add", {}, () => "0");
  const http = await serveHttp(open, { port: 0 });
  onTestFinished(() => http.close());
  const client = await opened(http.url, { auth: extension.auth() });
  expect((await client.callTool("add")).text).toBe("0");
  // Authorization is a part of HTTP: elsewhere the option is a mistake.
  for (const target of [open, { command: process.execPath, args: ["-e", ""] }]) {
    await expect(connect(target, { auth: extension.auth() })).rejects.toThrow(
      new TypeError('Option "auth" is for servers at a URL'),
    );
  }
  expect(requestsOf(extension)).toEqual([]);
});

test.each(ALL)("%s: adds a header, and changes no message [requirement R7]", async (_, create) => {
  const { as, auth } = await create();
  const server = await protect(as);
  const withExtension = messagesOf(server);
  const call = async (options: ConnectOptions): Promise<void> => {
    const client = await opened(server.url, { ...options, revision: "2026-07-28" });
    expect((await client.callTool("echo", { a: 1 })).text).toBe('{"a":1}');
  };
  await call({ auth: auth() });
  expect(withExtension.size).toBeGreaterThan(1);
  const token = server.tokens().at(-1)!;
  const without = messagesOf(server);
  await call({ auth: bearerToken(token) });
  expect(withExtension).toEqual(without);
});

test.each(ALL)("%s: goes together with DPoP [requirement R7]", async (_, create) => {
  const { as, auth } = await create();
  const server = await protect(as);
  const client = await opened(server.url, { auth: auth({ dpop: true }), revision: "2026-07-28" });
  await client.callTool("echo", {});
  expect(asked(as, "token").map(({ headers }) => typeof headers["dpop"])).toEqual(["string"]);
  const presented = server.sent.filter(({ authorization }) => authorization !== undefined);
  expect(presented.length).toBeGreaterThan(0);
  for (const { authorization, dpop } of presented)
    expect([authorization!.split(" ")[0], typeof dpop]).toEqual(["DPoP", "string"]);
});

test.each(ALL)(
  "%s: asks for a token of this server alone, and shows it in a header alone [requirement R7]",
  async (_, create) => {
    const extension = await create();
    const server = await protect(extension.as);
    const client = await opened(server.url, { auth: extension.auth(), revision: "2026-07-28" });
    await client.callTool("echo", {});
    expect(asked(extension.as, "token").map(({ parameters }) => parameters["resource"])).toEqual([server.url]);
    expect(server.tokens()).toHaveLength(1);
    const urls = [
      ...server.sent.map(({ path }) => path),
      ...extension.all.flatMap(({ requests }) => requests.map(({ url }) => url)),
    ];
    expect(urls.join()).not.toMatch(/ey[\w-]+\.|secret|token=/);
  },
);

const BAD: Readonly<Record<string, (server: ProtectedServer, extension: Extension) => Promise<void> | void>> = {
  "the server names another authorization server": async ({ guarding, url }) => {
    guarding.metadata = { resource: url, authorization_servers: [(await authorizationServer()).issuer] };
  },
  "the metadata is of another resource": ({ guarding }, { as }) => {
    guarding.metadata = { resource: "https://another.example/mcp", authorization_servers: [as.issuer] };
  },
  "the metadata of the authorization server names another issuer": (_server, { as }) => {
    as.settings.alterResponse = (answer, { endpoint }) =>
      endpoint === "metadata" ? { ...answer, issuer: "https://another.example" } : answer;
  },
};

test.each(ALL)("%s: sends no credential if what it discovers is not consistent [requirement R7]", async (_, create) => {
  for (const [what, spoil] of Object.entries(BAD)) {
    const extension = await create();
    const server = await protect(extension.as);
    await spoil(server, extension);
    expect(await failureOf(connect(server.url, { auth: extension.auth(), revision: "2026-07-28" })), what).toMatchObject({
      name: "AuthorizationError",
    });
    expect(
      extension.all.flatMap((one) => asked(one, "token")),
      what,
    ).toEqual([]);
    expect(server.tokens(), what).toEqual([]);
  }
});
