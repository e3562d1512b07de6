// Fastify reads the body of a request itself, so the route gives it to the
// handler. Run it with `npx tsx fastify.ts`.
import fastify from "fastify";
import { toNodeHandler } from "tenon/node";
import { McpServer } from "tenon/server";
import * as z from "zod";

const server = new McpServer({ name: "sums", version: "1.0.0" });
const input = z.object({ a: z.number(), b: z.number() });
server.tool("add", { description: "Add two numbers", input }, ({ a, b }) =>
  String(a + b),
);

const mcp = toNodeHandler(server);
const app = fastify();
app.all("/mcp", (request, reply) => {
  reply.hijack(); // the handler writes the response
  mcp(request.raw, reply.raw, request.body);
});
app.addHook("preClose", () => mcp.drain());

const port = Number(process.env["PORT"] ?? 3000);
console.log(`${await app.listen({ port, host: "127.0.0.1" })}/mcp`);
process.once("SIGTERM", () => void app.close());
