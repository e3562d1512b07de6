// What a token must be good for: per tool, resource, prompt and method, refused before anything has run.
import { describe, expect, test } from "vitest";
import { connect, type JsonObject } from "tenon";
import { createFetchHandler } from "tenon/server";
import { serveHttp } from "tenon/node";
import {
  authorizer,
  bearing,
  challengesOf,
  exchange,
  initialize,
  mirrored,
  onTestFinished,
  protect,
  REVISIONS,
  said,
  statelessBody,
  TOKENS,
  type Seen,
} from "./support.ts";
import { testServer } from "../support/test-server.ts";
import { define, guarded, lacking, tokens } from "./scoped-server.ts";

const requests: [string, string, JsonObject, string][] = [
  ["a tool", "tools/call", { name: "delete" }, "files:write files:delete"],
  ["a tool that streams", "tools/call", { name: "slow", _meta: { progressToken: 1 } }, "files:write"],
  ["a prompt", "prompts/get", { name: "p" }, "prompts"],
  ["a resource", "resources/read", { uri: "file:///secret" }, "files:read"],
  ["a resource of a template", "resources/read", { uri: "file:///home/ann" }, "home"],
  [
    "completing an argument of a prompt",
    "completion/complete",
    { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } },
    "prompts",
  ],
  [
    "completing a variable of a template",
    "completion/complete",
    { ref: { type: "ref/resource", uri: "file:///home/{name}" }, argument: { name: "name", value: "" } },
    "home",
  ],
];

