// Protected resource metadata: at its places, for everybody, and nothing else is for everybody.
import type { AddressInfo } from "node:net";
import express from "express";
import fastify from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";
import { bearer, type BearerOptions } from "tenon/auth";
import { createFetchHandler } from "tenon/server";
import { toNodeHandler } from "tenon/node";
import { exchange, listen, type Received, type Send } from "../http/support.ts";
import { AUDIENCE, authorizer, ISSUER, protect, server, statelessBody } from "./support.ts";

const PATH = "/.well-known/oauth-protected-resource/mcp";
const ROOT = "/.well-known/oauth-protected-resource";
const good: BearerOptions = { issuer: ISSUER, audience: AUDIENCE, verify: () => undefined };
const documentOf = (options: Partial<BearerOptions>): unknown => bearer({ ...good, ...options }).metadata.document;

describe("The document", () => {
  test("names the resource and at least one authorization server [M1.1]", () => {
    expect(documentOf({})).toEqual({ resource: AUDIENCE, authorization_servers: [ISSUER], bearer_methods_supported: ["header"] });
    expect(documentOf({ issuer: [ISSUER, "https://b.example"] })).toMatchObject({
      authorization_servers: [ISSUER, "https://b.example"],
    });
  });

  test("the resource is spelt as it was given [M1.1]", () => {
    expect(documentOf({ audience: "https://mcp.example/mcp/" })).toMatchObject({ resource: "https://mcp.example/mcp/" });
    expect(documentOf({ audience: "api://x", resource: "https://mcp.example" })).toMatchObject({
      resource: "https://mcp.example",
    });
    expect(documentOf({ audience: [AUDIENCE, "api://x"] })).toMatchObject({ resource: AUDIENCE });
  });

  test("the document names the scopes that every request needs, or those of the option [M1.7 M6.6]", () => {
    expect(documentOf({ scopes: ["read"] })).toMatchObject({ scopes_supported: ["read"] });
    expect(documentOf({ scopes: ["read"], scopesSupported: ["read", "write"] })).toMatchObject({
      scopes_supported: ["read", "write"],
    });
  });

  test("further members are added, and replace none of the standard ones", () => {
    const metadata = { resource_name: "Files", resource: "https://evil.example" };
    expect(documentOf({ metadata })).toMatchObject({ resource_name: "Files", resource: AUDIENCE });
  });

  test.each([
    ["https://user@mcp.example/mcp", "must be a URL without user, query or fragment"],
    ["https://:password@mcp.example/mcp", "must be a URL without user, query or fragment"],
    ["https://mcp.example/mcp?tenant=1", "must be a URL without user, query or fragment"],
    ["https://mcp.example/mcp#", "must be a URL without user, query or fragment"],
    ["http://mcp.example/mcp", "must be https, tokens are sent to it; http is for this machine only"],
    ["ftp://mcp.example/mcp", "must be an http(s) URL"],
    ["mcp.example", "must be the URL clients use for this server"],
  ])("a resource is the plain URL of an endpoint: %s is refused at once, because it %s", (resource, why) => {
    expect(() => bearer({ ...good, resource })).toThrow(new TypeError(`Option "resource" ${why}: "${resource}"`));
    expect(() => bearer({ ...good, audience: resource })).toThrow(new TypeError(`Option "audience" ${why}: "${resource}"`));
  });

  test.each([
    [AUDIENCE, [PATH, ROOT]],
    ["https://mcp.example", [ROOT]],
    ["https://mcp.example/", [ROOT]],
    ["https://mcp.example:8443/a/b", [`${ROOT}/a/b`, ROOT]],
    ["http://127.0.0.1:3000/mcp", [PATH, ROOT]],
  ])("of %s is at the path of the resource and at the root [M1.2]", (audience, paths) => {
    expect(bearer({ ...good, audience }).metadata.paths).toEqual(paths);
  });
});

const auth = bearer(good);
const defined = () => server({ calls: [], errors: [] });

