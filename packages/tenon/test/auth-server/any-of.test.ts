/** Several doors of one endpoint: each request is judged by the one that knows its credentials, over every revision. */
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { JsonObject } from "tenon";
import { anyOf, bearer, type AuthRequest, type BearerOptions, type EndpointAuth } from "tenon/auth";
import { apiKeys } from "tenon/auth/keys";
import type { KeyedStore } from "tenon/server";
import { memoryStores } from "tenon/stores/memory";
import { createTestAuthorizationServer } from "tenon/testing";
import { AUDIENCE, challengesOf, protect, REVISIONS, said } from "./support.ts";
import { reasonOf, taking } from "./tokens.ts";

async function doors(order: "oauth first" | "keys first" = "oauth first"): Promise<{
  auth: EndpointAuth;
  tokens: Record<"a" | "b" | "key", string>;
}> {
  const [a, b] = [
    await createTestAuthorizationServer("https://a.example"),
    await createTestAuthorizationServer("https://b.example"),
  ];
  const oauth = [a, b].map((login) =>
    bearer({ issuer: login.issuer, audience: AUDIENCE, scopes: ["read"], fetch: (url, init) => login.fetch(url, init) }),
  );
  const keys = apiKeys({ store: memoryStores().keyed, scopes: ["read"] });
  const { key } = await keys.mint({ subject: "robot", scopes: ["read"] });
  const token = { audience: AUDIENCE, scopes: ["read"], clientId: "app" };
  return {
    auth: order === "oauth first" ? anyOf(...oauth, keys) : anyOf(keys, ...oauth),
    tokens: {
      a: await a.issueAccessToken({ ...token, subject: "ann" }),
      b: await b.issueAccessToken({ ...token, subject: "bea" }),
      key,
    },
  };
}

describe.each(REVISIONS)("%s", (revision) => {
  test("tokens of two authorization servers and keys open one endpoint", async () => {
    const { auth, tokens } = await doors();
    const http = await protect({ auth });
    const who = async (token: string): Promise<unknown> => {
      const { auth: seen } = JSON.parse(said(await http.call(revision, token, "who"))) as { auth: JsonObject };
      return [seen["issuer"], seen["subject"]];
    };
    expect([await who(tokens.a), await who(tokens.b), await who(tokens.key)]).toEqual([
      ["https://a.example", "ann"],
      ["https://b.example", "bea"],
      ["urn:tenon:keys:mcp", "robot"],
    ]);
    const refused = await http.call(revision, undefined, "who");
    expect([refused.status, challengesOf(refused)]).toEqual([401, expect.stringContaining("resource_metadata=")]);
  });
});

describe.each(["oauth first", "keys first"] as const)("%s", (order) => {
  test("each door refuses what is its own, and no other is asked", async () => {
    const { auth, tokens } = await doors(order);
    const take = taking(auth);
    const forged = (token: string): string => token.slice(0, -4) + (token.endsWith("aaaa") ? "bbbb" : "aaaa");
    expect(await reasonOf(take(forged(tokens.key)))).toMatch(/^401 API key refused: wrong secret/);
    expect(await reasonOf(take(forged(tokens.b)))).toMatch(/^401 Access token refused/);
    expect(await reasonOf(take("of-nobody"))).toMatch(/^401 Access token refused/);
  });

  test("the door through which the caller came says which scope is missing", async () => {
    const { auth, tokens } = await doors(order);
    for (const [name, scheme] of [
      ["key", "the API key needs"],
      ["b", "the access token needs"],
    ] as const) {
      const taken = await taking(auth)(tokens[name]);
      const refusal = "auth" in taken ? auth.insufficientScope(["write"], taken.auth) : undefined;
      expect([refusal?.status, refusal?.message]).toEqual([403, expect.stringContaining(scheme)]);
    }
  });

  test("the metadata names both authorization servers", async () => {
    const { auth } = await doors(order);
    expect(auth.metadata?.document).toMatchObject({
      resource: AUDIENCE,
      authorization_servers: ["https://a.example", "https://b.example"],
      scopes_supported: ["read"],
    });
  });
});

test("doors without scopes and without DPoP promise neither in their metadata", () => {
  const door = (issuer: string): EndpointAuth => bearer({ issuer, audience: AUDIENCE });
  const { authorization_servers, ...others } = anyOf(door("https://a.example"), door("https://b.example")).metadata!.document;
  expect(authorization_servers).toEqual(["https://a.example", "https://b.example"]);
  expect(Object.keys(others).toSorted()).toEqual(["bearer_methods_supported", "resource"]);
});

test.each([7, null, ["https://a.example"], { a: 1 }])("a token whose issuer is %j belongs to no door", async (iss) => {
  const { auth } = await doors();
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  expect(await reasonOf(taking(auth)(`${part({ alg: "ES256" })}.${part({ iss })}.c2ln`))).toMatch(/^401 /);
});

