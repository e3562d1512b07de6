/** Mistakes other SDKs made and mended: those over HTTP, with real sockets. */
import { describe, expect, it } from "vitest";
import { connect as connectTo, McpServer, UnusableResponseError, type JsonObject } from "tenon";
import { bearerToken } from "tenon/auth";
import { initialize, serve } from "../http/support.ts";
import { quiet, scriptedHttp, stateful, stateless } from "../http-client/scripted-http.ts";
import { failureOf } from "../support/failure-of.ts";
import { closing } from "../support/matrix.ts";

const list: JsonObject = { tools: [], resultType: "complete", ttlMs: 0, cacheScope: "private" };

describe("Authorization", () => {
  it("a token and a header of the user's are one header, the token's, whatever its spelling", async () => {
    for (const name of ["Authorization", "authorization", "AUTHORIZATION"]) {
      const http = await scriptedHttp(stateless((_request, reply) => reply.result(list)));
      const client = await closing(
        connectTo({ url: http.url, headers: { [name]: "Bearer of-the-user" }, auth: bearerToken("of-the-provider") }),
      );
      await client.listTools();
      expect(new Set(http.requests.map(({ headers }) => headers.authorization))).toEqual(new Set(["Bearer of-the-provider"]));
    }
  });

  it("b.6-C9 a server that wants another token each time is given two, for calls and for the standing stream", async () => {
    let minted = 0;
    const http = await scriptedHttp(
      stateful((request, reply) => {
        if (request.method === "GET" || request.message["method"] === "tools/list")
          return reply.text("no", 401, { "www-authenticate": "Bearer" });
        return reply.result({});
      }),
    );
    const client = await closing(connectTo({ url: http.url, auth: bearerToken(() => `token-${++minted}`) }, { revision: "2025-11-25" }));
    expect((await failureOf(client.listTools())).message).toMatch(/401|token/i);
    await client.ping();
    const tokensFor = (method: string): (string | undefined)[] =>
      http.requests.filter((_request, index) => http.methods[index] === method).map(({ headers }) => headers.authorization);
    for (const method of ["tools/list", "GET"]) {
      expect(tokensFor(method)).toHaveLength(2);
      expect(new Set(tokensFor(method)).size).toBe(2);
    }
  });
});

describe("Media types are read, not searched", () => {
  it.each([
    "text/html; x=application/json",
    "application/jsonp",
    "text/plain, application/json",
    "application/json-seq",
    "xtext/event-stream",
  ])("%s is no answer", async (type) => {
    const http = await scriptedHttp(
      stateless(({ message }, { response }) => {
        response.writeHead(200, { "content-type": type }).end(JSON.stringify({ jsonrpc: "2.0", id: message["id"], result: list }));
      }),
    );
    const client = await closing(connectTo(http.url));
    expect(await failureOf(client.listTools())).toBeInstanceOf(UnusableResponseError);
  });

  it.each(["application/json;charset=utf-8", "Application/JSON", " application/json ; charset=UTF-8"])("%s is one", async (type) => {
    const http = await scriptedHttp(
      stateless(({ message }, { response }) => {
        response.writeHead(200, { "content-type": type }).end(JSON.stringify({ jsonrpc: "2.0", id: message["id"], result: list }));
      }),
    );
    expect((await (await closing(connectTo(http.url))).listTools()).tools).toEqual([]);
  });
});

describe("Sessions", () => {
  it("an id that comes with anything but a successful handshake begins no session", async () => {
    const http = await scriptedHttp(
      quiet(
        stateful(
          (request, reply) => reply.result(request.message["method"] === "ping" ? {} : { tools: [] }, { "mcp-session-id": "planted" }),
          {
            capabilities: { tools: {} },
          },
        ),
      ),
    );
    const client = await closing(connectTo(http.url, { revision: "2025-11-25" }));
    await client.listTools();
    await client.ping();
    expect(http.requests.map(({ headers }) => headers["mcp-session-id"]).filter((id) => id !== undefined)).toEqual([]);
  });

  it("one that refuses its own handshake has none to be used, and a second handshake is another session", async () => {
    const server = new McpServer({ name: "s", version: "1" });
    server.tool("t", {}, () => "t");
    const http = await serve(server);
    const refused = await http.raw({ body: { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 7 } } });
    expect([refused.status, refused.headers["mcp-session-id"]]).toEqual([400, undefined]);
    const ids = await Promise.all([1, 2].map(async () => (await http.raw({ body: initialize("2025-11-25") })).headers["mcp-session-id"]));
    expect(new Set(ids).size).toBe(2);
  });
});
