import { createServer } from "node:http";
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";

const inputSchema = z.object({ a: z.number(), b: z.number() });
const outputSchema = z.object({ sum: z.number() });
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "sums", version: "1.0.0" });
  server.registerTool("add", { description: "Add two numbers", inputSchema, outputSchema }, async ({ a, b }) => {
    const structuredContent = { sum: a + b };
    return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
  });
  return server;
});
const [validateHost, validateOrigin, route] = [localhostHostValidation(), localhostOriginValidation(), toNodeHandler(handler)];
createServer((req, res) => {
  if (validateHost(req, res) && validateOrigin(req, res)) void route(req, res);
}).listen(Number(process.env.PORT), "127.0.0.1");
