// Who asks, as handlers and middleware see it.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { connect, type McpServer, type AuthInfo, type JsonObject } from "tenon";
import { bearerToken, principalOf } from "tenon/auth";
import { createFetchHandler } from "tenon/server";
import { EventReader } from "../http/event-reader.ts";
import { authorizer, bearing, initialize, ISSUER, protect, REVISIONS, said, STATEFUL, TOKENS, type Revision } from "./support.ts";
import { testServer } from "../support/test-server.ts";

describe.each(REVISIONS)("%s", (revision) => {
  test("tools, prompts, resources and middleware see who asks, and none sees the token [M1.9]", async () => {
    const seen: [string, AuthInfo | undefined, string | undefined][] = [];
    const http = await protect({}, (server) => {
      server.use((next) => (ctx) => {
        seen.push([`middleware ${ctx.method}`, ctx.auth, ctx.principal]);
        return next(ctx);
      });
      server.prompt("p", {}, (_input, ctx) => (seen.push(["prompt", ctx.auth, ctx.principal]), "hello"));
      server.resource("file:///r", {}, (_uri, ctx) => (seen.push(["resource", ctx.auth, ctx.principal]), "text"));
      server.tool("t", {}, async (_input, ctx) => {
        await new Promise(setImmediate);
        seen.push(["tool, later", ctx.auth, ctx.principal]);
        expect(ctx.transport.kind).toBe("http");
        return "done";
      });
    });
    expect(said(await http.call(revision, "ann", "t"))).toBe("done");
    await http.ask(revision, "ann", "prompts/get", { name: "p" });
    await http.ask(revision, "ann", "resources/read", { uri: "file:///r" });
    const what = seen.map(([who]) => who);
    for (const who of ["tool, later", "prompt", "resource", "middleware tools/call"]) expect(what).toContain(who);
    if (revision !== "2026-07-28") expect(what).toContain("middleware initialize");
    for (const [, auth, principal] of seen) {
      expect(auth).toEqual({ issuer: ISSUER, subject: "ann", clientId: "app", scopes: ["read", "write"], claims: {} });
      expect(principal).toBe(principalOf(auth!));
    }
  });

  test("the token is no part of it: not printed, copied or serialised; asking for it says what it is [M1.9 R21]", async () => {
    const seen: AuthInfo[] = [];
    const http = await protect({ auth: authorizer({}, { "canary-1": TOKENS["ann"]! }) }, (server) =>
      server.tool("t", {}, (_input, ctx) => void seen.push(ctx.auth!)),
    );
    await http.call(revision, "canary-1", "t");
    const [auth] = seen;
    const { inspect } = await import("node:util");
    for (const shown of [
      JSON.stringify(auth),
      inspect(auth, { depth: 9 }),
      JSON.stringify({ ...auth }),
      Object.keys(auth!).join(),
    ])
      expect(shown).not.toContain("canary");
    expect(structuredClone({ ...auth })).not.toHaveProperty("dangerouslyGetToken");
    expect(auth?.dangerouslyGetToken?.()).toBe("canary-1");
  });

  test("what one handler does to it, another does not see [rule R3]", async () => {
    const token = { ...TOKENS["ann"]!, claims: { groups: ["staff"], nested: { deep: true } } };
    const http = await protect({ auth: authorizer({ cacheTtl: 60_000 }, { ann: token }) }, (server) =>
      server.tool("tamper", {}, (_input, ctx) => {
        const auth = ctx.auth as unknown as {
          scopes: string[];
          subject: string;
          claims: { groups: string[]; nested: JsonObject };
        };
        const attempts = [
          () => auth.scopes.push("admin"),
          () => (auth.subject = "bob"),
          () => auth.claims.groups.push("admin"),
          () => (auth.claims.nested["deep"] = false),
        ];
        return attempts
          .map((attempt) => {
            try {
              attempt();
              return "changed";
            } catch {
              return "refused";
            }
          })
          .join();
      }),
    );
    expect(said(await http.call(revision, "ann", "tamper"))).toBe("refused,refused,refused,refused");
    expect(JSON.parse(said(await http.call(revision, "ann", "who")))).toMatchObject({
      auth: { subject: "ann", claims: { groups: ["staff"] } },
    });
  });

  test("our own client with a token gets through [M1.9]", async () => {
    const http = await protect();
    await using client = await connect(http.url, { revision, auth: bearerToken("ann") });
    expect(JSON.parse((await client.callTool("who")).text)).toMatchObject({ auth: { subject: "ann" } });
  });
});

