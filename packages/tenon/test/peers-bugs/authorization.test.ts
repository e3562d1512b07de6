/** Mistakes other SDKs made and mended: those with authorization servers as they are in the field. */
import { describe, expect, it } from "vitest";
import { connect } from "tenon";
import { discover, type AuthFetch } from "tenon/auth";
import { scriptedWeb, type Page } from "../auth/scripted-web.ts";
import { authorizationServer, login, loginFailure, open, protect } from "../auth/support.ts";
import { closing } from "../support/matrix.ts";
import { failureOf } from "../support/failure-of.ts";

const SERVER = "https://mcp.example.com/mcp";
const RESOURCE = "https://mcp.example.com/.well-known/oauth-protected-resource";
const ISSUER = "https://as.example.com/tenant";
const METADATA = "https://as.example.com/.well-known/oauth-authorization-server/tenant";
const OPENID = `${ISSUER}/.well-known/openid-configuration`;

const page: Page = { body: "<!doctype html><title>App</title>", headers: { "content-type": "text/html; charset=utf-8" } };
const resource: Page = { body: { resource: SERVER, authorization_servers: [ISSUER] } };
const issuer: Page = { body: { issuer: ISSUER, token_endpoint: `${ISSUER}/token` } };

describe("Sites that respond to every path with a page", () => {
  it("have no metadata there: the next place is looked at", async () => {
    const web = scriptedWeb({ [`${RESOURCE}/mcp`]: page, [RESOURCE]: resource, [METADATA]: page, [OPENID]: issuer });
    expect((await discover(SERVER, { fetch: web.fetch })).issuer.issuer).toBe(ISSUER);
    expect(web.urls().slice(0, 3)).toEqual([`${RESOURCE}/mcp`, RESOURCE, METADATA]);
  });

  it("are those of 2025-03-26 if there is no metadata, and the server's own authorization server names itself", async () => {
    const own = { body: { issuer: "https://mcp.example.com", token_endpoint: "https://mcp.example.com/token" } };
    const web = scriptedWeb({
      [`${RESOURCE}/mcp`]: page,
      [RESOURCE]: page,
      "https://mcp.example.com/.well-known/oauth-authorization-server": own,
    });
    expect(await discover(SERVER, { fetch: web.fetch })).toMatchObject({ resource: undefined, issuer: own.body });
  });

  it("do not have it where their challenge says that it is, either: that is an error", async () => {
    const named = "https://mcp.example.com/metadata";
    const web = scriptedWeb({ [named]: page, [RESOURCE]: resource, [METADATA]: issuer });
    const error = await failureOf(discover(SERVER, { fetch: web.fetch, resourceMetadata: named }));
    expect(error.message).toContain("the response is not application/json");
    expect(web.urls()).toEqual([named]);
  });
});

describe("Members that are null", () => {
  it("count as absent, in all documents", async () => {
    const as = await authorizationServer();
    as.settings.alterResponse = (answer, { endpoint }) =>
      endpoint === "token" || endpoint === "register"
        ? {
            client_secret: null,
            client_uri: null,
            ...answer,
            ...(endpoint === "token" && { refresh_token: null, scope: null, id_token: null }),
          }
        : { ...answer, revocation_endpoint: null, scopes_supported: null };
    const server = await protect(as);
    server.guarding.metadata = {
      ...server.guarding.metadata,
      scopes_supported: null,
      resource_signing_alg_values_supported: null,
    };
    const client = await open(server);
    expect((await client.callTool("echo", { a: 1 })).text).toBe('{"a":1}');
  });
});

describe("Token endpoints", () => {
  it("that refuse with 200 have refused: the error has their code", async () => {
    const as = await authorizationServer();
    as.settings.alterResponse = (answer, { endpoint }) =>
      endpoint === "token" ? { error: "incorrect_client_credentials", error_description: "canary" } : answer;
    const server = await protect(as);
    const error = await loginFailure(server);
    expect(error).toMatchObject({ hop: "token", error: "incorrect_client_credentials" });
    expect(error.message).not.toContain("canary");
    expect(server.tokens()).toEqual([]);
  });

  it("that respond with 201 have issued tokens", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    const created: AuthFetch = async (url, init) => {
      const response = await fetch(url, init);
      if (url !== `${as.issuer}/token`) return response;
      return new Response(await response.text(), { status: 201, headers: response.headers });
    };
    const client = await closing(connect(server.url, { auth: login({ fetch: created }), revision: "2026-07-28" }));
    expect((await client.callTool("echo")).text).toBe("{}");
  });
});

it("The user's fetch is called as a function, never as a method: browsers and workers refuse theirs otherwise", async () => {
  const web = scriptedWeb({ [RESOURCE]: resource, [METADATA]: issuer });
  const receivers: unknown[] = [];
  const fetching: AuthFetch = function (this: unknown, url, init) {
    receivers.push(this);
    return web.fetch(url, init);
  };
  await discover(SERVER, { fetch: fetching });
  expect(new Set(receivers)).toEqual(new Set([undefined]));
});
