// A route handler of Next.js: the file `app/mcp/route.ts` serves the path
// `/mcp`.
import { createFetchHandler, McpServer } from "tenon/server";
import * as z from "zod";

const server = new McpServer({ name: "sums", version: "1.0.0" });
const input = z.object({ a: z.number(), b: z.number() });
server.tool("add", { description: "Add two numbers", input }, ({ a, b }) =>
  String(a + b),
);

const mcp = createFetchHandler(server, {
  allowedHosts: ["localhost", "sums.example.com"],
  sessions: false,
});
export { mcp as DELETE, mcp as GET, mcp as POST };
