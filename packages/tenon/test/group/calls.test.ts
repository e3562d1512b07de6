/**
 * What goes through a group in the middle of a call, over transports and revisions; and what never gets from one server to
 * another.
 */
import { describe, expect, it } from "vitest";
import { connect, ErrorCode, McpServer, type JsonObject } from "tenon";
import { bearerToken } from "tenon/auth";
import type { ClientSessionGroup, GroupOptions } from "tenon/group";
import { sourceOf } from "tenon/server";
import { failureOf } from "../support/failure-of.ts";
import { closing, describeMatrix, targetOf } from "../support/matrix.ts";
import { failure, result, scriptedServer } from "../support/scripted-server.ts";
import type { ScriptedTransport } from "../support/scripted-transport.ts";
import { turn } from "../support/virtual-clock.ts";
import { scriptedHttp, type ScriptedHttp } from "../http-client/scripted-http.ts";
import { grouped } from "./support.ts";
import { testServer } from "../support/test-server.ts";

const schema = { type: "object", properties: { name: { type: "string" } } } as const;

function talkative(name: string, onAbort: (server: string) => void): McpServer {
  const server = testServer({ name: "the same for all" });
  server.tool("count", {}, async (_input, ctx) => {
    for (let step = 1; step <= 3; step++) await ctx.progress(step, 3, `${name} ${step}`);
    return "counted";
  });
  server.tool("wait", {}, (_input, ctx) => {
    return new Promise<string>((resolve) => {
      ctx.signal.addEventListener("abort", () => {
        onAbort(name);
        resolve("");
      });
    });
  });
  server.tool("ask", {}, async (_input, ctx) => {
    const answer = await ctx.elicit("who", { message: "Who?", schema });
    return answer.action === "accept" ? String(answer.content["name"]) : answer.action;
  });
  server.tool("think", {}, async (_input, ctx) => {
    const answer = await ctx.sample("thought", {
      messages: [{ role: "user", content: { type: "text", text: name } }],
      maxTokens: 5,
    });
    return answer.model;
  });
  server.tool("where", {}, async (_input, ctx) => (await ctx.roots()).map(({ uri }) => uri).join());
  server.tool("speak", {}, async (_input, ctx) => {
    await ctx.log.warning(`${name} speaks`);
    return "";
  });
  return server;
}

describeMatrix("Calls of a group", ({ transport, revision, since }) => {
  async function two(options: GroupOptions = {}): Promise<{ group: ClientSessionGroup; aborted: string[] }> {
    const aborted: string[] = [];
    const server = (name: string): McpServer => talkative(name, (who) => aborted.push(who));
    const [one, two] = await Promise.all([targetOf(transport, server("one")), targetOf(transport, server("two"))]);
    const { group } = await grouped({ one, two }, { revision, readyTimeout: Infinity, ...options });
    return { group, aborted };
  }

  it("progress, the caller's abort and time limits are between it and one server [SG-08 fault G5]", async () => {
    const { group, aborted } = await two();
    const steps: unknown[] = [];
    await group.callTool("two__count", {}, { onProgress: ({ message }) => void steps.push(message) });
    expect(steps).toEqual(since("2025-03-26") ? ["two 1", "two 2", "two 3"] : [undefined, undefined, undefined]);
    const abort = new AbortController();
    const call = group.callTool("one__wait", {}, { signal: abort.signal });
    setTimeout(() => abort.abort(new Error("changed my mind")), 20);
    await expect(call).rejects.toThrow("changed my mind");
    await expect.poll(() => aborted).toEqual(["one"]);
    expect(await failureOf(group.callTool("two__wait", {}, { timeout: 20 }))).toMatchObject({ code: -32001 });
    await expect.poll(() => aborted).toEqual(["one", "two"]);
    expect((await group.callTool("one__count")).text).toBe("counted");
  });

  it("callbacks get the name of the asking server, by the name it has in the group [SG-13 fault G5]", async () => {
    const logs: unknown[] = [];
    const { group } = await two({
      onElicit: (_params, { server, signal }) => ({ action: "accept", content: { name: `${server} ${signal.aborted}` } }),
      onSample: (_params, { server }) => ({
        role: "assistant",
        content: { type: "text", text: "" },
        model: `model of ${server}`,
      }),
      roots: ({ server }) => [{ uri: `file:///${server}` }],
      onLog: ({ data }, server) => void logs.push([server, data]),
      onMessage: ({ method }, server) => void logs.push([server, method]),
      logLevel: "info",
    });
    if (since("2025-06-18")) {
      const asked = ["one", "two"].map((server) => group.callTool(`${server}__ask`));
      expect((await Promise.all(asked)).map(({ text }) => text)).toEqual(["one false", "two false"]);
    }
    expect((await group.callTool("two__think")).text).toBe("model of two");
    expect((await group.callTool("one__where")).text).toBe("file:///one");
    logs.length = 0; // a subscription was acknowledged, where there is one
    await group.callTool("two__speak");
    await expect
      .poll(() => logs)
      .toEqual([
        ["two", "two speaks"],
        ["two", "notifications/message"],
      ]);
  });
});

