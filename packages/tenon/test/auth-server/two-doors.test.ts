/**
 * Two doors of one endpoint over HTTP, with the official clients 1.x and 2.x and with Tenon's: a login at `oidc-provider`, which
 * stands for the providers that people have, and an API key.
 */
import { exportJWK, generateKeyPair } from "jose";
import { describe, expect, onTestFinished, test } from "vitest";
import { anyOf, oauth, type BearerAuth } from "tenon/auth";
import { apiKeys, type ApiKeys } from "tenon/auth/keys";
import { betterAuth, clerk, keycloak, okta, supabase, workos } from "tenon/auth/providers";
import { connect } from "tenon/client";
import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";
import { memoryStores } from "tenon/stores/memory";
import { agree, oidcProvider, visit, type AsProvider, type Provider } from "../auth/oidc-provider.ts";
import { freePort } from "../../../../scripts/free-port.mjs";
// @ts-ignore -- the types of the official client 2.x do not compile here
import { callWithKey, callWithLogin } from "./fixtures/official-doors.mjs";

interface Stand {
  readonly as: AsProvider;
  readonly door: (at: { readonly origin: string; readonly url: string }) => BearerAuth;
}

/** `oidc-provider` as each of them. */
const STANDS: Readonly<Record<string, Stand>> = {
  keycloak: {
    as: { path: "/realms/staff", jwtFor: "resource" },
    door: ({ origin, url }) => keycloak({ baseUrl: origin, realm: "staff", url, scopes: ["read"] }),
  },
  okta: {
    as: { path: "/oauth2/default", jwtFor: { audience: "api://default" } },
    door: ({ origin, url }) => okta({ domain: origin, audience: "api://default", url, scopes: ["read"] }),
  },
  betterAuth: {
    as: { path: "/api/auth", jwtFor: "resource" },
    door: ({ origin, url }) => betterAuth({ baseUrl: `${origin}/api/auth`, url, scopes: ["read"] }),
  },
  supabase: {
    as: { path: "/auth/v1", jwtFor: { audience: "authenticated" } },
    door: ({ origin, url }) => supabase({ project: origin, url, scopes: ["read"] }),
  },
  workos: { as: { jwtFor: "resource" }, door: ({ origin, url }) => workos({ domain: origin, url, scopes: ["read"] }) },
  clerk: { as: { jwtFor: "resource" }, door: ({ origin, url }) => clerk({ domain: origin, url, scopes: ["read"] }) },
};

interface Doors {
  readonly url: string;
  readonly keys: ApiKeys;
  readonly providers: readonly Provider[];
  readonly errors: string[];
}

/** An endpoint with the doors of these providers, and one for keys. */
async function open(...names: readonly string[]): Promise<Doors> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const stands = names.map((name) => STANDS[name]!);
  const providers: Provider[] = [];
  for (const { as } of stands) {
    const { privateKey } = await generateKeyPair("RS256", { extractable: true });
    const jwks = { keys: [{ ...(await exportJWK(privateKey)), use: "sig", alg: "RS256" }] };
    providers.push(await oidcProvider(["read"], { ...as, jwks }));
  }
  const keys = apiKeys({ store: memoryStores().keyed, prefix: "files", scopes: ["read"] });
  const doors = stands.map(({ door }, at) => door({ origin: new URL(providers[at]!.issuer).origin, url }));
  const errors: string[] = [];
  const server = new McpServer({ name: "files", version: "1.0.0" });
  server.tool("who", {}, (_input, { auth }) => JSON.stringify([auth?.issuer, auth?.subject, auth?.scopes]));
  const served = await serveHttp(server, {
    port,
    auth: anyOf(...doors, keys),
    onError: (error) => void errors.push(String(error)),
  });
  onTestFinished(() => served.close());
  return { url, keys, providers, errors };
}

const BY_KEY = JSON.stringify(["urn:tenon:keys:files", "nightly", ["read"]]);
const byLogin = ({ issuer }: Provider): string => JSON.stringify([issuer, "ada", ["read"]]);

describe.each(["1.x", "2.x"] as const)("the official client %s", (kind) => {
  test("comes through both doors of one endpoint, and each request is judged by its own", async () => {
    const { url, keys, providers } = await open("keycloak");
    const { key, id } = await keys.mint({ subject: "nightly", scopes: ["read"] });
    expect(await callWithKey(kind, url, key)).toBe(BY_KEY);
    expect(await callWithLogin(kind, url, visit)).toBe(byLogin(providers[0]!));
    await keys.revoke(id);
    await expect(callWithKey(kind, url, key)).rejects.toThrow(/API key|401|[Uu]nauthorized/);
    expect(await callWithLogin(kind, url, visit)).toBe(byLogin(providers[0]!));
  });
});

test.each(Object.keys(STANDS))("oidc-provider as %s, beside keys: Tenon's client logs in and calls", async (name) => {
  const { url, keys, providers, errors } = await open(name);
  const { key } = await keys.mint({ subject: "nightly", scopes: ["read"] });
  const [byKey, byOauth] = [
    await connect({ url, headers: { authorization: `Bearer ${key}` } }),
    await connect(url, { auth: oauth({ open: agree }) }),
  ];
  expect((await byKey.callTool("who")).text).toBe(BY_KEY);
  expect((await byOauth.callTool("who")).text).toBe(byLogin(providers[0]!));
  await Promise.all([byKey.close(), byOauth.close()]);
  expect(errors).toEqual([]);
});

test("two providers and keys at once: tokens of both and a key; the one's token is not taken by the other's keys", async () => {
  const { url, keys, providers } = await open("betterAuth", "workos");
  const { key } = await keys.mint({ subject: "nightly", scopes: ["read"] });
  const said = async (options: Parameters<typeof connect>[1], headers: Record<string, string> = {}): Promise<string> => {
    const client = await connect({ url, headers }, options);
    const { text } = await client.callTool("who");
    await client.close();
    return text;
  };
  expect(
    await Promise.all([
      said({ auth: oauth({ open: agree, issuer: providers[0]!.issuer }) }),
      said({ auth: oauth({ open: agree, issuer: providers[1]!.issuer }) }),
      said({}, { authorization: `Bearer ${key}` }),
    ]),
  ).toEqual([byLogin(providers[0]!), byLogin(providers[1]!), BY_KEY]);
});