describe("what a request costs", () => {
  /** A request that counts how often its header is read. */
  function request(token: string): { readonly sent: AuthRequest; readonly reads: () => number } {
    let reads = 0;
    const header = (name: string): string | undefined => (name === "authorization" && ++reads ? `Bearer ${token}` : undefined);
    return { sent: { method: "POST", url: "/mcp", header }, reads: () => reads };
  }

  /** Doors that count what they ask others. */
  async function counted(): Promise<{
    doors: Record<"keys" | "a" | "b" | "own", EndpointAuth>;
    asked: () => number;
    tokens: Record<string, string>;
  }> {
    let asked = 0;
    const { keyed } = memoryStores();
    const store = { ...keyed, read: (key: string) => (asked++, keyed.read(key)), swap: keyed.swap.bind(keyed) } as KeyedStore;
    const keys = apiKeys({ store, cacheTtl: 0 });
    const logins = await Promise.all(
      ["https://a.example", "https://b.example"].map((issuer) => createTestAuthorizationServer(issuer)),
    );
    const [a, b] = logins.map((login) =>
      bearer({ issuer: login.issuer, audience: AUDIENCE, fetch: (url, init) => (asked++, login.fetch(url, init)) }),
    );
    const own = bearer({
      issuer: "https://own.example",
      audience: AUDIENCE,
      verify: () => (asked++, { audience: AUDIENCE, subject: "own" }),
    });
    const jwt = { audience: AUDIENCE, subject: "ann" };
    const tokens = {
      keys: (await keys.mint({ subject: "robot" })).key,
      a: await logins[0]!.issueAccessToken(jwt),
      b: await logins[1]!.issueAccessToken(jwt),
      own: `e30.${btoa(JSON.stringify({ iss: "https://own.example" })).replaceAll("=", "")}.x`,
    };
    return { doors: { keys, a: a!, b: b!, own }, asked: () => asked, tokens };
  }

  test.each(["keys", "a", "b", "own"] as const)(
    "%s: no more reads and verifications behind anyOf than behind its door",
    async (name) => {
      const spent = async (through: "door" | "anyOf"): Promise<number[][]> => {
        const { doors: made, asked, tokens } = await counted();
        const auth = through === "door" ? made[name] : anyOf(made.a, made.keys, made.b, made.own);
        const costs: number[][] = [];
        for (let turn = 0; turn < 3; turn++) {
          const { sent, reads } = request(tokens[name]!);
          const before = asked();
          expect(await auth.authorize(sent)).toHaveProperty("auth");
          costs.push([reads(), asked() - before]);
        }
        return costs;
      };
      const [alone, joined] = [await spent("door"), await spent("anyOf")];
      for (const [turn, [reads, asked]] of joined.entries()) {
        expect(reads).toBeLessThanOrEqual(alone[turn]![0]!);
        expect(asked).toBe(alone[turn]![1]);
      }
    },
  );

  test("a token that a door has accepted is not decoded again by the doors before it", async () => {
    const { doors: made, tokens } = await counted();
    const auth = anyOf(made.a, made.own, made.b);
    expect(await auth.authorize(request(tokens["b"]!).sent)).toHaveProperty("auth");
    const decoded = vi.spyOn(JSON, "parse");
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await auth.authorize(request(tokens["b"]!).sent)).toHaveProperty("auth");
    expect(decoded).not.toHaveBeenCalled();
  });

  test("a door that cannot tell whom it knows keeps its place before the others", async () => {
    const { doors: made, tokens } = await counted();
    const custom: EndpointAuth = {
      takes: (sent) => sent.header("x-key") !== undefined,
      authorize: () => ({ status: 401, headers: [], message: "Unauthorized: a custom key is needed" }),
      insufficientScope: () => ({ status: 403, headers: [], message: "Forbidden" }),
    };
    const auth = anyOf(custom, made.a);
    const { sent } = request(tokens["a"]!);
    expect(await auth.authorize(sent)).toHaveProperty("auth");
    const both = { ...sent, header: (name: string) => (name === "x-key" ? "1" : sent.header(name)) };
    expect(await auth.authorize(both)).toMatchObject({ status: 401 });
  });
});

describe("what a client without credentials is offered", () => {
  const without: AuthRequest = { method: "POST", url: "/mcp", header: () => undefined };
  const login = (host: string, more: Partial<BearerOptions>): EndpointAuth =>
    bearer({ issuer: `https://${host}.example`, audience: AUDIENCE, ...more });

  test("the logins of all doors with their scopes, each once, and the words for keys", async () => {
    const keys = apiKeys({ store: memoryStores().keyed });
    const auth = anyOf(
      keys,
      login("a", { scopes: ["read"] }),
      login("b", { scopes: ["api://b/read"] }),
      login("c", { scopes: ["read"] }),
    );
    const refused = await auth.authorize(without);
    const metadata = 'resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"';
    expect(refused).toEqual({
      status: 401,
      headers: ["read", "api://b/read"].flatMap((scope) => ["WWW-Authenticate", `Bearer ${metadata}, scope="${scope}"`]),
      message: "Unauthorized: an access token is needed, or an API key is needed",
    });
  });

  test("DPoP, if one of the doors takes bound tokens, in the challenge and the metadata", async () => {
    const auth = anyOf(login("a", {}), login("b", { dpop: true }));
    expect(JSON.stringify(await auth.authorize(without))).toContain("DPoP resource_metadata");
    expect(auth.metadata?.document["dpop_signing_alg_values_supported"]).toContain("ES256");
    const required = { dpop: { required: true } };
    const bound = "dpop_bound_access_tokens_required";
    expect(anyOf(login("a", required), login("b", {})).metadata?.document).not.toHaveProperty(bound);
    expect(anyOf(login("a", required), login("b", required)).metadata?.document[bound]).toBe(true);
  });

  test("keys alone ask for a key", async () => {
    const [one, two] = ["one", "two"].map((prefix) => apiKeys({ store: memoryStores().keyed, prefix }));
    expect(await anyOf(one!, two!).authorize(without)).toEqual(await one!.authorize(without));
  });
});

test("no door, something else, and doors of two servers are refused", () => {
  const oauth = (audience: string): EndpointAuth => bearer({ issuer: "https://a.example", audience });
  expect(() => anyOf()).toThrow("at least one door");
  expect(() => anyOf({} as never)).toThrow("anyOf() takes what bearer()");
  expect(() => anyOf(oauth("https://one.example/mcp"), oauth("https://two.example/mcp"))).toThrow("two name it differently");
});
