/** Mistakes other SDKs made and mended: those over HTTP, with real sockets. */
import { connect as connectHttp2, createServer as createHttp2 } from "node:http2";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect as connectTo, UnusableResponseError, type JsonObject } from "tenon";
import { bearerToken } from "tenon/auth";
import type { Fetch } from "tenon/client";
import { toNodeHandler } from "tenon/node";
import { BOTH, dataOf, initialize, mirrored, serve, statelessBody } from "../http/support.ts";
import { quiet, scriptedHttp, stateful, stateless } from "../http-client/scripted-http.ts";
import { failureOf } from "../support/failure-of.ts";
import { closing } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

const list: JsonObject = { tools: [], resultType: "complete", ttlMs: 0, cacheScope: "private" };

describe("Authorization", () => {
  it("the token replaces a header of the user with the same name, in upper or lower case", async () => {
    for (const name of ["Authorization", "authorization", "AUTHORIZATION"]) {
      const http = await scriptedHttp(stateless((_request, reply) => reply.result(list)));
      const client = await closing(
        connectTo({ url: http.url, headers: { [name]: "Bearer of-the-user" }, auth: bearerToken("of-the-provider") }),
      );
      await client.listTools();
      expect(new Set(http.requests.map(({ headers }) => headers.authorization))).toEqual(new Set(["Bearer of-the-provider"]));
    }
  });

  it("a server that wants another token each time is given two, for calls and for the standing stream [fault C9]", async () => {
    let minted = 0;
    const http = await scriptedHttp(
      stateful((request, reply) => {
        if (request.method === "GET" || request.message["method"] === "tools/list")
          return reply.text("no", 401, { "www-authenticate": "Bearer" });
        return reply.result({});
      }),
    );
    const client = await closing(
      connectTo({ url: http.url, auth: bearerToken(() => `token-${++minted}`) }, { revision: "2025-11-25" }),
    );
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
  ])("%s is not the type of a response: a deviation, which strict clients refuse", async (type) => {
    const http = await scriptedHttp(
      stateless(({ message }, { response }) => {
        response
          .writeHead(200, { "content-type": type })
          .end(JSON.stringify({ jsonrpc: "2.0", id: message["id"], result: list }));
      }),
    );
    const told: string[] = [];
    const client = await closing(connectTo(http.url, { onDeviation: ({ kind }) => void told.push(kind) }));
    expect([(await client.listTools()).tools, told]).toEqual([[], ["media-type"]]);
    const strict = await closing(connectTo(http.url, { strict: true }));
    expect(await failureOf(strict.listTools())).toBeInstanceOf(UnusableResponseError);
  });

  it.each(["application/json;charset=utf-8", "Application/JSON", " application/json ; charset=UTF-8"])(
    "%s is one",
    async (type) => {
      const http = await scriptedHttp(
        stateless(({ message }, { response }) => {
          response
            .writeHead(200, { "content-type": type })
            .end(JSON.stringify({ jsonrpc: "2.0", id: message["id"], result: list }));
        }),
      );
      expect((await (await closing(connectTo(http.url))).listTools()).tools).toEqual([]);
    },
  );
});

