import { randomUUID } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import express from "express";
import * as z from "zod";

function makeServer(): McpServer {
  const server = new McpServer({ name: "counter", version: "1.0.0" });
  let count = 0;
  server.registerTool("count", { description: "Counts on", inputSchema: { by: z.number().int() } }, async ({ by }) => {
    count += by;
    return { content: [{ type: "text", text: String(count) }] };
  });
  return server;
}

const app = express();
app.use(express.json());
const transports = new Map<string, StreamableHTTPServerTransport>();

app.post("/mcp", async (request, response) => {
  const id = request.headers["mcp-session-id"];
  let transport = typeof id === "string" ? transports.get(id) : undefined;
  if (transport === undefined) {
    if (!isInitializeRequest(request.body)) {
      response.status(400).json({ jsonrpc: "2.0", error: { code: -32000, message: "No session" }, id: null });
      return;
    }
    const made = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => {
        transports.set(session, made);
      },
    });
    await makeServer().connect(made as never);
    transport = made;
  }
  await transport.handleRequest(request, response, request.body);
});

for (const method of ["get", "delete"] as const)
  app[method]("/mcp", async (request, response) => {
    const transport = transports.get(String(request.headers["mcp-session-id"]));
    if (transport === undefined) response.status(404).end();
    else await transport.handleRequest(request, response);
  });

app.get("/version", (_request, response) => {
  response.json({ version: "1.0.0" });
});
app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1");
