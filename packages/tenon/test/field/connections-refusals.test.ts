// Requests that are refused for now, servers below a prefix that they do not know, a ping before the handshake, and a GET stream
// that fails [FD-90 FD-91 FD-92 FD-93].
import { connect, McpServer, type JsonObject } from "tenon";
import { serveHttp } from "tenon/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { scriptedClient } from "../http-client/scripted-client.ts";
import { quiet, scriptedHttp, stateful, type Received, type Reply } from "../http-client/scripted-http.ts";
import { failureOf } from "../support/failure-of.ts";
import { closing } from "../support/matrix.ts";

const OPENED = { protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } };
const TEXT: JsonObject = { content: [{ type: "text", text: "ok" }] };

describe("a request that is refused by 429 was not run: it is sent again after Retry-After [FD-90]", () => {
  test.each(["server/discover", "initialize", "notifications/initialized", "tools/list", "tools/call"])("%s", async (at) => {
    let refusals = 1;
    const { url, methods } = await scriptedHttp((request, reply) => {
      const method = request.message["method"] ?? request.method;
      if (method === at && refusals-- > 0)
        return reply.json({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "busy" } }, 429, { "retry-after": "0" });
      if (request.method !== "POST") return void reply.response.writeHead(405).end();
      if (request.message["id"] === undefined) return void reply.response.writeHead(202).end();
      if (method === "initialize") return reply.result(OPENED);
      return method === "tools/list"
        ? reply.result({ tools: [] })
        : method === "tools/call"
          ? reply.result(TEXT)
          : reply.error(-32601);
    });
    const client = await closing(connect(url, { validateOutput: false }));
    expect([(await client.listTools()).tools, (await client.callTool("write")).text]).toEqual([[], "ok"]);
    if (at !== "notifications/initialized") expect(methods.filter((method) => method === at)).toHaveLength(2);
  });

  test("503 may come after the call: only a handshake, and what is safe, is sent again", async () => {
    let handshakes = 0;
    const { url, methods } = await scriptedHttp(
      quiet((request, reply) => {
        if (request.message["method"] === "initialize" && handshakes++ === 0)
          return void reply.response.writeHead(503, { "retry-after": "0" }).end();
        return stateful((_request, { response }) => void response.writeHead(503, { "retry-after": "0" }).end())(request, reply);
      }),
    );
    const client = await closing(connect(url, { validateOutput: false }));
    expect(await failureOf(client.callTool("write"))).toMatchObject({ status: 503 });
    expect(methods.filter((method) => method === "tools/call")).toHaveLength(1);
  });

  test("a wait that is too long is an error that says so", async () => {
    const { client } = await scriptedClient(
      quiet(
        stateful((_request, reply) =>
          reply.json({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "busy" } }, 429, { "retry-after": "90" }),
        ),
      ),
    );
    expect((await failureOf(client.callTool("t"))).message).toBe(
      "busy (it asks to wait 90 s; the client waits for 60 s at most)",
    );
  });

  test("a caller who gives up while it waits ends it at once: nothing is sent again or cancelled", async () => {
    const { http, clock, client } = await scriptedClient(
      quiet(stateful((_request, { response }) => void response.writeHead(429, { "retry-after": "7" }).end())),
    );
    const abort = new AbortController();
    const call = client.callTool("t", {}, { signal: abort.signal });
    await expect.poll(() => clock.delays).toContain(7_000);
    abort.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await clock.advance(10_000);
    await client.close();
    expect(http.methods.filter((method) => method.startsWith("tools/") || method.includes("cancelled"))).toEqual(["tools/call"]);
    await expect.poll(() => clock.pending).toBe(0);
  });

  test("its time limit goes on meanwhile", async () => {
    const { clock, client } = await scriptedClient(
      quiet(stateful((_request, { response }) => void response.writeHead(429, { "retry-after": "4" }).end())),
    );
    const call = failureOf(client.callTool("t", {}, { timeout: 5_000 }));
    await expect.poll(() => clock.delays).toContain(4_000);
    await clock.advance(4_000);
    expect((await call).message).toContain("(it asks to wait 4 s; the call waits for 1 s at most)");
  });

  test("a wait that does not fit into the time of the call is its error at once", async () => {
    const { http, client } = await scriptedClient(
      quiet(
        stateful((_request, reply) =>
          reply.json({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "busy" } }, 429, { "retry-after": "50" }),
        ),
      ),
    );
    const failure = await failureOf(client.callTool("t", {}, { timeout: 5_000 }));
    expect(failure.message).toBe("busy (it asks to wait 50 s; the call waits for 5 s at most)");
    expect(http.methods.filter((method) => method === "tools/call")).toHaveLength(1);
  });

  test("messages over HTTP+SSE, too", async () => {
    let refusals = 1;
    const { url, requests } = await oldServer(
      "/sse",
      "/messages",
      (reply) => refusals-- > 0 && void reply.response.writeHead(429, { "retry-after": "0" }).end(),
    );
    const client = await closing(connect(url));
    expect((await client.listTools()).tools).toEqual([]);
    // the first over Streamable HTTP
    expect(requests.filter(({ message }) => message["method"] === "initialize")).toHaveLength(3);
  });
});

