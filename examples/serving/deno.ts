// Deno serves what a module exports by default. Run it with `deno serve
// --host 127.0.0.1 --port 3000 deno.ts`.
import { createFetchHandler, McpServer } from "tenon/server";
import * as z from "zod";

const server = new McpServer({ name: "sums", version: "1.0.0" });
const input = z.object({ a: z.number(), b: z.number() });
server.tool("add", { description: "Add two numbers", input }, ({ a, b }) =>
  String(a + b),
);

export default { fetch: createFetchHandler(server) };
