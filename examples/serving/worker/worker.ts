// A Cloudflare Worker. Run it with `npx wrangler dev`, and publish it with
// `npx wrangler deploy`.
import { createFetchHandler, McpServer } from "tenon/server";
import * as z from "zod";

const server = new McpServer({ name: "sums", version: "1.0.0" });
const input = z.object({ a: z.number(), b: z.number() });
server.tool("add", { description: "Add two numbers", input }, ({ a, b }) =>
  String(a + b),
);

export default {
  fetch: createFetchHandler(server, {
    allowedHosts: ["localhost", "127.0.0.1", "sums.example.workers.dev"],
    // Cloudflare writes it; without users who log in, each address has its
    // share of the limits
    clientAddress: "cf-connecting-ip",
    // two requests of one client may reach two isolates, which share no
    // memory
    sessions: false,
  }),
};
