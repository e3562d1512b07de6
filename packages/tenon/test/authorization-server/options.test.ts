// Options that are wrong are refused by name, before anything listens.
import { expect, test } from "vitest";
import { createAuthorizationServer, github, type AuthorizationServerOptions } from "tenon/authorization-server";
import { memoryStores } from "tenon/stores/memory";

const RIGHT: AuthorizationServerOptions = {
  issuer: "https://mcp.example.com",
  resource: "https://mcp.example.com/mcp",
  scopes: { "notes:read": "Read your notes" },
  provider: github({ clientId: "id", clientSecret: "secret" }),
  allowUser: () => true,
};

const wrong: readonly (readonly [option: string, options: object])[] = [
  ["issuer", { issuer: "http://mcp.example.com" }],
  ["issuer", { issuer: "https://mcp.example.com/" }],
  ["issuer", { issuer: "https://mcp.example.com/?a=1" }],
  ["issuer", { issuer: "https://MCP.example.com" }],
  ["resource", { resource: [] }],
  ["resource", { resource: "http://mcp.example.com/mcp" }],
  ["scopes", { scopes: {} }],
  ["scopes", { scopes: null }],
  ["scopes", { scopes: "notes:read" }],
  ["scopes", { scopes: { "two words": "x" } }],
  ["provider", { provider: undefined }],
  ["provider.issuer", { provider: { clientId: "id" } }],
  ["provider.clientId", { provider: { issuer: "https://id.example.com" } }],
  [
    "provider.tokenEndpoint",
    {
      provider: {
        issuer: "https://id.example.com",
        clientId: "id",
        authorizationEndpoint: "https://a.example",
        userEndpoint: "https://b.example",
      },
    },
  ],
  ["clientID", { provider: { issuer: "https://id.example.com", clientID: "id" } }],
  ["allowUser", { allowUser: undefined }],
  ["secret", { stores: memoryStores() }],
  ["secret", { secret: new Uint8Array(16) }],
  ["lifetimes.accessToken", { lifetimes: { accessToken: 10 } }],
  ["limits.clients", { limits: { clients: 0 } }],
  ["lifetime", { lifetime: {} }],
  ["maxClients", { limits: { maxClients: 1 } }],
  ["allowLocal", { fetching: { allowLocal: true } }],
];

test.each(wrong)("option %s: %j is refused by its name", async (option, options) => {
  await expect(createAuthorizationServer({ ...RIGHT, ...options })).rejects.toThrow(`"${option}"`);
});

test("protect() refuses a resource that is none of its own, and an option that it does not have", async () => {
  const login = await createAuthorizationServer(RIGHT);
  expect(() => login.protect({ resource: "https://other.example.com/mcp" })).toThrow('"resource"');
  expect(() => login.protect({ scope: "x" } as never)).toThrow('"scope"');
  const several = await createAuthorizationServer({ ...RIGHT, resource: ["https://a.example/mcp", "https://b.example/mcp"] });
  expect(() => several.protect()).toThrow('"resource"');
});
