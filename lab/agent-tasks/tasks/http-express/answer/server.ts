import { toNodeHandler } from "tenon/node";
import { McpServer } from "tenon/server";
import * as z from "zod";
import { app } from "./app.ts";

const server = new McpServer({ name: "sums", version: "1.0.0" });
const input = z.object({ a: z.number(), b: z.number() });
const output = z.object({ sum: z.number() });
server.tool("add", { description: "Add two numbers", input, output }, ({ a, b }) => ({ sum: a + b }));

app.all("/mcp", toNodeHandler(server));
app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1");
