// A server whose answers are changed at random, in a process of its own: `http` says its URL to its parent, `stdio` speaks on its
// own streams. A request for the resource "right" gets its answer as it should be, and so does what opens a connection. With
// `broken` some requests get no answer at all, so that a run that finds nothing wrong with that is known to prove nothing.
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { changed, randomFrom } from "../mutate-input.mjs";

const [mode, seed, control] = process.argv.slice(2);
const random = randomFrom(Number(seed));
const TOKENS = [
  "result",
  "error",
  "jsonrpc",
  "resultType",
  "input_required",
  "requestState",
  "content",
  "structuredContent",
  "_meta",
  "isError",
];
const STATUSES = [202, 204, 301, 400, 401, 403, 404, 405, 409, 429, 500, 503];
const INFO = {
  serverInfo: { name: "hostile", version: "1" },
  capabilities: { tools: {}, resources: {}, prompts: {}, logging: {}, completions: {} },
};

const schema = { type: "object", properties: { text: { type: "string" } } };
const cached = { ttlMs: 0, cacheScope: "private" };
const results = {
  "server/discover": () => ({ supportedVersions: ["2026-07-28"], ...INFO, ...cached }),
  initialize: () => ({ protocolVersion: "2025-11-25", ...INFO }),
  "tools/list": () => ({ tools: [{ name: "echo", inputSchema: schema, outputSchema: schema }], ...cached }),
  "tools/call": ({ arguments: given }) => ({
    content: [{ type: "text", text: given.text }],
    structuredContent: { text: given.text },
  }),
  "resources/list": () => ({ resources: [{ uri: "hostile://one", name: "one" }], ...cached }),
  "resources/read": ({ uri }) => ({ contents: [{ uri, text: uri.slice("hostile://".length) }], ...cached }),
  "prompts/list": () => ({ prompts: [{ name: "greet" }], ...cached }),
  "prompts/get": () => ({ messages: [{ role: "user", content: { type: "text", text: "Hello" } }] }),
  "completion/complete": () => ({ completion: { values: ["one"], total: 1, hasMore: false } }),
};
/** What a server may say beside its answer, before it is changed. */
const ASIDE = [
  { method: "notifications/progress", params: { progressToken: 1, progress: 1, total: 2 } },
  { method: "notifications/message", params: { level: "info", data: "said" } },
  { method: "notifications/tools/list_changed" },
  { method: "notifications/cancelled", params: { requestId: 1, reason: "why" } },
  { id: "q", method: "ping" },
  { id: 7, method: "elicitation/create", params: { mode: "form", message: "Name?", requestedSchema: schema } },
  {
    id: 8,
    method: "sampling/createMessage",
    params: { maxTokens: 5, messages: [{ role: "user", content: { type: "text", text: "?" } }] },
  },
  { id: 9, method: "roots/list" },
  { id: 9_999, result: {} },
  { id: 9_998, error: { code: -32_603, message: "no" } },
].map((one) => JSON.stringify({ jsonrpc: "2.0", ...one }));

/** The right answer. What is right for both families of revisions is right for each: unknown members are to be ignored. */
function answerTo({ id, method, params = {} }) {
  const result = results[method]?.(params);
  const isModern = params._meta?.["io.modelcontextprotocol/protocolVersion"] !== undefined;
  if (result === undefined && method !== "ping")
    return { jsonrpc: "2.0", id, error: { code: -32_601, message: "Method not found" } };
  return { jsonrpc: "2.0", id, result: { ...(isModern && { resultType: "complete" }), ...result } };
}
const mustBeRight = ({ method, params }) =>
  method === "initialize" || method === "server/discover" || params?.uri === "hostile://right";
const noise = () => changed(random.pick(ASIDE), random.pick(ASIDE), "json", TOKENS, random).replaceAll(/[\r\n]/g, " ");
const altered = (text) => changed(text, random.pick(ASIDE), "json", TOKENS, random);

/** The head and the body of a changed response: of another type or status, cut, or with events that nobody asked for. */
function changedResponse(text) {
  const body = random.chance(0.8) ? altered(text) : text;
  const events = Array.from({ length: random.below(4) }, () => `data: ${noise()}\n\n`).join("");
  const isStream = random.chance(0.5);
  const stream = changed(`event: message\n${events}data: ${body}\n\n`, "id: 1\nretry: 5\n", "text", TOKENS, random);
  const type = isStream ? "text/event-stream" : "application/json";
  const shown = random.chance(0.9)
    ? type
    : random.pick(["text/html", "", "application/json; charset=utf-16", "text/event-stream"]);
  return {
    status: random.chance(0.85) ? 200 : random.pick(STATUSES),
    headers: { "content-type": shown },
    body: isStream ? stream : body,
  };
}

async function answerHttp(request, response) {
  const parts = await request.toArray();
  if (request.method !== "POST") return response.writeHead(request.method === "DELETE" ? 200 : 405).end();
  const message = JSON.parse(Buffer.concat(parts).toString());
  if (message.id === undefined || message.method === undefined) return response.writeHead(202).end();
  if (control === "broken" && !mustBeRight(message) && random.chance(0.1)) return undefined;
  const text = JSON.stringify(answerTo(message));
  const { status, headers, body } = mustBeRight(message)
    ? { status: 200, headers: { "content-type": "application/json" }, body: text }
    : changedResponse(text);
  return response.writeHead(status, headers).end(body);
}

/**
 * Noise and changed answers go before the right one: where nothing but a changed answer comes, nobody can know that there was
 * one.
 */
function answerLine(line) {
  const message = JSON.parse(line);
  if (message.id === undefined || message.method === undefined) return;
  const before = mustBeRight(message) ? [] : Array.from({ length: random.below(4) }, noise);
  if (control === "broken" && !mustBeRight(message) && random.chance(0.1)) return;
  if (!mustBeRight(message) && random.chance(0.5))
    before.push(altered(JSON.stringify(answerTo(message))).replaceAll(/[\r\n]/g, " "));
  process.stdout.write(`${[...before, JSON.stringify(answerTo(message))].join("\n")}\n`);
}

if (mode === "stdio") createInterface({ input: process.stdin }).on("line", answerLine);
else {
  const server = createServer((request, response) => void answerHttp(request, response));
  server.listen(0, "127.0.0.1", () => process.send({ url: `http://127.0.0.1:${server.address().port}/mcp` }));
  process.on("disconnect", () => process.exit());
}
