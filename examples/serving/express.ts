// Express: one line mounts the server. Run it with `npx tsx express.ts`.
import express from "express";
import { toNodeHandler } from "tenon/node";
import { McpServer } from "tenon/server";
import * as z from "zod";

const server = new McpServer({ name: "sums", version: "1.0.0" });
const input = z.object({ a: z.number(), b: z.number() });
server.tool("add", { description: "Add two numbers", input }, ({ a, b }) =>
  String(a + b),
);

const mcp = toNodeHandler(server);
const app = express();
app.all("/mcp", mcp);

const port = Number(process.env["PORT"] ?? 3000);
const listener = app.listen(port, "127.0.0.1", () =>
  console.log(`http://127.0.0.1:${port}/mcp`),
);

// running calls end first
process.once("SIGTERM", () => void mcp.drain().then(() => listener.close()));
