import { setTimeout as pause } from "node:timers/promises";
import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";

const server = new McpServer({ name: "slow", version: "1.0.0" });
server.tool("slow", {}, async () => {
  await pause(1_000);
  return "done";
});

const http = await serveHttp(server, { port: Number(process.env["PORT"] ?? 3000) });
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => void http.drain(4_000));
