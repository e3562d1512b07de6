// Hono, on Node. On Bun, Deno and Workers export `app` instead of calling
// `serve`. Run it with `npx tsx hono.ts`.
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { createFetchHandler, McpServer } from "tenon/server";
import * as z from "zod";

const server = new McpServer({ name: "sums", version: "1.0.0" });
const input = z.object({ a: z.number(), b: z.number() });
server.tool("add", { description: "Add two numbers", input }, ({ a, b }) =>
  String(a + b),
);

const mcp = createFetchHandler(server);
const app = new Hono();
app.all("/mcp", (context) => mcp(context.req.raw));

const port = Number(process.env["PORT"] ?? 3000);
const listener = serve(
  { fetch: app.fetch, port, hostname: "127.0.0.1" },
  () => console.log(`http://127.0.0.1:${port}/mcp`),
);

// running calls end first
process.once("SIGTERM", () => void mcp.drain().then(() => listener.close()));
