/** What a server gets is written anew by the gateway, from what its policy has seen: nothing of a message can say two things. */
import { expect, it, onTestFinished } from "vitest";
import { createGateway } from "tenon/gateway";
import { serveHttp } from "tenon/node";
import { testServer } from "../support/test-server.ts";

interface Shop {
  /** Sends the text of `params`, and returns the response as text. */
  readonly call: (params: string, method?: string) => Promise<string>;
  /** The params of the calls that the server got, as text. */
  readonly got: string[];
}

/** A shop at which nothing may be bought, over HTTP on both sides. */
async function shop(): Promise<Shop> {
  const server = testServer({ name: "shop" });
  server.tool("search", {}, () => "found");
  server.tool("buy", {}, () => "bought");
  const got: string[] = [];
  server.use("tools/call", (next) => (context) => {
    got.push(JSON.stringify(context.params));
    return next(context);
  });
  const behind = await serveHttp(server, { port: 0 });
  const gateway = createGateway({
    readyTimeout: 60_000,
    servers: { shop: { url: behind.url, revision: "2025-11-25" } },
    share: "principal",
    policy: ({ name }) => name !== "buy",
    onError: () => undefined,
  });
  const http = await serveHttp(gateway, { port: 0 });
  onTestFinished(async () => {
    await http.close();
    await gateway.close();
    await behind.close();
  });
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-11-25",
  };
  const post = (body: string, more = {}): Promise<Response> =>
    fetch(http.url, { method: "POST", headers: { ...headers, ...more }, body });
  const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  const opened = await post(JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: hello }));
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id")! };
  await opened.text();
  await post('{"jsonrpc":"2.0","method":"notifications/initialized"}', session);
  let id = 0;
  const call = async (params: string, method = "tools/call"): Promise<string> =>
    (await post(`{"jsonrpc":"2.0","id":${++id},"method":"${method}","params":${params}}`, session)).text();
  return { call, got };
}

it("a message with a duplicate key is refused, and its server gets nothing [fault G7]", async () => {
  const { call, got } = await shop();
  for (const params of [
    '{"name":"shop__search","name":"shop__buy"}',
    '{"name":"shop__search","n\\u0061me":"shop__buy"}',
    '{"name":"shop__search","arguments":{"a":1,"a":2}}',
  ])
    expect(await call(params)).toContain("-32600");
  expect(got).toEqual([]);
  expect(await call('{"name":"shop__search"}')).toContain("found");
  expect(got).toHaveLength(1);
});

it("a member that differs from a known one by case only is refused: some servers take it for that [fault G7]", async () => {
  const { call, got } = await shop();
  for (const params of [
    '{"name":"shop__search","Name":"buy"}',
    '{"NAME":"buy","name":"shop__search"}',
    '{"name":"shop__search","Arguments":{"a":1}}',
    // U+017F is an s to readers that fold case.
    '{"name":"shop__search","argument\\u017f":{"a":1}}',
  ])
    expect(await call(params)).toContain("-32602");
  const named = '{"ref":{"type":"ref/prompt","name":"shop__search","Name":"buy"},"argument":{"name":"q","value":""}}';
  expect(await call(named, "completion/complete")).toContain("by case only");
  expect(got).toEqual([]);
  // Members of the arguments are the tool's own.
  expect(await call('{"name":"shop__search","arguments":{"q":1,"Q":2},"other":3}')).toContain("found");
  expect(JSON.parse(got[0]!)).toMatchObject({ name: "search", arguments: { q: 1, Q: 2 }, other: 3 });
});

it("spaces, escapes and the order of members do not reach the server as they were written [fault G7]", async () => {
  const { call, got } = await shop();
  expect(await call('{ "arguments" : { "q":"\\u0061" }, "name":\n"shop__se\\u0061rch" }')).toContain("found");
  expect(JSON.parse(got[0]!)).toMatchObject({ name: "search", arguments: { q: "a" } });
  expect(await call('{"name":"shop__b\\u0075y"}')).toContain("-32602");
  expect(got).toHaveLength(1);
});