describe("Between servers", () => {
  const page = (cursor: unknown, next: string | undefined): JsonObject => ({
    tools: [{ name: `after-${String(cursor)}`, inputSchema: { type: "object" } }],
    ...(next !== undefined && { nextCursor: next }),
  });
  function scripted(name: string): ScriptedTransport {
    return scriptedServer({
      "server/discover": failure(-32601),
      initialize: result({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name, version: "1" } }),
      "tools/list": (request, server) => {
        const { cursor } = (request["params"] ?? {}) as { cursor?: string };
        result(page(cursor ?? name, cursor === undefined ? "next" : undefined))(request, server);
      },
    });
  }

  it("equal ids, progress tokens and cursors are as many as there are connections [fault G4]", async () => {
    const [one, two] = [scripted("one"), scripted("two")];
    const { group } = await grouped({ one, two });
    expect([...group.tools.keys()]).toEqual(["one__after-one", "one__after-next", "two__after-two", "two__after-next"]);
    one.take();
    two.take();
    const steps: unknown[] = [];
    const follow = (server: string) => ({
      onProgress: ({ message }: { message?: string }) => void steps.push([server, message]),
    });
    const calls = [group.callTool("one__after-one", {}, follow("one")), group.callTool("two__after-two", {}, follow("two"))];
    await turn();
    const [first, second] = [one.sent[0]!, two.sent[0]!];
    expect(second["id"]).toBe(first["id"]); // what would collide in one table
    for (const [server, text] of [
      [two, "of two"],
      [one, "of one"],
    ] as const) {
      const { progressToken } = (server.sent[0]!["params"] as { _meta: JsonObject })._meta;
      server.push({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress: 1, message: text } });
      server.push({ jsonrpc: "2.0", id: first["id"], result: { content: [{ type: "text", text }] } });
    }
    expect((await Promise.all(calls)).map(({ text }) => text)).toEqual(["of one", "of two"]);
    expect(steps).toEqual([
      ["two", "of two"],
      ["one", "of one"],
    ]);
  });

  it("headers of a server reach that server alone, and nothing that is reported [fault G8 R21]", async () => {
    const sites = await Promise.all(
      ["one", "two"].map((name) =>
        scriptedHttp(({ method, message }, reply) => {
          if (method !== "POST") return reply.text("", 405);
          if (message["method"] === "server/discover") return reply.error(-32601);
          if (message["id"] === undefined) return reply.text("", 202);
          if (message["method"] === "initialize")
            return reply.result({
              protocolVersion: "2025-11-25",
              capabilities: { tools: {} },
              serverInfo: { name, version: "1" },
            });
          if (message["method"] === "tools/list")
            return reply.result({ tools: [{ name: "t", inputSchema: { type: "object" } }] });
          return reply.text("secret-one secret-two", 500);
        }),
      ),
    );
    const [one, two] = sites as [ScriptedHttp, ScriptedHttp];
    const { group, errors } = await grouped(
      {
        one: { url: one.url, headers: { authorization: "Bearer secret-one" } },
        two: { url: two.url, headers: () => ({ "x-key": "secret-two" }) },
        signed: { url: one.url, auth: bearerToken("secret-four") },
        gone: { url: "http://127.0.0.1:1/mcp", headers: { authorization: "Bearer secret-three" } },
      },
      { readyTimeout: Infinity },
    );
    const messages = [await failureOf(group.callTool("one__t")), await failureOf(group.callTool("two__t"))].map(
      ({ message }) => message,
    );
    expect(new Set(one.requests.map(({ headers }) => headers["authorization"]))).toEqual(
      new Set(["Bearer secret-one", "Bearer secret-four"]),
    );
    expect(one.requests.every(({ headers }) => !("x-key" in headers))).toBe(true);
    expect(two.requests.every(({ headers }) => headers["x-key"] === "secret-two" && !("authorization" in headers))).toBe(true);
    expect(errors.length).toBeGreaterThan(0);
    expect(JSON.stringify([errors, messages, [...group.servers]])).not.toContain("secret");
  });

  it("results of one server are never cached for another [fault G9]", async () => {
    const server = (name: string): McpServer => {
      const made = testServer({ name });
      let reads = 0;
      made.resource("same:uri", { name: "r" }, () => `${name} ${++reads}`);
      made.use("resources/read", (next) => async (context) => ({
        ...(await next(context)),
        ttlMs: 60_000,
        cacheScope: "private",
      }));
      return made;
    };
    const { group } = await grouped({ one: server("one"), two: server("two") }, { revision: "2026-07-28" });
    const read = async (name: string): Promise<unknown> => (await group.readResource(name)).contents[0];
    for (let time = 0; time < 2; time++) {
      expect(await read("one__same:uri")).toMatchObject({ text: "one 1" });
      expect(await read("two__same:uri")).toMatchObject({ text: "two 1" });
    }
  });
});

it("a result keeps its _meta when one of its links gets the name of its server", async () => {
  const server = testServer({ name: "s" });
  const link = { type: "resource_link", uri: "ui://view", name: "view" } as const;
  server.tool("show", {}, () => ({ content: [link], _meta: { "example.com/a": 1 } }));
  const { group } = await grouped({ s: server });
  const { content, _meta } = await group.callTool("s__show");
  expect(content).toEqual([{ ...link, uri: "ui://s+view" }]);
  expect(_meta).toMatchObject({ "example.com/a": 1 });
});

it("progress reaches the client of a server that the group is mounted on", async () => {
  const { group } = await grouped({ one: talkative("one", () => undefined) });
  const outer = testServer({ name: "outer" });
  outer.mount("g", group);
  const client = await closing(connect(outer));
  const steps: unknown[] = [];
  await client.callTool("g__one__count", {}, { onProgress: ({ message }) => void steps.push(message) });
  expect(steps).toEqual(["one 1", "one 2", "one 3"]);
});

it("a feature of a group refuses a request that is not about a feature", async () => {
  const { group } = await grouped({ one: talkative("one", () => undefined) });
  const tool = sourceOf(group).find("tool", "one__count")!;
  const outer = testServer({ name: "outer" });
  outer.use("tools/list", () => (context) => tool.run(context));
  outer.mount("g", group);
  const client = await closing(connect(outer));
  expect(await failureOf(client.listTools())).toMatchObject({ code: ErrorCode.MethodNotFound, data: "tools/list" });
});