const ways: Record<string, () => Promise<Send>> = {
  serveHttp: async () => (await protect({ auth })).raw,
  "toNodeHandler in node:http": () => listen(toNodeHandler(defined(), { auth })),
  "toNodeHandler in Express": () => {
    const app = express();
    app.use(express.json());
    app.all(["/mcp", ...auth.metadata.paths], toNodeHandler(defined(), { auth }));
    return listen(app);
  },
  "toNodeHandler in Fastify": async () => {
    const handler = toNodeHandler(defined(), { auth });
    const app = fastify();
    for (const path of ["/mcp", ...auth.metadata.paths]) {
      app.all(path, (request, reply) => {
        reply.hijack();
        handler(request.raw, reply.raw, request.body);
      });
    }
    await app.listen({ port: 0, host: "127.0.0.1" });
    onTestFinished(() => app.close());
    const { port } = app.server.address() as AddressInfo;
    return (sent) => exchange(port, sent);
  },
  createFetchHandler: async () => {
    const handler = createFetchHandler(defined(), { auth });
    return async ({ method = "POST", path = "/mcp", headers = {}, body }) => {
      const init = {
        method,
        headers: { accept: "*/*", ...headers } as Record<string, string>,
        body: body === undefined ? null : JSON.stringify(body),
      };
      const response = await handler(new Request(`http://${String(headers["host"] ?? "localhost")}${path}`, init));
      const text = await response.text();
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        text,
        json: text && JSON.parse(text),
        messages: [],
      } as unknown as Received;
    };
  },
};

describe.each(Object.keys(ways))("%s", (way) => {
  test("serves the document at both places, without a token [M1.1 M2.1]", async () => {
    const send = await ways[way]!();
    for (const path of [PATH, ROOT, `${PATH}?x=1`]) {
      const { status, headers, json } = await send({ method: "GET", path });
      expect([status, headers["content-type"], json]).toEqual([200, "application/json", auth.metadata.document]);
    }
  });

  test("the challenge leads there [M2.1]", async () => {
    const send = await ways[way]!();
    const { status, headers } = await send({
      body: statelessBody("tools/list"),
      headers: { "content-type": "application/json" },
    });
    const url = /resource_metadata="([^"]+)"/.exec(String(headers["www-authenticate"]))![1]!;
    expect(status).toBe(401);
    expect((await send({ method: "GET", path: new URL(url).pathname })).json).toEqual(auth.metadata.document);
  });

  test("pages of every origin may read it, with any headers", async () => {
    const send = await ways[way]!();
    const origin = "https://inspector.example";
    expect((await send({ method: "GET", path: PATH, headers: { origin } })).headers["access-control-allow-origin"]).toBe("*");
    const asked = { origin, "access-control-request-method": "GET", "access-control-request-headers": "mcp-protocol-version" };
    const preflight = await send({ method: "OPTIONS", path: PATH, headers: asked });
    expect([
      preflight.status,
      preflight.headers["access-control-allow-origin"],
      preflight.headers["access-control-allow-headers"],
    ]).toEqual([204, "*", "*"]);
  });

  test("it is there to be read only, and HEAD has no body", async () => {
    const send = await ways[way]!();
    const refused = await send({ method: "POST", path: PATH, body: {}, headers: { "content-type": "application/json" } });
    expect([refused.status, refused.headers["allow"]]).toEqual([405, "GET, HEAD, OPTIONS"]);
    expect(refused.text).toContain("Method not allowed");
    const head = await send({ method: "HEAD", path: PATH });
    expect([head.status, head.text]).toEqual([200, ""]);
  });

  test("a host that was rebound gets nothing [rule R1]", async () => {
    const send = await ways[way]!();
    expect((await send({ method: "GET", path: PATH, headers: { host: "evil.example" } })).status).toBe(421);
  });
});

test("no other path is public [R18]", async () => {
  const http = await protect({ auth: authorizer() });
  for (const path of [
    "/.well-known/oauth-protected-resource/other",
    "/.well-known/oauth-authorization-server",
    "/.well-known/",
    "/other",
  ])
    expect((await http.raw({ method: "GET", path })).status).toBe(404);
  // To an endpoint that is called for every path these are requests like any other.
  const handler = createFetchHandler(defined(), { auth });
  for (const path of ["/mcp/.well-known/oauth-protected-resource", `${PATH}/x`, "/.well-known/oauth-protected-resource/other"])
    expect((await handler(new Request(`http://localhost${path}`))).status).toBe(401);
});

test("without `auth` there is no such document", async () => {
  const handler = createFetchHandler(defined());
  expect((await handler(new Request(`http://localhost${PATH}`))).status).not.toBe(200);
});
