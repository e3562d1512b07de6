import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";
import * as z from "zod";

const server = new McpServer({ name: "hello", version: "1.0.0" });
server.tool("hello", { description: "Say hello", input: z.object({ name: z.string() }) }, ({ name }) => `Hello, ${name}!`);

const http = await serveHttp(server, { port: Number(process.env["PORT"] ?? 3000), health: true });
console.log(`Listening at ${http.url}`);
