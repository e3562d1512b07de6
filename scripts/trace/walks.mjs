// The ways one `tools/call` can take: each opens a server or a client of Tenon and yields how to make one call with it.
// The other end is plain Node, so that only the side that is measured enters Tenon's files; in process it is both sides.
import { createServer } from "node:http";
import { PassThrough } from "node:stream";

const STATEFUL = "2025-11-25";
const STATELESS = "2026-07-28";
const META_PREFIX = "io.modelcontextprotocol/";
const CLIENT_INFO = { name: "trace", version: "1" };
const META = {
  [`${META_PREFIX}protocolVersion`]: STATELESS,
  [`${META_PREFIX}clientCapabilities`]: {},
  [`${META_PREFIX}clientInfo`]: CLIENT_INFO,
};
const HANDSHAKE = { protocolVersion: STATEFUL, capabilities: {}, clientInfo: CLIENT_INFO };
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const STATELESS_HEADERS = { ...HEADERS, "mcp-protocol-version": STATELESS, "mcp-method": "tools/call", "mcp-name": "add" };
const NUMBER = { type: "number" };
const INPUT = { type: "object", properties: { a: NUMBER, b: NUMBER }, required: ["a", "b"] };

/** Every walk, one after the other: `{ walk, call, prepare }`. What `prepare` does before each call is not measured. */
export async function* walks(load) {
  const tenon = {
    ...(await load("server")),
    ...(await load("client")),
    ...(await load("node")),
    ...(await load("stores/memory")),
    ...(await load("gateway")),
  };
  yield* overHttp(tenon);
  yield* atAnotherNode(tenon);
  yield* overStdio(tenon, STATEFUL);
  yield* overStdio(tenon, STATELESS);
  yield* inProcess(tenon);
  yield* clientOverHttp(tenon);
  yield* throughGateway(tenon);
}

function sums({ McpServer }, options = {}) {
  const server = new McpServer({ name: "sums", version: "1" }, options);
  server.tool("add", { input: INPUT }, ({ a, b }) => String(a + b));
  return server;
}

const params = (revision) => ({ name: "add", arguments: { a: 1, b: 2 }, ...(revision === STATELESS && { _meta: META }) });
const toText = (id, method, params) => JSON.stringify({ jsonrpc: "2.0", id, method, params });

function expectThree(answer) {
  const text = typeof answer === "string" ? answer : JSON.stringify(answer);
  if (!text.includes('"3"')) throw new Error(`The call did not add: ${text}`);
}

async function* overHttp(tenon) {
  const http = await tenon.serveHttp(sums(tenon), { port: 0 });
  const post = posterTo(http.url);
  const stateless = toText(1, "tools/call", params(STATELESS));
  yield { walk: "server, HTTP stateless", call: async () => expectThree(await (await post(STATELESS_HEADERS, stateless)).text()) };

  const headers = await openSession(post);
  let id = 0;
  yield {
    walk: "server, HTTP stateful",
    call: async () => expectThree(await (await post(headers, toText(++id, "tools/call", params(STATEFUL)))).text()),
  };
  await http.close();

  const handle = tenon.createFetchHandler(sums(tenon));
  const request = () => new Request("http://localhost/mcp", { method: "POST", headers: STATELESS_HEADERS, body: stateless });
  yield { walk: "server, HTTP stateless, fetch", call: async () => expectThree(await (await handle(request())).text()) };
}

const posterTo = (url) => (headers, body) => fetch(url, { method: "POST", headers, body });

/** Opens a session and returns the headers of its requests. */
async function openSession(post) {
  const opened = await post(HEADERS, toText(0, "initialize", HANDSHAKE));
  const headers = { ...HEADERS, "mcp-session-id": opened.headers.get("mcp-session-id"), "mcp-protocol-version": STATEFUL };
  await opened.text();
  await (await post(headers, INITIALIZED)).text();
  return headers;
}

/** Two nodes share stores: a session is opened at the first, and the calls come to the second. */
async function* atAnotherNode(tenon) {
  const stores = tenon.memoryStores();
  const keys = ["trace ".repeat(8)];
  const serve = () => tenon.serveHttp(sums(tenon, { requestState: { keys } }), { port: 0, stores });
  const [first, second] = [await serve(), await serve()];
  const [atFirst, atSecond] = [posterTo(first.url), posterTo(second.url)];
  let headers;
  const prepare = async () => {
    headers = await openSession(atFirst);
  };
  let id = 0;
  const call = async () => expectThree(await (await atSecond(headers, toText(++id, "tools/call", params(STATEFUL)))).text());
  yield { walk: "a session at a new node, first request", call, prepare };
  yield { walk: "a session at a new node, next request", call, prepare: () => prepare().then(call) };
  await Promise.all([first.close(), second.close()]);
}

async function* overStdio(tenon, revision) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  void tenon.serveStdio(sums(tenon), { stdin, stdout });
  const rpc = lineCaller(stdin, stdout);
  if (revision === STATEFUL) {
    await rpc("initialize", HANDSHAKE);
    stdin.write(`${INITIALIZED}\n`);
  }
  yield { walk: `server, stdio ${revision}`, call: async () => expectThree(await rpc("tools/call", params(revision))) };
  stdin.end();
}

/** Writes requests as lines and resolves with the response of the same id. */
function lineCaller(stdin, stdout) {
  const waiting = new Map();
  let rest = "";
  stdout.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      waiting.get(message.id)?.(message);
    }
  });
  let id = 0;
  return (method, params) =>
    new Promise((resolve) => {
      waiting.set(++id, resolve);
      stdin.write(`${toText(id, method, params)}\n`);
    });
}

async function* inProcess(tenon) {
  const client = await tenon.connect(sums(tenon));
  yield { walk: "both sides, in process", call: async () => expectThree(await client.callTool("add", { a: 1, b: 2 })) };
  await client.close();
}

async function* clientOverHttp(tenon) {
  const common = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
  const results = {
    "server/discover": { ...common, supportedVersions: [STATELESS], capabilities: { tools: {} } },
    "tools/list": { ...common, tools: [{ name: "add", inputSchema: { type: "object" } }] },
    "tools/call": { resultType: "complete", content: [{ type: "text", text: "3" }] },
  };
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += chunk));
    request.on("end", () => {
      const { id, method } = JSON.parse(text);
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] }));
    });
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const client = await tenon.connect(`http://127.0.0.1:${server.address().port}/mcp`);
  await client.listTools();
  yield { walk: "client, HTTP stateless", call: async () => expectThree(await client.callTool("add", { a: 1, b: 2 })) };
  await client.close();
  server.close();
}

/** A server on stdio in plain Node, so that only the gateway enters Tenon's files. */
const PROGRAM = `
const results = {
  initialize: () => ({ protocolVersion: "${STATEFUL}", capabilities: { tools: {} }, serverInfo: { name: "sums", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "add", inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: "3" }] }),
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = results[method]?.();
  const reply = result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...reply }) + "\\n");
});`;

async function* throughGateway(tenon) {
  const gateway = tenon.createGateway({ servers: { sums: { command: process.execPath, args: ["-e", PROGRAM], revision: STATEFUL } } });
  const http = await tenon.serveHttp(gateway, { port: 0 });
  const post = posterTo(http.url);
  const headers = { ...STATELESS_HEADERS, "mcp-name": "sums__add" };
  const body = toText(1, "tools/call", { ...params(STATELESS), name: "sums__add" });
  yield { walk: "gateway, HTTP stateless to stdio", call: async () => expectThree(await (await post(headers, body)).text()) };
  await http.close();
  await gateway.close();
}
