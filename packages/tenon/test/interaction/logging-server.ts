/** A server that logs at each level. */
import { McpServer, type McpServerOptions } from "tenon";
import { testServer } from "../support/test-server.ts";

export function createServer(options: McpServerOptions = {}): McpServer {
  const server = testServer({ onError: () => undefined, ...options });
  server.tool("log", {}, async (_input, { log }) => {
    for (const level of ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const)
      await log[level](level);
    return "";
  });
  return server;
}
