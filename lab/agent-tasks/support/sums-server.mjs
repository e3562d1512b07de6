// A server that clients of answers use, made with the official SDK: over HTTP it serves both families of revisions.
import { once } from "node:events";
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";

const NUMBERS = { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] };
const SUM = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };

/** The server: `add`, `hello`, and `broken`, whose failure a model reads. */
export function sumsServer() {
  const server = new McpServer({ name: "sums", version: "1.0.0" });
  const add = { inputSchema: fromJsonSchema(NUMBERS), outputSchema: fromJsonSchema(SUM) };
  server.registerTool("add", add, async ({ a, b }) => {
    const structuredContent = { sum: a + b };
    return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
  });
  server.registerTool("broken", {}, async () => ({ content: [{ type: "text", text: "the disk is full" }], isError: true }));
  server.registerTool("hello", {}, async () => ({ content: [{ type: "text", text: "Hello!" }] }));
  return server;
}

/** Serves it until the test ends. Resolves to its URL. With a token it refuses requests without it. */
export async function startSums(bench, { token } = {}) {
  const handler = toNodeHandler(createMcpHandler(sumsServer));
  const http = createServer((request, response) => {
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) response.writeHead(401).end();
    else void handler(request, response);
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  bench.later(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${http.address().port}/mcp`;
}