describe.each(REVISIONS)("%s", (revision) => {
  test.each(requests)(
    "%s without its scopes: 403 with all that it needs, and nothing has run [M1.6]",
    async (_what, method, params, scopes) => {
      const http = await guarded();
      const answer = await http.ask(revision, "base", method, params);
      expect([answer.status, answer.headers["content-type"]]).toEqual([403, "application/json"]);
      expect(challengesOf(answer)).toBe(lacking(`mcp ${scopes}`));
      expect(answer.json).toEqual({
        jsonrpc: "2.0",
        id: revision === "2026-07-28" ? 1 : 2,
        error: { code: -32600, message: `Forbidden: the access token needs the scope "mcp ${scopes}"` },
      });
      expect(http.calls).toEqual(revision === "2026-07-28" ? [] : http.calls.filter((call) => call.includes("initialized")));
      expect(http.errors.map((error) => error.message)).toEqual([
        `Insufficient scope: mcp ${scopes} needed, mcp granted ({"issuer":"https://login.example","subject":"ann",` +
          '"clientId":"app"})',
      ]);
    },
  );

  test.each(requests)("%s with them is served [M1.6]", async (_what, method, params) => {
    const http = await guarded();
    const answer = await http.ask(revision, "all", method, params);
    expect(answer.status).toBe(200);
    expect(http.errors).toEqual([]);
  });

  test("some of the scopes are not enough [M1.6]", async () => {
    const http = await guarded();
    expect((await http.call(revision, "writer", "delete")).status).toBe(403);
    expect(said(await http.call(revision, "deleter", "delete"))).toBe("delete");
  });

  test("without the scopes of every request nothing is served, not even a handshake [M1.5 M1.6]", async () => {
    const http = await guarded();
    const answer = await http.call(revision, "nothing", "who");
    expect([answer.status, challengesOf(answer)]).toEqual([403, lacking("mcp")]);
    expect(http.calls).toEqual([]);
  });

  test("what needs scopes is listed, so that clients know what there is; the scope's name is not said [R18]", async () => {
    const http = await guarded();
    for (const [method, member] of [
      ["tools/list", "tools"],
      ["prompts/list", "prompts"],
      ["resources/list", "resources"],
      ["resources/templates/list", "resourceTemplates"],
    ] as const) {
      // oxfmt-ignore
      const { text, status } = await http.ask(revision, "base", method);
      expect(status).toBe(200);
      expect((JSON.parse(text) as { result: Record<string, unknown[]> }).result[member]?.length).toBeGreaterThan(0);
      expect(text).not.toMatch(/scope|files:/);
    }
  });

  test("a whole method may need scopes [M1.6]", async () => {
    const http = await guarded({}, { "tools/list": ["catalog"], "tools/call": ["tools"] });
    expect(challengesOf(await http.ask(revision, "base", "tools/list"))).toBe(lacking("mcp catalog"));
    expect((await http.ask(revision, "all", "tools/list")).status).toBe(200);
    expect(challengesOf(await http.call(revision, "deleter", "delete"))).toBe(lacking("mcp tools files:write files:delete"));
  });

  test("scopes include others, over several steps and in circles [M1.6]", async () => {
    const scopeHierarchy = {
      admin: ["files:delete", "mcp"],
      "files:delete": ["files:write"],
      "files:write": ["files:read", "files:delete"],
    };
    const admin = { ...TOKENS["ann"]!, scopes: ["admin"] };
    const http = await guarded({ auth: authorizer({ scopes: ["mcp"], scopeHierarchy }, { admin, ...tokens }) });
    expect(said(await http.call(revision, "admin", "delete"))).toBe("delete");
    expect((await http.ask(revision, "admin", "resources/read", { uri: "file:///secret" })).status).toBe(200);
    expect((await http.ask(revision, "admin", "prompts/get", { name: "p" })).status).toBe(403);
    expect(JSON.parse(said(await http.call(revision, "admin", "who")))).toMatchObject({
      auth: { scopes: ["admin", "files:delete", "mcp", "files:write", "files:read"] },
    });
  });

  test("what is unknown needs nothing, and is unknown", async () => {
    const http = await guarded({}, { "tools/list": ["catalog"] });
    for (const method of ["constructor", "__proto__", "toString"])
      expect((await http.ask(revision, "base", method)).json).toMatchObject({ error: { code: -32601 } });
    expect((await http.call(revision, "base", "constructor")).json).toMatchObject({ error: { code: -32602 } });
    for (const params of [{ name: 7 }, { name: null }, { name: ["delete"] }, {}]) {
      const answer = await http.ask(revision, "base", "tools/call", params as JsonObject);
      expect(answer.status).not.toBe(403);
      expect(answer.json).toHaveProperty("error");
    }
  });

  describe("requireScopes", () => {
    test.each([false, true])("in a handler: 403 with the challenge where nothing was said (later: %s) [M1.6]", async (later) => {
      const http = await protect({ auth: authorizer({}, tokens) }, (server, seen) => {
        server.tool("late", {}, async (_input, ctx) => {
          if (later) await new Promise(setImmediate);
          ctx.requireScopes("files:write", "files:delete");
          seen.calls.push("late");
          return "done";
        });
      });
      const answer = await http.call(revision, "writer", "late");
      expect([answer.status, challengesOf(answer)]).toEqual([403, lacking("files:write files:delete")]);
      expect(answer.json).toMatchObject({
        error: { code: -32600, message: "Insufficient scope", data: { scopes: ["files:write", "files:delete"] } },
      });
      expect(http.calls).toEqual([]);
      expect(said(await http.call(revision, "deleter", "late"))).toBe("done");
    });

    test("once something was said the refusal is on the stream [M1.6]", async () => {
      const streaming = await protect({ auth: authorizer({}, tokens) }, (server) => {
        server.tool("late", {}, async (_input, ctx) => {
          await ctx.progress(1);
          ctx.requireScopes("files:delete");
          return "done";
        });
      });
      const answer = await streaming.ask(revision, "writer", "tools/call", {
        name: "late",
        arguments: {},
        _meta: { progressToken: 1 },
      });
      expect([answer.status, answer.headers["content-type"]]).toEqual([200, "text/event-stream"]);
      expect(answer.messages.at(-1)).toMatchObject({ error: { code: -32600, message: "Insufficient scope" } });
    });

    test("in middleware [M1.6]", async () => {
      const http = await protect({ auth: authorizer({}, tokens) }, (server) => {
        server.use("tools/call", (next) => (ctx) => {
          if (ctx.params["name"] === "who") ctx.requireScopes("home");
          return next(ctx);
        });
      });
      expect(challengesOf(await http.call(revision, "deleter", "who"))).toBe(lacking("home"));
      expect((await http.call(revision, "all", "who")).status).toBe(200);
    });
  });

  test("middleware that makes another request of the one that was let in does not get around it [R18]", async () => {
    const http = await protect({ auth: authorizer({}, tokens) }, (server, seen) => {
      define(server, seen);
      server.use((next) => (ctx) => {
        if (ctx.params["name"] === "who") ctx.params = { ...ctx.params, name: "delete" };
        return next(ctx);
      });
    });
    const answer = await http.call(revision, "base", "who");
    expect([answer.status, challengesOf(answer)]).toEqual([403, lacking("files:write files:delete")]);
    expect(http.calls).not.toContain("delete");
    expect(said(await http.call(revision, "deleter", "who"))).toBe("delete");
  });

  test("scopes may come later, change, and go", async () => {
    let change: (scopes: string[]) => void = () => undefined;
    const http = await protect({ auth: authorizer({}, tokens) }, (server) => {
      const tool = server.tool("t", {}, () => "");
      change = (scopes) => tool.update({ scopes });
    });
    expect((await http.call(revision, "base", "t")).status).toBe(200);
    change(["files:write"]);
    expect((await http.call(revision, "base", "t")).status).toBe(403);
    expect((await http.call(revision, "writer", "t")).status).toBe(200);
    change([]);
    expect((await http.call(revision, "base", "t")).status).toBe(200);
  });

  test("responseMode sse, or a response that takes long, changes nothing: the refusal is not a stream [A6.5]", async () => {
    for (const options of [{ responseMode: "sse" }, { streams: { after: 0 } }, { responseMode: "json" }] as const) {
      const http = await guarded(options);
      const answer = await http.call(revision, "base", "delete");
      expect([answer.status, answer.headers["content-type"]]).toEqual([403, "application/json"]);
    }
  });

  test("an endpoint without `auth` serves nothing that needs scopes [R18]", async () => {
    const http = await protect({ auth: undefined } as never, define);
    const answer = await http.call(revision, undefined, "delete");
    expect([answer.status, answer.headers["www-authenticate"]]).toEqual([403, undefined]);
    expect(answer.json).toMatchObject({
      error: { message: "Forbidden: this needs scopes, and the endpoint has no authorization" },
    });
    expect(http.errors).toMatchObject([
      { name: "McpUsageError", message: expect.stringContaining('no option "auth"') as string },
    ]);
    expect(http.calls).not.toContain("delete");
    expect((await http.call(revision, undefined, "who")).status).toBe(200);
  });

  test("without `auth`, middleware that makes another request of the one let in does not get around it [R18]", async () => {
    const http = await protect({ auth: undefined } as never, (server, seen) => {
      define(server, seen);
      server.use((next) => (ctx) => {
        if (ctx.params["name"] === "who") ctx.params = { ...ctx.params, name: "delete" };
        return next(ctx);
      });
    });
    expect((await http.call(revision, undefined, "who")).json).toMatchObject({ error: { message: "Insufficient scope" } });
    expect(http.calls).not.toContain("delete");
  });

  test("in process nothing is required: there are no tokens", async () => {
    const seen: Seen = { calls: [], errors: [] };
    const server = testServer();
    define(server, seen);
    server.tool("late", {}, (_input, ctx) => (ctx.requireScopes("anything"), "late"));
    await using client = await connect(server, { revision });
    expect((await client.callTool("delete")).text).toBe("delete");
    expect((await client.callTool("late")).text).toBe("late");
  });
});