describe("Sessions", () => {
  it("an id that comes with anything but a successful handshake begins no session", async () => {
    const http = await scriptedHttp(
      quiet(
        stateful(
          (request, reply) =>
            reply.result(request.message["method"] === "ping" ? {} : { tools: [] }, { "mcp-session-id": "planted" }),
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
    const server = testServer();
    server.tool("t", {}, () => "t");
    const http = await serve(server);
    const refused = await http.raw({ body: { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 7 } } });
    expect([refused.status, refused.headers["mcp-session-id"]]).toEqual([400, undefined]);
    const ids = await Promise.all(
      [1, 2].map(async () => (await http.raw({ body: initialize("2025-11-25") })).headers["mcp-session-id"]),
    );
    expect(new Set(ids).size).toBe(2);
  });
});

describe("Requests", () => {
  it("go through the user's fetch as a function, never as a method: browsers and workers refuse theirs otherwise", async () => {
    const http = await scriptedHttp(stateless((_request, reply) => reply.result(list)));
    const receivers: unknown[] = [];
    const fetching: Fetch = function (this: unknown, url, init) {
      receivers.push(this);
      return fetch(url, init);
    };
    await (await closing(connectTo({ url: http.url, fetch: fetching }))).listTools();
    expect(new Set(receivers)).toEqual(new Set([undefined]));
  });

  it("keep the query of the URL, for calls, the standing stream and the end of the session", async () => {
    const http = await scriptedHttp(stateful((_request, reply) => reply.result({ tools: [] }), { sessionId: "s" }));
    const client = await connectTo(`${http.url}?key=a%20b`, { revision: "2025-11-25" });
    await client.listTools();
    await http.received("GET");
    await client.close();
    await http.received("DELETE");
    expect(new Set(http.requests.map(({ path }) => path))).toEqual(new Set(["/mcp?key=a%20b"]));
  });

  it("leave out headers without a value, instead of sending the text [F3.8]", async () => {
    const http = await scriptedHttp(stateless((_request, reply) => reply.result(list)));
    const headers = { "x-set": "1", "x-missing": undefined, "x-null": null } as unknown as Record<string, string>;
    for (const given of [headers, () => headers]) {
      await (await closing(connectTo({ url: http.url, headers: given }))).listTools();
    }
    for (const sent of http.requests) {
      expect(sent.headers).toHaveProperty("x-set", "1");
      expect(sent.headers).not.toHaveProperty("x-missing");
      expect(sent.headers).not.toHaveProperty("x-null");
    }
  });
});

describe("What is said to the server", () => {
  it.each([
    [200, ""],
    [200, "{}"],
    [200, "ok"],
    [202, "Accepted"],
    [204, ""],
  ])("has arrived if the server responds with %d and %j", async (status, body) => {
    const http = await scriptedHttp(
      quiet((request, reply) => {
        const { method } = request.message;
        if (method === "notifications/initialized") {
          reply.response.writeHead(status, { "content-type": "application/json" });
          return void reply.response.end(body === "" ? undefined : body);
        }
        if (method !== "initialize") return reply.result({ tools: [] });
        return reply.result({
          protocolVersion: "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "s", version: "1" },
        });
      }),
    );
    const reported: unknown[] = [];
    const client = await closing(connectTo(http.url, { revision: "2025-06-18", onError: (error) => void reported.push(error) }));
    expect((await client.listTools()).tools).toEqual([]);
    expect(reported).toEqual([]);
  });
});

describe("HTTP/2", () => {
  it("is served by the same handler: the host is the authority, and a foreign one is refused [fault H1]", async () => {
    const server = testServer();
    server.tool("now", {}, () => "now");
    server.tool("steps", {}, async (_input, ctx) => {
      await ctx.progress(1);
      return "done";
    });
    const handler = toNodeHandler(server);
    onTestFinished(() => handler.close());
    // Node's compatibility layer: the same listener, requests and responses of HTTP/2 as those of HTTP/1.
    const http = createHttp2(handler as unknown as Parameters<typeof createHttp2>[1]);
    await new Promise<void>((resolve) => {
      http.listen(0, "127.0.0.1", resolve);
    });
    const session = connectHttp2(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
    onTestFinished(() => {
      session.destroy();
      http.close();
    });
    const call = async (name: string, more: Record<string, string> = {}): Promise<{ status: unknown; text: string }> => {
      const params = { name, _meta: { progressToken: 1 } };
      const headers = { accept: BOTH, "content-type": "application/json", ...mirrored("tools/call", params), ...more };
      const stream = session.request({ ":method": "POST", ":path": "/mcp", ...headers });
      let status: unknown;
      stream.on("response", (answered) => (status = answered[":status"]));
      stream.end(JSON.stringify(statelessBody("tools/call", params)));
      let text = "";
      for await (const chunk of stream) text += String(chunk);
      return { status, text };
    };
    const now = await call("now");
    expect([now.status, JSON.parse(now.text)]).toMatchObject([200, { result: { content: [{ text: "now" }] } }]);
    const steps = dataOf((await call("steps")).text).map((data) => JSON.parse(data) as JsonObject);
    expect(steps).toMatchObject([{ method: "notifications/progress" }, { result: { content: [{ text: "done" }] } }]);
    expect((await call("now", { ":authority": "evil.example" })).status).toBe(421);
  });
});