describe.each(STATEFUL)("A session of %s", (revision) => {
  test("each request counts with the token it came with [M1.5]", async () => {
    const http = await protect({}, (server) => {
      server.tool("slow", {}, async (_input, ctx) => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        return ctx.auth!.scopes.join();
      });
    });
    const opened = await http.raw({ body: initialize(revision), headers: bearing("ann") });
    const session = { "mcp-session-id": String(opened.headers["mcp-session-id"]), "mcp-protocol-version": revision };
    await http.raw({ headers: { ...session, ...bearing("ann") }, body: { jsonrpc: "2.0", method: "notifications/initialized" } });
    const call = (id: number, token: string) =>
      http.raw({
        headers: { ...session, ...bearing(token) },
        body: { jsonrpc: "2.0", id, method: "tools/call", params: { name: "slow" } },
      });
    const answers = await Promise.all([call(2, "ann"), call(3, "reader"), call(4, "nothing")]);
    expect(answers.map(said)).toEqual(["read,write", "read", ""]);
  });
});

test("over HTTP+SSE each message counts with the token it came with [D.1]", async () => {
  const http = await protect({ httpSse: true }, (server) => {
    server.tool("scopes", {}, async (_input, ctx) => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      return ctx.auth!.scopes.join();
    });
  });
  const stream = await EventReader.open(http.port, { headers: bearing("ann") });
  const path = (await stream.next()).data;
  const post = (token: string, body: object) => http.raw({ path, headers: bearing(token), body });
  await post("ann", initialize("2024-11-05"));
  await stream.next();
  await post("ann", { jsonrpc: "2.0", method: "notifications/initialized" });
  const call = (id: number, token: string) =>
    post(token, { jsonrpc: "2.0", id, method: "tools/call", params: { name: "scopes" } });
  await Promise.all([call(2, "ann"), call(3, "reader"), call(4, "nothing")]);
  const answers = [await stream.next(), await stream.next(), await stream.next()].map(
    ({ data }) => JSON.parse(data) as { id: number; result: { content: { text: string }[] } },
  );
  const byId = Object.fromEntries(answers.map(({ id, result }) => [id, result.content[0]!.text]));
  expect(byId).toEqual({ 2: "read,write", 3: "read", 4: "" });
});

describe("Without authorization", () => {
  const open = (): McpServer => {
    const server = testServer({ name: "open" });
    server.tool("who", {}, (_input, ctx) => JSON.stringify([ctx.auth ?? "nobody", ctx.principal ?? "nobody"]));
    return server;
  };

  test.each(REVISIONS)("in process no user is known, on %s", async (revision: Revision) => {
    await using client = await connect(open(), { revision });
    expect((await client.callTool("who")).text).toBe('["nobody","nobody"]');
  });

  test.each(REVISIONS)("over HTTP without `auth` no user is known, whatever header comes, on %s", async (revision: Revision) => {
    const handler = createFetchHandler(open());
    await using client = await connect(
      { url: "http://localhost/mcp", fetch: (url, init) => handler(new Request(url, init)) },
      { revision, auth: bearerToken("ann") },
    );
    expect((await client.callTool("who")).text).toBe('["nobody","nobody"]');
  });

  test("middleware may say who it is", async () => {
    const server = open();
    server.use((next) => (ctx) => {
      ctx.principal = "root";
      return next(ctx);
    });
    await using client = await connect(server);
    expect((await client.callTool("who")).text).toBe('["nobody","root"]');
  });
});

describe("principalOf [rule R4]", () => {
  const info = fc.record({
    issuer: fc.string(),
    subject: fc.option(fc.string(), { nil: undefined }),
    clientId: fc.option(fc.string(), { nil: undefined }),
    scopes: fc.constant([]),
    claims: fc.constant({}),
  });

  test("property: tells any two apart, and nothing but issuer, subject and client counts", () => {
    fc.assert(
      fc.property(info, info, (a, b) => {
        const same = a.issuer === b.issuer && a.subject === b.subject && a.clientId === b.clientId;
        expect(principalOf(a) === principalOf(b)).toBe(same);
        expect(principalOf({ ...a, scopes: ["x"], expiresAt: 1, claims: { x: 1 } })).toBe(principalOf(a));
      }),
      {
        examples: [
          [
            { issuer: "a", subject: 'b","c', clientId: undefined, scopes: [], claims: {} },
            { issuer: "a", subject: "b", clientId: "c", scopes: [], claims: {} },
          ],
        ],
      },
    );
  });

  test("a user and a client of the same name are two", () => {
    const base = { issuer: ISSUER, scopes: [], claims: {} };
    expect(principalOf({ ...base, subject: "x" })).not.toBe(principalOf({ ...base, clientId: "x" }));
  });
});