test("createFetchHandler refuses as a socket does", async () => {
  const server = testServer();
  define(server, { calls: [], errors: [] });
  const handler = createFetchHandler(server, { auth: authorizer({}, tokens) });
  const params = { name: "delete", arguments: {} };
  const send = (token: string) =>
    handler(
      new Request("http://localhost/mcp", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...mirrored("tools/call", params),
          ...bearing(token),
        },
        body: JSON.stringify(statelessBody("tools/call", params)),
      }),
    );
  const refused = await send("base");
  expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([403, lacking("files:write files:delete")]);
  expect((await send("deleter")).status).toBe(200);
});

test("invalid scopes refuse every request, and the operator learns which", async () => {
  const http = await protect({}, (server) => void server.tool("t", { scopes: ['a"b'] }, () => ""));
  const answer = await http.call("2026-07-28", "ann", "t");
  expect(answer.status).toBe(500);
  expect(http.errors).toMatchObject([{ name: "TypeError", message: expect.stringContaining('"scopes"') as string }]);
});

test("pages of allowed origins may read a refusal", async () => {
  const defined = testServer();
  const http = await serveHttp(defined, { port: 0, auth: authorizer(), cors: { origins: ["https://app.example"] } });
  onTestFinished(() => http.close());
  const answer = await exchange(http.port, { body: initialize("2025-11-25"), headers: { origin: "https://app.example" } });
  expect([answer.status, answer.headers["access-control-allow-origin"], answer.headers["access-control-expose-headers"]]).toEqual(
    [401, "https://app.example", expect.stringContaining("WWW-Authenticate")],
  );
  const preflight = {
    origin: "https://app.example",
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization, dpop, content-type",
  };
  const allowed = await exchange(http.port, { method: "OPTIONS", headers: preflight });
  expect([allowed.status, allowed.headers["access-control-allow-headers"]]).toEqual([204, "authorization, dpop, content-type"]);
});
