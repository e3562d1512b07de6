// A server for a container: it listens on every address, under the names that
// ALLOWED_HOSTS lists, and ends its calls before it stops.
import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";
import * as z from "zod";

const server = new McpServer({ name: "sums", version: "1.0.0" });
const input = z.object({ a: z.number(), b: z.number() });
server.tool("add", { description: "Add two numbers", input }, ({ a, b }) =>
  String(a + b),
);

const http = await serveHttp(server, {
  host: "0.0.0.0",
  port: Number(process.env["PORT"] ?? 3000),
  allowedHosts: (process.env["ALLOWED_HOSTS"] ?? "localhost,127.0.0.1").split(
    ",",
  ),
  health: true, // GET /livez and GET /readyz
});
console.log(`Listening on port ${http.port}`);

// Docker and systemd send SIGTERM, pm2 and a terminal SIGINT. Docker waits
// for 10 s, then kills.
for (const signal of ["SIGTERM", "SIGINT"])
  process.once(signal, () => void http.drain(8_000));
