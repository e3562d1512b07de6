// Load balancers that lead the requests of a client by a cookie: it is kept for the connection, and goes nowhere else [FD-86].
import { connect, type HttpServerParameters } from "tenon";
import type { Fetch } from "tenon/client";
import { describe, expect, test } from "vitest";
import { closing } from "../support/matrix.ts";
import { forgetful, scriptedHttp, type Received, type Reply, type Script } from "../http-client/scripted-http.ts";

const OPENED = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: "s", version: "1" },
};

/** A stateful server whose responses carry what `cookies` says, and the cookies of its requests by method. */
async function setting(
  cookies: (request: Received) => string | readonly string[] | undefined,
  server: Partial<HttpServerParameters> = {},
) {
  const script: Script = (request, reply) => {
    const set = cookies(request);
    if (set !== undefined) reply.response.setHeader("set-cookie", set);
    return serve(request, reply);
  };
  const http = await scriptedHttp(script);
  const client = await closing(connect({ url: http.url, ...server }, { validateOutput: false }));
  const sent = (): (readonly [string, string | undefined])[] =>
    http.requests.map(({ method, message, headers }) => [(message["method"] as string | undefined) ?? method, headers.cookie]);
  return { http, client, sent };
}

function serve({ method, message }: Received, reply: Reply): void {
  if (method === "GET") return reply.stream();
  if (method === "DELETE") return void reply.response.writeHead(204).end();
  if (message["id"] === undefined) return void reply.response.writeHead(202).end();
  if (message["method"] === "initialize") return reply.result(OPENED, { "mcp-session-id": "1" });
  if (message["method"] === "tools/list") return reply.result({ tools: [] });
  return reply.error(-32601);
}

test("a cookie that any response sets is sent with every later request: messages, the GET stream, the DELETE", async () => {
  const { client, http, sent } = await setting(({ message }) =>
    message["method"] === "initialize" ? "node=7; Path=/; HttpOnly" : undefined,
  );
  await client.listTools();
  await http.received("GET");
  await client.close();
  await http.received("DELETE");
  const [before, opening, ...later] = sent();
  expect([before, opening]).toEqual([
    ["server/discover", undefined],
    ["initialize", undefined],
  ]);
  expect(later.map(([method]) => method).toSorted()).toEqual(["DELETE", "GET", "notifications/initialized", "tools/list"]);
  expect(new Set(later.map(([, cookie]) => cookie))).toEqual(new Set(["node=7"]));
});

test("a session that was forgotten because its node is gone follows the new cookie", async () => {
  const { script, forget } = forgetful((_request, reply) => reply.result({ tools: [] }));
  let node = 1;
  const http = await scriptedHttp((request, reply) => {
    reply.response.setHeader("set-cookie", `node=${node}`);
    return script(request, reply);
  });
  const client = await closing(connect(http.url));
  await client.listTools();
  node = 2;
  forget();
  await client.listTools();
  expect(http.requests.at(-1)!.headers.cookie).toBe("node=2");
});

test("the endpoint for messages of HTTP+SSE gets the cookies of its stream", async () => {
  let stream: Reply | undefined;
  const http = await scriptedHttp((request, reply) => {
    if (request.method === "POST" && request.path === "/mcp") return void reply.response.writeHead(405).end();
    if (request.method === "GET") {
      reply.stream({ "set-cookie": "AWSALB=a/b+c=; Expires=Wed, 01-Jan-2098 00:00:00 GMT; Path=/" });
      stream = reply;
      return void reply.response.write("event: endpoint\ndata: /messages?s=1\n\n");
    }
    reply.response.writeHead(202).end();
    const { id, method } = request.message;
    if (id !== undefined) stream!.event({ jsonrpc: "2.0", id, result: method === "initialize" ? OPENED : { tools: [] } });
    return undefined;
  });
  const client = await closing(connect(http.url));
  await client.listTools();
  expect(http.requests.filter(({ path }) => path === "/messages?s=1").map(({ headers }) => headers.cookie)).toEqual(
    Array(3).fill("AWSALB=a/b+c="),
  );
});

