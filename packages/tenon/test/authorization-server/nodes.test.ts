// Several nodes of one authorization server, and restarts: they share a store and a secret.
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { createAuthorizationServer, type AuthorizationServer, type AuthorizationServerOptions } from "tenon/authorization-server";
import { memoryStores } from "tenon/stores/memory";
import type { Stores } from "tenon/stores/redis";
import type { KeyedStore } from "../../src/storage/keyed-store.ts";
import { assertStarted, startEngine, type Engine } from "../stores/engines.ts";
import { authorizeUrl, FetchBrowser, isBack, isConsent, logIn, redeem, REDIRECT, refresh, webClient } from "./support.ts";
import { oauthUpstream } from "./upstreams.ts";

let redis: Engine | undefined;
beforeAll(async () => {
  redis = await startEngine("redis");
}, 60_000);
afterAll(() => redis?.stop());

interface Balancer {
  readonly origin: string;
  /** Requests go to them in turn. */
  nodes: AuthorizationServer[];
  readonly node: (stores: Stores, secret: Uint8Array) => Promise<AuthorizationServer>;
  readonly errors: unknown[];
}

/** One address in front of several nodes, as a load balancer is. */
async function startBalancer(options: Partial<AuthorizationServerOptions> = {}): Promise<Balancer> {
  // the library names its Node version
  for (const method of ["info", "warn"] as const) vi.spyOn(console, method).mockReturnValue();
  let turn = 0;
  const listener = createServer((request, response) => {
    const node = balancer.nodes[turn++ % balancer.nodes.length]!;
    if (!node.handle(request, response)) response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => {
    listener.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    listener.closeAllConnections();
    listener.close();
  });
  const origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`; // it listens on a port
  const upstream = await oauthUpstream(`${origin}/callback`);
  const errors: unknown[] = [];
  const node: Balancer["node"] = (stores, secret) =>
    createAuthorizationServer({
      ...{
        issuer: origin,
        resource: `${origin}/mcp`,
        scopes: { "notes:read": "Read your notes" },
        provider: upstream.provider,
        stores,
        secret,
      },
      allowUser: () => true,
      onError: (error) => void errors.push(error),
      ...options,
    });
  const balancer: Balancer = { origin, nodes: [], node, errors };
  return balancer;
}

const accepts = async (node: AuthorizationServer, token: unknown): Promise<boolean> => {
  const header = (name: string): string | undefined => (name === "authorization" ? `Bearer ${String(token)}` : undefined);
  return "auth" in (await node.protect().authorize({ method: "POST", url: "/mcp", header }));
};

test("a client that publishes another name is not the one that the user has allowed", async () => {
  const client_id = "https://client.example.com/app.json";
  let client_name = "App";
  const respond: typeof fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (url !== client_id) return fetch(url, init);
    return Response.json({ client_id, client_name, redirect_uris: [REDIRECT], token_endpoint_auth_method: "none" });
  };
  const balancer = await startBalancer({ fetching: { allowLoopback: true, fetch: respond } });
  const [stores, secret, browser] = [memoryStores(), randomBytes(32), new FetchBrowser()];
  /** Whether the user is asked, by a node that has read no document yet. */
  const asks = async (): Promise<boolean> => {
    balancer.nodes = [await balancer.node(stores, secret)];
    return isConsent(await browser.go(authorizeUrl(balancer, { client_id, redirect_uri: REDIRECT }), { until: isBack }));
  };
  expect(await asks()).toBe(true);
  await logIn(balancer, browser, { client_id });
  expect(await asks()).toBe(false);
  client_name = "Your bank";
  expect(await asks()).toBe(true);
  client_name = "App";
  expect(await asks()).toBe(false);
});

test("any node continues a login, and a restart loses nothing", async (context) => {
  const engine = assertStarted(redis, "redis", context);
  const [balancer, secret] = [await startBalancer(), randomBytes(32)];
  const stores = ["a", "b", "c"].map(() => engine.stores("logins"));
  onTestFinished(async () => {
    await Promise.all(stores.map((one) => one.close()));
  });
  balancer.nodes = await Promise.all(stores.slice(0, 2).map((one) => balancer.node(one, secret)));
  const [client_id, browser] = [await webClient(balancer), new FetchBrowser()];
  const code = (await logIn(balancer, browser, { client_id })).get("code")!;
  const { status, body } = await redeem(balancer, client_id, code);
  expect({ status, scope: body["scope"] }).toEqual({ status: 200, scope: "notes:read" });
  for (const node of balancer.nodes) expect(await accepts(node, body["access_token"])).toBe(true);

  balancer.nodes = [await balancer.node(stores[2]!, secret)]; // all others have ended
  expect(await accepts(balancer.nodes[0]!, body["access_token"])).toBe(true);
  expect((await refresh(balancer, client_id, body["refresh_token"])).status).toBe(200);
  // The user's session and consent are there, so that the browser comes back without a page.
  const again = await browser.go(authorizeUrl(balancer, { client_id, redirect_uri: REDIRECT }), { until: isBack });
  expect(new URL(again.url).searchParams.get("code")).toMatch(/^[\w-]{20,}$/);
  expect(balancer.errors).toEqual([]);
}, 60_000);

test("what is stored can neither be read nor used without the secret", async () => {
  const [balancer, { keyed, ...others }, secret] = [await startBalancer(), memoryStores(), randomBytes(32)];
  const values: string[] = [];
  /** A store whose engine is read by someone else. */
  const read: KeyedStore = {
    read: (key) => keyed.read(key),
    swap: (key, version, next) => {
      if (next !== undefined) values.push(next.value);
      return keyed.swap(key, version, next);
    },
    renew: (key, version, ms) => keyed.renew(key, version, ms),
    join: (set, member, joining) => keyed.join(set, member, joining),
    leave: (set, member) => keyed.leave(set, member),
    next: (counter, least) => keyed.next(counter, least),
  };
  const stores = { keyed: read, ...others };
  balancer.nodes = [await balancer.node(stores, secret)];
  const client_id = await webClient(balancer, { client_name: "Findable" });
  const code = (await logIn(balancer, new FetchBrowser(), { client_id })).get("code")!;
  const { body } = await redeem(balancer, client_id, code);
  expect(values.length).toBeGreaterThan(5);
  for (const secretText of [code, String(body["refresh_token"]), "Findable", REDIRECT]) {
    expect(values.filter((value) => value.includes(secretText))).toEqual([]);
  }
  await expect(balancer.node(stores, randomBytes(32))).rejects.toThrow('all nodes need the same option "secret"');
});

test("of many requests with one code one gets tokens, on whatever node", async () => {
  const [balancer, stores, secret] = [await startBalancer(), memoryStores(), randomBytes(32)];
  balancer.nodes = [await balancer.node(stores, secret), await balancer.node(stores, secret)];
  const client_id = await webClient(balancer);
  const code = (await logIn(balancer, new FetchBrowser(), { client_id })).get("code")!;
  const responses = await Promise.all(Array.from({ length: 8 }, () => redeem(balancer, client_id, code)));
  expect(responses.map(({ status }) => status).filter((status) => status === 200).length).toBeLessThanOrEqual(1);
  expect(responses.filter(({ body }) => body["error"] === "invalid_grant").length).toBeGreaterThanOrEqual(7);
});

test("another browser cannot use a session, and a node without the login knows nothing of it", async () => {
  const [balancer, secret] = [await startBalancer(), randomBytes(32)];
  balancer.nodes = [await balancer.node(memoryStores(), secret)];
  const client_id = await webClient(balancer);
  await logIn(balancer, new FetchBrowser(), { client_id });
  expect(isConsent(await new FetchBrowser().go(authorizeUrl(balancer, { client_id, redirect_uri: REDIRECT })))).toBe(true);
  balancer.nodes = [await balancer.node(memoryStores(), secret)];
  const { status, html } = await new FetchBrowser().go(authorizeUrl(balancer, { client_id, redirect_uri: REDIRECT }));
  expect({ status, isLost: html.includes("invalid_client") }).toEqual({ status: 400, isLost: true });
});
