/** A server as its owner wrote it on the SDK 1.x: the tests import its classes from this package, and change nothing else. */
import * as z from "zod";
import { completable } from "mcp-sdk-v1/server/completable.js";
import { McpError, ErrorCode } from "mcp-sdk-v1/types.js";
import type { LayerOptions } from "../src/server/index.ts";
import { McpServer, ResourceTemplate } from "../src/server/mcp.ts";

export function weatherServer(options: LayerOptions = {}): McpServer {
  const server = new McpServer(
    { name: "weather", version: "1.2.3" },
    { capabilities: { logging: {} }, instructions: "Ask for a city.", ...options },
  );
  server.registerTool(
    "forecast",
    { title: "Forecast", inputSchema: { city: z.string() }, outputSchema: { degrees: z.number() } },
    ({ city }) => ({ content: [{ type: "text", text: `${city}: 20` }], structuredContent: { degrees: 20 } }),
  );
  server.tool("old", "Kept from the first release", { n: z.number() }, { readOnlyHint: true }, ({ n }) => ({
    content: [{ type: "text", text: String(n * 2) }],
  }));
  server.tool("fail", () => {
    throw new Error("The station is closed");
  });
  server.tool("refuse", () => {
    throw new McpError(ErrorCode.UrlElicitationRequired, "Log in first", { elicitations: [] });
  });
  server.tool("slow", async (extra) => {
    await extra.sendNotification({
      method: "notifications/progress",
      params: { progressToken: extra._meta?.progressToken ?? 0, progress: 1 },
    });
    await server.server.sendLoggingMessage({ level: "info", data: "half way" });
    return { content: [{ type: "text", text: "done" }] };
  });
  server.tool("ask", async () => {
    const asked = await server.server.elicitInput({
      message: "Which city?",
      requestedSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    });
    return { content: [{ type: "text", text: `${asked.action} ${String(asked.content?.["city"])}` }] };
  });
  server.tool("sample", async (extra) => {
    const sampled = await extra.sendRequest(
      { method: "sampling/createMessage", params: { messages: [], maxTokens: 5 } },
      z.object({ model: z.string() }),
    );
    return { content: [{ type: "text", text: sampled.model }] };
  });
  server.resource("today", "weather://today", (uri) => ({ contents: [{ uri: uri.href, text: "sunny" }] }));
  server.registerResource(
    "city",
    new ResourceTemplate("weather://city/{name}", {
      list: undefined,
      complete: { name: (value) => ["Oslo", "Rome"].filter((name) => name.startsWith(value)) },
    }),
    { title: "A city" },
    (uri, { name }) => ({ contents: [{ uri: uri.href, text: `in ${String(name)}` }] }),
  );
  server.registerPrompt("greet", { argsSchema: { who: completable(z.string(), (value) => [`${value}da`]) } }, ({ who }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Hello ${who}` } }],
  }));
  return server;
}