/** An HTTP+SSE server whose stream is at one path, and whose messages are taken at another one. */
async function oldServer(
  streamAt: string,
  messagesAt: string,
  refuse: (reply: Reply) => unknown = () => false,
  named = "/messages?s=1",
) {
  let stream: Reply | undefined;
  const http = await scriptedHttp((request: Received, reply: Reply) => {
    const path = request.path.split("?")[0];
    if (request.method === "GET" && path === streamAt) {
      reply.stream();
      stream = reply;
      return void reply.response.write(`event: endpoint\ndata: ${named}\n\n`);
    }
    if (request.method !== "POST" || path !== messagesAt) return void reply.response.writeHead(404).end();
    if (refuse(reply) !== false) return undefined;
    reply.response.writeHead(202).end();
    const { id, method } = request.message;
    if (id !== undefined) stream!.event({ jsonrpc: "2.0", id, result: method === "initialize" ? OPENED : { tools: [] } });
    return undefined;
  });
  return { ...http, url: new URL(streamAt, http.url).href };
}

describe("an HTTP+SSE server behind a proxy that adds a prefix is found [FD-91]", () => {
  test.each([
    ["/api/v1/sse", "/v1/messages/?s=1", "/api/v1/messages/"],
    ["/proxy/sse", "/messages?s=1", "/proxy/messages"],
    ["/a/b/sse", "/messages?s=1", "/a/b/messages"],
    ["/a/v1/x/sse", "/v1/messages", "/a/v1/messages"],
    ["/sse", "/messages?s=1", "/messages"],
    ["/x/sse", "messages?s=1", "/x/messages"],
  ])("the stream at %s names %s, which is at %s", async (streamAt, named, messagesAt) => {
    const { url, requests } = await oldServer(streamAt, messagesAt, undefined, named);
    const client = await closing(connect(url));
    expect((await client.listTools()).tools).toEqual([]);
    const { search } = new URL(named, url);
    expect(requests.filter(({ path }) => path === messagesAt + search).map(({ message }) => message["method"])).toEqual([
      "initialize",
      "notifications/initialized",
      "tools/list",
    ]);
  });

  test("the error of one that is nowhere names what the server named; once a message was taken, no other is tried", async () => {
    const lost = await oldServer("/proxy/sse", "/elsewhere");
    expect((await failureOf(connect(lost.url))).message).toContain(`${new URL(lost.url).origin}/messages answered with HTTP 404`);
    let gone = false;
    const { url, requests } = await oldServer(
      "/proxy/sse",
      "/messages",
      (reply) => gone && void reply.response.writeHead(404).end(),
    );
    const client = await closing(connect(url));
    gone = true;
    expect(await failureOf(client.listTools())).toMatchObject({ status: 404 });
    expect(requests.filter(({ path }) => path.startsWith("/proxy/messages"))).toEqual([]);
  });
});

test.each(["application/json", "text/event-stream"])(
  "a ping before the handshake is answered, with sessions and without: %s [FD-92]",
  async (accept) => {
    for (const sessions of [true, false]) {
      const http = await serveHttp(new McpServer({ name: "s", version: "1" }), { port: 0, sessions });
      onTestFinished(() => http.close());
      const ask = (method: string, headers: Record<string, string> = {}): Promise<Response> =>
        fetch(http.url, {
          method: "POST",
          headers: { "content-type": "application/json", accept, ...headers },
          body: JSON.stringify({ jsonrpc: "2.0", id: 4, method, params: null }),
        });
      const pong = await ask("ping");
      expect([pong.status, pong.headers.get("content-type"), await pong.text()]).toEqual([
        200,
        accept,
        expect.stringContaining('{"jsonrpc":"2.0","id":4,"result":{}}'),
      ]);
      expect((await ask("ping", { "mcp-protocol-version": "1.0" })).status).toBe(400);
      if (sessions) expect((await ask("tools/list")).status).toBe(400);
    }
  },
);

test("a GET stream that is refused by 500 is asked for after pauses, and not after each response [FD-93]", async () => {
  const { http, clock, client } = await scriptedClient(
    stateful((request, reply) => (request.method === "GET" ? reply.text("oops", 500) : reply.result({ tools: [] })), {
      sessionId: "s",
    }),
  );
  await http.received("GET");
  const gets = (): number => http.methods.filter((method) => method === "GET").length;
  const before = gets();
  for (let i = 0; i < 5; i++) await client.listTools();
  expect(gets() - before).toBe(0);
  await clock.advance(30_000);
  await http.received("GET", before + 1);
});
