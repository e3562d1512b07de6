import { McpServer } from "tenon/server";

export const server = new McpServer({ name: "git", version: "1.0.0" });
server.tool("log", {}, () => "one commit");
server.tool("init", {}, () => {
  server.tool("push", {}, () => "pushed");
  return "ready";
});
