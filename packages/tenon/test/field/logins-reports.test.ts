// Logins that fail elsewhere: servers that publish no metadata, tokens in odd places, metadata that are guarded.
import { describe, expect, test } from "vitest";
import { connect } from "tenon";
import { AuthorizationError } from "tenon/auth";
import { startAuthorizationServer, type ProviderProfile } from "tenon/testing";
import { onTestFinished } from "vitest";
import { closing } from "../support/matrix.ts";
import { scriptedHttp, type Reply } from "../http-client/scripted-http.ts";
import { login, providerWorld } from "./providers.ts";

/** A server that wants a token, and publishes nothing or what `metadata` says; and an authorization server elsewhere. */
async function silentServer(metadata: (reply: Reply, path: string, url: string) => void = (reply) => reply.text("", 404)) {
  const as = await startAuthorizationServer();
  onTestFinished(() => as.close());
  const server = await scriptedHttp((request, reply) => {
    if (request.path.startsWith("/.well-known/")) return metadata(reply, request.path, server.url);
    if (!/^Bearer ./.test(request.headers.authorization ?? "")) return reply.text("", 401, { "www-authenticate": "Bearer" });
    const { method } = request.message;
    if (request.method !== "POST" || method === undefined) return void reply.response.writeHead(405).end();
    if (method === "initialize")
      return reply.result({
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "s", version: "1" },
      });
    if (request.message["id"] === undefined) return void reply.response.writeHead(202).end();
    return method === "tools/list" ? reply.result({ tools: [] }) : reply.error(-32601);
  });
  as.settings.defaultAudience = server.url;
  return { as, url: server.url };
}

describe("a server that names no authorization server", () => {
  test("is reached by a login at the one that the user names, for this server alone [FD-101]", async () => {
    const { as, url } = await silentServer();
    const client = await closing(connect({ url, auth: login({ issuer: as.issuer }) }));
    expect((await client.listTools()).tools).toEqual([]);
    const asked = as.requests.filter(({ endpoint }) => endpoint === "authorize" || endpoint === "token");
    expect(asked.map(({ parameters }) => parameters["resource"])).toEqual([url, url]);
  });

  test.each([
    [false, undefined],
    ["urn:x", "urn:x"],
  ] as const)("and the option resource %j counts there, too [FD-101 FD-36]", async (resource, sent) => {
    const { as, url } = await silentServer();
    as.settings.resourceParameter = "ignore";
    await closing(connect({ url, auth: login({ issuer: as.issuer, resource }) }));
    expect(as.requests.find(({ endpoint }) => endpoint === "authorize")?.parameters["resource"]).toBe(sent);
  });

  test("is its own one if the user names none [FD-101]", async () => {
    const { as, url } = await silentServer();
    await expect(connect({ url, auth: login() })).rejects.toBeInstanceOf(AuthorizationError);
    expect(as.requests).toEqual([]);
  });
});

test.each([401, 403, 404, 405])(
  "metadata that answer HTTP %i below the path are looked for at the root [FD-101]",
  async (status) => {
    const { as, url } = await silentServer((reply, path, at) =>
      path === "/.well-known/oauth-protected-resource"
        ? reply.json({ resource: `${new URL(at).origin}/`, authorization_servers: [as.issuer] })
        : reply.text("login first", status),
    );
    const client = await closing(connect({ url, auth: login() }));
    expect((await client.listTools()).tools).toEqual([]);
  },
);

test("Slack: the token of a user in a member of its own [FD-12]", async () => {
  const { as, use } = await providerWorld("slack" satisfies ProviderProfile, {
    server: { clients: [{ client_id: "app", token_endpoint_auth_method: "none", redirect_uris: ["http://127.0.0.1/callback"] }] },
    bearer: { scopes: ["chat:write"] },
  });
  const { alterResponse } = as.settings;
  as.settings.alterResponse = (response, request) => {
    const answer = alterResponse === undefined ? response : alterResponse(response, request);
    if (request.endpoint !== "token" || answer === undefined) return answer;
    const { access_token, scope, token_type: _, ...rest } = answer;
    return { ...rest, authed_user: { id: "U1", access_token, scope, token_type: "user" } };
  };
  expect(await use(login({ client: { id: "app" }, issuer: as.issuer }))).toBe("user: chat:write");
});
