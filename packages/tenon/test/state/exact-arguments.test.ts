/**
 * A key, a yes and a kept result are bound to the arguments of a call as the client wrote them: also to digits that a number of
 * JavaScript has lost, because a handler that passes arguments on, or reads them as bigints, uses these digits.
 */
import { expect, test } from "vitest";
import type { JsonObject } from "tenon";
import { cache } from "tenon/middleware";
import { createFetchHandler, type McpServer, type ToolOptions } from "tenon/server";
import { auth, KEYS, PageBrowser, pageIn, site } from "../pages/support.ts";
import { testServer } from "../support/test-server.ts";

const ACCOUNT = '{"key":"k","account":1234567890123456788}';
const OTHER = '{"key":"k","account":1234567890123456789}';

type Call = (args: string, more?: JsonObject) => Promise<JsonObject>;

/** Calls the tool `pay` with arguments as JSON, because a client in JavaScript would round them. */
function caller(
  send: (request: Request) => Promise<Response>,
  url = "http://localhost/mcp",
  capabilities: JsonObject = {},
): Call {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  const headers = {
    ...{ "content-type": "application/json", accept: "application/json, text/event-stream", authorization: "Bearer ada" },
    ...{ "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "pay" },
  };
  return async (args, more = {}) => {
    const params = JSON.stringify({ name: "pay", _meta: meta, ...more }).replace("{", `{"arguments":${args},`);
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
    const text = await (await send(new Request(url, { method: "POST", headers, body }))).text();
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as JsonObject;
  };
}

function addPay(server: McpServer, options: ToolOptions): { readonly paid: () => number } {
  let paid = 0;
  server.tool("pay", { input: { type: "object" }, ...options }, () => `paid ${++paid}`);
  return { paid: () => paid };
}

const called = (options: ToolOptions, capabilities?: JsonObject): { call: Call; paid: () => number } => {
  const server = testServer();
  const { paid } = addPay(server, options);
  return { call: caller(createFetchHandler(server, { auth }), undefined, capabilities), paid };
};

test("another account under the same key is refused", async () => {
  const { call, paid } = called({ once: { key: "key" } });
  expect(await call(ACCOUNT)).toMatchObject({ result: { content: [{ text: "paid 1" }] } });
  expect(await call(OTHER)).toMatchObject({ error: { data: { reason: "onceMismatch" } } });
  expect(await call(ACCOUNT)).toMatchObject({ result: { content: [{ text: "paid 1" }] } });
  expect(paid()).toBe(1);
});

test("a yes to one account counts for no other, and its question shows each digit", async () => {
  const { call, paid } = called({ confirm: true }, { elicitation: { form: {} } });
  const { result } = (await call(ACCOUNT)) as { result: { inputRequests: JsonObject; requestState: string } };
  expect(JSON.stringify(result.inputRequests)).toContain("1234567890123456788");
  const inputResponses = Object.fromEntries(
    Object.keys(result.inputRequests).map((name) => [name, { action: "accept", content: {} }]),
  );
  const answered = { requestState: result.requestState, inputResponses };
  expect(await call(OTHER, answered)).toMatchObject({ error: { code: -32602 } });
  expect(paid()).toBe(0);
  expect(await call(ACCOUNT, answered)).toMatchObject({ result: { content: [{ text: "paid 1" }] } });
});

test("a yes on a page to one account counts for no other", async () => {
  let paid = (): number => 0;
  const at = await site((server) => ({ paid } = addPay(server, { confirm: "Pay?" })), { pages: { keys: KEYS } });
  const call = caller(fetch, at.endpoint.url);
  const { result } = (await call(ACCOUNT)) as { result: { content: [{ text: string }] } };
  await new PageBrowser("ada").answer(pageIn(result.content[0].text), { choice: "yes" });
  expect(JSON.stringify(await call(OTHER))).toContain("has to say yes first");
  expect(paid()).toBe(0);
  expect(await call(ACCOUNT)).toMatchObject({ result: { content: [{ text: "paid 1" }] } });
});

test("a result that is kept for one account is sent for no other", async () => {
  const server = testServer();
  server.use(cache({ ttl: 60_000, when: () => true }));
  const { paid } = addPay(server, {});
  const call = caller(createFetchHandler(server, { auth }));
  for (const args of [ACCOUNT, OTHER, ACCOUNT]) await call(args);
  expect(paid()).toBe(2);
});
