// A call that needs more than the first login asked for, at an authorization server that holds a client to what it registered.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "tenon";
import { oauth, type UserLoginOptions } from "tenon/auth";
import { toNodeHandler } from "tenon/node";
import { agree, oidcProvider, type Provider } from "./oidc-provider.ts";
import { testServer } from "../support/test-server.ts";

/** An MCP server that wants `mcp:read` for everything and `mcp:write` for calls. */
async function protect(provider: Provider, { namesScopes = true } = {}): Promise<string> {
  const mcp = testServer({ name: "protected" });
  mcp.tool("write", {}, () => "written");
  const handle = toNodeHandler(mcp);
  const listener = createServer((request, response) => {
    if (request.url !== "/mcp") return json(response, 200, {}, { resource: url, authorization_servers: [provider.issuer] });
    void (async () => {
      const scopes = await provider.scopesOf((request.headers.authorization ?? "").replace("Bearer ", ""));
      const needed = request.headers["mcp-method"] === "tools/call" ? "mcp:write" : "mcp:read";
      if (scopes?.includes(needed)) return handle(request, response);
      const error = scopes === undefined ? "" : 'error="insufficient_scope", ';
      json(
        response,
        scopes === undefined ? 401 : 403,
        { "www-authenticate": `Bearer ${error}${namesScopes ? `scope="${needed}"` : ""}` },
        {},
      );
    })();
  });
  await new Promise<void>((resolve) => {
    listener.listen(0, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`; // it listens on a port
  onTestFinished(async () => {
    listener.closeAllConnections();
    listener.close();
    await mcp.close();
  });
  return url;
}

function json(response: ServerResponse, status: number, headers: Record<string, string>, value: object): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}

async function callAt(provider: Provider, options: UserLoginOptions = {}): Promise<string> {
  const auth = oauth({ open: agree, ...options });
  const client = await connect(await protect(provider), { auth, revision: "2026-07-28" });
  onTestFinished(() => client.close());
  return (await client.callTool("write")).text;
}

test("the client is registered without scopes, so that it can ask for more later [M5.2]", async () => {
  const provider = await oidcProvider(["mcp:read", "mcp:write"]);
  expect(await callAt(provider)).toBe("written");
  expect(provider.registrations).toHaveLength(1);
  expect(provider.registrations[0]).not.toHaveProperty("scope");
  expect(provider.asked.map((scope) => scope?.split(" ").sort())).toEqual([
    ["mcp:read", "offline_access"],
    ["mcp:read", "mcp:write", "offline_access"],
  ]);
});

test("a client that the option registers with scopes is registered again when it needs more [M5.2]", async () => {
  const provider = await oidcProvider(["mcp:read", "mcp:write"]);
  expect(await callAt(provider, { scope: "mcp:read" })).toBe("written");
  expect(provider.registrations.map(({ scope }) => String(scope).split(" ").sort())).toEqual([
    ["mcp:read", "offline_access"],
    ["mcp:read", "mcp:write", "offline_access"],
  ]);
});

test("the scopes of the option clientMetadata are registered, and no others", async () => {
  const provider = await oidcProvider(["mcp:read", "mcp:write"]);
  const scope = "mcp:read mcp:write offline_access";
  expect(await callAt(provider, { scope: "mcp:read", clientMetadata: { scope } })).toBe("written");
  expect(provider.registrations.map((body) => body["scope"])).toEqual([scope]);
});

test("a login without scopes, because the server names none, is refused; the error says which to request", async () => {
  const provider = await oidcProvider(["mcp:read", "mcp:write"]);
  const url = await protect(provider, { namesScopes: false });
  const login = (options: UserLoginOptions): Promise<unknown> =>
    oauth({ open: agree, allowLoopback: true, ...options }).login(url);
  await expect(login({})).rejects.toMatchObject({
    error: "access_denied",
    remedy:
      "Either the user or a policy refused: ask them. Or it wants a scope, and the MCP server names none: " +
      'request one (option "scope"): it knows mcp:read, mcp:write, offline_access, openid.',
  });
  expect(provider.asked).toEqual([null]);
  expect(await login({ scope: "mcp:read" })).toMatchObject({ issuer: provider.issuer });
});
