/** Several doors of one endpoint: each request is judged by the one that knows its credentials, over every revision. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "tenon";
import { anyOf, bearer, type EndpointAuth } from "tenon/auth";
import { apiKeys } from "tenon/auth/keys";
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

test("no door, something else, and doors of two servers are refused", () => {
  const oauth = (audience: string): EndpointAuth => bearer({ issuer: "https://a.example", audience });
  expect(() => anyOf()).toThrow("at least one door");
  expect(() => anyOf({} as never)).toThrow("anyOf() takes what bearer()");
  expect(() => anyOf(oauth("https://one.example/mcp"), oauth("https://two.example/mcp"))).toThrow("two name it differently");
});