test("a user's own header has priority, and another connection begins without cookies", async () => {
  const own = await setting(() => "node=7", { headers: { Cookie: "mine=1" } });
  await own.client.listTools();
  expect(new Set(own.sent().map(([, cookie]) => cookie))).toEqual(new Set(["mine=1"]));
  const first = await setting(() => "node=7");
  const second = await closing(connect(first.http.url));
  await second.listTools();
  const initializes = first.sent().filter(([method]) => method === "initialize");
  expect(initializes.map(([, cookie]) => cookie)).toEqual(["node=7", undefined]); // the first was asked for its revision before
});

test("a redirect within the origin may set them, and they go along", async () => {
  const http = await scriptedHttp((request, reply) => {
    if (request.path === "/mcp")
      return void reply.response.writeHead(307, { location: "/other", "set-cookie": "node=7; Path=/other" }).end();
    return serve(request, reply);
  });
  const client = await closing(connect(http.url));
  await client.listTools();
  const cookies = (path: string): Set<unknown> =>
    new Set(http.requests.filter((request) => request.path === path).map(({ headers }) => headers.cookie));
  expect([cookies("/mcp"), cookies("/other")]).toEqual([new Set([undefined]), new Set(["node=7"])]);
});

test("a fetch that shows no cookies is used as before, as in a browser", async () => {
  const plain: Fetch = async (url, init) => {
    const { status, ok, type, headers, body } = await fetch(url, init as RequestInit);
    return {
      status,
      ok,
      type,
      headers: { get: (name) => headers.get(name), has: (name) => headers.has(name) },
      body,
      text: () => new Response(body).text(),
    };
  };
  const { client, sent } = await setting(() => "node=7", { fetch: plain });
  await client.listTools();
  expect(new Set(sent().map(([, cookie]) => cookie))).toEqual(new Set([undefined]));
});

describe("which cookies are sent", () => {
  test.each<[string, readonly string[], string | undefined]>([
    ["one without attributes", ["a=1"], "a=1"],
    ["several, the longer path first", ["a=1; Path=/", "b=2; Path=/mcp"], "b=2; a=1"],
    ["the last of a name", ["a=1", "a=2"], "a=2"],
    ["the same name for two paths", ["a=1; Path=/", "a=2; Path=/mcp"], "a=2; a=1"],
    ["another path", ["a=1; Path=/mc", "b=2; Path=/mcp/x"], undefined],
    ["its own host named", ["a=1; Domain=127.0.0.1"], "a=1"],
    ["another host", ["a=1; Domain=example.com", "b=1; Domain=0.0.1"], undefined],
    ["one for https alone", ["a=1; Secure"], undefined],
    [
      "one that is over",
      ["a=1; Max-Age=0", "b=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "c=1; Max-Age=-5; Expires=Wed, 01 Jan 2098 00:00:00 GMT"],
      undefined,
    ],
    ["one that is taken back", ["a=1", "a=; Max-Age=0"], undefined],
    ["one that lasts", ["a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], "a=1"],
    ["attributes that cannot be read", ["a=1; Max-Age=soon; Expires=later; Path=x; Domain="], "a=1"],
    ["quoted, empty, with spaces", ['a="1"', "b=", "c = 1 2 "], 'a="1"; b=; c=1 2'],
    ["no cookie at all", ["", "=1", "a", "a b=1", "ü=1"], undefined],
  ])("%s", async (_what, lines, cookie) => {
    const { client, sent } = await setting(({ message }) => (message["method"] === "initialize" ? lines : undefined));
    await client.listTools();
    expect(sent().at(-1)![1]).toBe(cookie);
  });

  test("at most 50, and 8192 characters: the oldest go first", async () => {
    const many = await setting(({ message }) =>
      message["method"] === "initialize" ? Array.from({ length: 60 }, (_, i) => `c${i}=1`) : undefined,
    );
    await many.client.listTools();
    expect(
      many
        .sent()
        .at(-1)![1]!
        .split("; ")
        .map((pair) => pair.split("=")[0]),
    ).toEqual(Array.from({ length: 50 }, (_, i) => `c${i + 10}`));
    const long = await setting(({ message }) =>
      message["method"] === "initialize" ? ["a", "b", "c"].map((name) => `${name}=${"x".repeat(4_000)}`) : undefined,
    );
    await long.client.listTools();
    expect(
      long
        .sent()
        .at(-1)![1]!
        .split("; ")
        .map((pair) => pair[0]),
    ).toEqual(["b", "c"]);
  });
});
