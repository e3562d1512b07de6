import express from "express";
import { toNodeHandler } from "tenon/node";
import { McpServer } from "tenon/server";
import { state } from "tenon/state";
import * as z from "zod";

const count = state("count", { schema: z.int(), per: "session" });
const server = new McpServer({ name: "counter", version: "1.0.0" });
const options = { description: "Counts on", input: z.object({ by: z.number().int() }) };
server.tool("count", options, async ({ by }, ctx) => String(await count.update(ctx, (before = 0) => before + by)));

const app = express();
app.all("/mcp", toNodeHandler(server));
app.get("/version", (_request, response) => {
  response.json({ version: "1.0.0" });
});
app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1");
