// Bun serves what a module exports by default. Run it with `bun bun.ts`; PORT
// sets the port, which is 3000 otherwise.
import { createFetchHandler, McpServer } from "tenon/server";
import * as z from "zod";

const server = new McpServer({ name: "sums", version: "1.0.0" });
const input = z.object({ a: z.number(), b: z.number() });
server.tool("add", { description: "Add two numbers", input }, ({ a, b }) =>
  String(a + b),
);

export default {
  hostname: "127.0.0.1",
  idleTimeout: 30, // seconds; Tenon writes to a quiet stream every 15
  fetch: createFetchHandler(server),
};
