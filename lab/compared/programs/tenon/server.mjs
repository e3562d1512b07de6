import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";
import * as z from "zod";

const input = z.object({ a: z.number(), b: z.number() });
const output = z.object({ sum: z.number() });
const server = new McpServer({ name: "sums", version: "1.0.0" });
server.tool("add", { description: "Add two numbers", input, output }, ({ a, b }) => ({ sum: a + b }));
await serveHttp(server, { port: Number(process.env.PORT) });
