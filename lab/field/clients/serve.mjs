// The server that real clients meet: the same tools on Tenon and on the official SDK, on stdio or over HTTP.
//   node serve.mjs tenon|official stdio|http      over HTTP it prints its URL
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { z } from "zod";

const [, , sdk, transport] = process.argv;
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const NAME = { name: "field-server", version: "1.0.0" };
const SUM = { a: z.number(), b: z.number() };
const REPORT = { city: z.string(), degrees: z.number() };

/** More tools with arguments of many kinds, as a server of some size has them. */
const KINDS = {
  text: { value: z.string().min(1) },
  choice: { value: z.enum(["low", "high"]) },
  optional: { value: z.string().optional(), count: z.number().int().default(1) },
  list: { value: z.array(z.string()) },
  nested: { value: z.object({ inner: z.object({ name: z.string() }) }) },
  union: { value: z.union([z.string(), z.number()]) },
  record: { value: z.record(z.string(), z.number()) },
  nullable: { value: z.string().nullable() },
};

async function tenon() {
  const { McpServer, ToolError, image } = await import("tenon/server");
  const make = () => {
    const server = new McpServer(NAME);
    server.tool("add", { description: "Adds two numbers", input: z.object(SUM) }, ({ a, b }) => String(a + b));
    server.tool("picture", { description: "A picture" }, () => image(PIXEL, "image/png"));
    server.tool("report", { description: "Structured", output: z.object(REPORT) }, () => ({ city: "Basel", degrees: 21 }));
    server.tool("fails", { description: "Fails" }, () => {
      throw new ToolError("it is broken");
    });
    for (const [name, shape] of Object.entries(KINDS)) {
      server.tool(`takes_${name}`, { description: name, input: z.object(shape) }, (input) => JSON.stringify(input));
    }
    server.resource("note://one", { name: "note", description: "A note", mimeType: "text/plain" }, () => "A note.");
    server.prompt("greet", { description: "Greets" }, () => "Say hello.");
    return server;
  };
  const { serveHttp, serveStdio } = await import("tenon/node");
  if (transport === "stdio") return serveStdio(make());
  const { url } = await serveHttp(make(), { port: 0 });
  console.log(url);
}

async function official() {
  const { McpServer } = await import("@modelcontextprotocol/sdk/server/mcp.js");
  const text = (text) => ({ content: [{ type: "text", text }] });
  const make = () => {
    const server = new McpServer(NAME);
    server.registerTool("add", { description: "Adds two numbers", inputSchema: SUM }, ({ a, b }) => text(String(a + b)));
    server.registerTool("picture", { description: "A picture" }, () => ({
      content: [{ type: "image", data: PIXEL, mimeType: "image/png" }],
    }));
    server.registerTool("report", { description: "Structured", outputSchema: REPORT }, () => {
      const structuredContent = { city: "Basel", degrees: 21 };
      return { ...text(JSON.stringify(structuredContent)), structuredContent };
    });
    server.registerTool("fails", { description: "Fails" }, () => {
      throw new Error("it is broken");
    });
    for (const [name, inputSchema] of Object.entries(KINDS)) {
      server.registerTool(`takes_${name}`, { description: name, inputSchema }, (input) => text(JSON.stringify(input)));
    }
    server.registerResource("note", "note://one", { description: "A note", mimeType: "text/plain" }, () => ({
      contents: [{ uri: "note://one", mimeType: "text/plain", text: "A note." }],
    }));
    server.registerPrompt("greet", { description: "Greets" }, () => ({
      messages: [{ role: "user", content: { type: "text", text: "Say hello." } }],
    }));
    return server;
  };
  if (transport === "stdio") {
    const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");
    return make().connect(new StdioServerTransport());
  }
  await officialOverHttp(make);
}

/** Streamable HTTP with sessions, as the samples of the official SDK do it. */
async function officialOverHttp(make) {
  const { StreamableHTTPServerTransport } = await import("@modelcontextprotocol/sdk/server/streamableHttp.js");
  const sessions = new Map();
  const open = async () => {
    const session = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, session),
    });
    await make().connect(session);
    return session;
  };
  const http = createServer(async (request, response) => {
    const session = sessions.get(request.headers["mcp-session-id"]) ?? (await open());
    await session.handleRequest(request, response);
  });
  http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
}

await { tenon, official }[sdk]();
